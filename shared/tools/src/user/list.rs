use super::{TOOLSET, active, person};
use crate::args::NoArguments;
use crate::prelude::*;

/// Limits the list, so that it fits into a model's context.
const MOST: usize = 200;

pub fn tool() -> SharedTool {
    let description =
        "Lists the people who are registered here: name, handle, e-mail, time zone, role.";
    let def = ToolDef::new(TOOLSET, "user_list", description)
        // Names and handles are other people's words.
        .flow(Flow::FOREIGN);
    tool::read(def, list)
}

async fn list(context: ToolContext, _: NoArguments) -> Result<Value> {
    let people = active(&context).await?;
    let (total, listed) = (people.len(), people.iter().take(MOST));
    let users: Vec<Value> = listed.map(person).collect();
    let mut list = json!({"users": users, "total": total});
    if total > MOST {
        let note = format!(
            "Only the first {MOST} of {total} are listed. Find the others with user_lookup."
        );
        list["note"] = note.into();
    }
    Ok(list)
}
