use super::{Person, TOOLSET, active};
use crate::prelude::*;

/// Limits the list, so that it fits into a model's context.
const MOST: usize = 200;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(
        TOOLSET,
        "user_list",
        "Lists the people who are registered here: name, handle, e-mail, time zone, role.",
    )
    // Names and handles are other people's words.
    .flow(Flow::FOREIGN);
    tool::read(def, list)
}

async fn list(context: ToolContext, _: Arguments) -> Result<Value, ToolError> {
    let people = active(&context).await?;
    let (total, listed) = (people.len(), people.iter().take(MOST));
    let users: Vec<Person> = listed.map(Person::from).collect();
    let mut list = json!({"users": users, "total": total});
    if total > MOST {
        let note = format!(
            "Only the first {MOST} of {total} are listed. Find the others with user_lookup."
        );
        list["note"] = note.into();
    }
    Ok(list)
}
