use super::matching::{LISTED, best, called};
use super::people::People;
use super::{TOOLSET, person};
use crate::prelude::*;

const MAX_QUERY: usize = 200;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// A name or part of it, an e-mail address, @handle, mention or user id.
    query: String,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(TOOLSET, "user_lookup", "Finds a person of this workspace.")
        .flow(Flow::FOREIGN)
        .rules(&[
            "When user_lookup gives several candidates, ask which one is meant; never choose.",
        ]);
    tool::full(def, lookup)
}

async fn lookup(context: ToolContext, args: Arguments) -> Result<ToolOutput> {
    let query = text_up_to("query", &args.query, MAX_QUERY).map_err(invalid)?;
    if query.trim_start_matches('@').is_empty() {
        let problem = "is empty. Give a name, an e-mail address, an @handle or a mention.";
        return Err(refused("query", &args.query, problem));
    }
    let mut people = People::load(&context).await?;
    match best(&people.known, &query).as_slice() {
        [] => {}
        [one] => return ToolOutput::data(&json!({"match": "one", "user": person(one)})),
        several => {
            let listed = several.iter().take(LISTED);
            let candidates: Vec<Value> = listed.map(|user| person(user)).collect();
            let found = json!({
                "match": "ambiguous",
                "candidates": candidates,
                "total": several.len(),
                "note": "Several people fit. Ask which one is meant, by handle or e-mail.",
            });
            return Ok(ToolOutput::data(&found)?.offering(several.iter().map(|user| called(user))));
        }
    }
    // Names and addresses of the mailbox are other people's words.
    let contact = people.contact(&context, "query", &query).await;
    match contact.map_err(|error| error.bringing(Flow::UNKNOWN))? {
        Some(contact) => {
            let found = json!({
                "match": "contact",
                "name": contact.mailbox.name,
                "email": contact.mailbox.address,
                "note": contact.origin(),
            });
            Ok(ToolOutput::data(&found)?.bringing(Flow::UNKNOWN))
        }
        None => {
            let error = format!(
                "I don't know anyone called “{query}”. Please give an e-mail address or an @handle, or ask an administrator to add them."
            );
            Err(ToolError::failed(error).hint("user_list shows everybody."))
        }
    }
}
