use super::TOOLSET;
use super::store::StoredTask;
use crate::prelude::*;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Its id, or words of its title.
    task_id: Ref<StoredTask>,
}

pub fn tool() -> SharedTool {
    let description = "Deletes a task for good. One that is done: task_completeTask.";
    let def = ToolDef::new(TOOLSET, "task_deleteTask", description)
        .flow(Flow::PRIVATE)
        .effect(Effect::Destructive);
    edit::tool(def, async |context: ToolContext, args: Arguments| {
        let task = args.task_id.find(&context).await?;
        Ok(Edit::delete("Delete a task", task))
    })
}
