use alfred_planner::TaskStatus;

use super::store::StoredTask;
use super::{TOOLSET, status};
use crate::prelude::*;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Its id, or words of its title.
    task_id: Ref<StoredTask>,
    /// What came of it; added to the description.
    notes: Option<Text<MAX_DESCRIPTION>>,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(TOOLSET, "task_completeTask", "Marks a task as done.")
        .flow(Flow::PRIVATE)
        .effect(Effect::ReversibleWrite);
    edit::tool(def, complete)
}

async fn complete(context: ToolContext, args: Arguments) -> Result<Edit<StoredTask>> {
    let before = args.task_id.find(&context).await?;
    if before.task.status == TaskStatus::Completed {
        return Err(args.task_id.refused("is already completed."));
    }
    let mut after = before.clone();
    if let Some(notes) = args.notes.filter(|notes| !notes.is_empty()) {
        after.task.description = match before.task.description.as_str() {
            "" => notes.value.clone(),
            before => format!("{before}\n\n{}", *notes),
        };
        let length = after.task.description.chars().count();
        if length > MAX_DESCRIPTION {
            let problem = format!(
                "are too long: with them the description has {length} characters, at most {MAX_DESCRIPTION}."
            );
            return Err(refused("notes", &notes, problem));
        }
    }
    let change = status::change(&context, &mut after.task, TaskStatus::Completed).await?;
    let receipt = format!("Completed task \"{}\"", before.task.title);
    let task = after.task.clone();
    let edit = Edit::change("Mark a task as done", before, after).receipt(receipt);
    change.of(&context, &task, edit, true)
}
