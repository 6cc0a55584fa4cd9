use super::matching::{LISTED, best, called};
use super::people::People;
use super::{Person, TOOLSET};
use crate::prelude::*;

const MAX_QUERY: usize = 200;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// A name or part of it, an e-mail address, @handle, mention or user id.
    query: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase", tag = "match")]
enum Found {
    #[serde(rename = "one")]
    One { user: Person },
    /// Somebody who is known only from the person's mail.
    #[serde(rename = "contact")]
    Contact {
        name: String,
        email: String,
        note: String,
    },
    #[serde(rename = "ambiguous")]
    Ambiguous {
        candidates: Vec<Person>,
        total: usize,
        note: String,
    },
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(TOOLSET, "user_lookup", "Finds a person of this workspace.")
        .flow(Flow::FOREIGN)
        .rules(&[
            "When user_lookup gives several candidates, ask which one is meant; never choose.",
        ]);
    tool::full(def, lookup)
}

async fn lookup(context: ToolContext, args: Arguments) -> Result<ToolOutput, ToolError> {
    let query = text_up_to("query", &args.query, MAX_QUERY).map_err(invalid)?;
    if query.trim_start_matches('@').is_empty() {
        let problem = "is empty. Give a name, an e-mail address, an @handle or a mention.";
        return Err(refused("query", &args.query, problem));
    }
    let mut people = People::load(&context).await?;
    let found = best(&people.known, &query);
    match found.as_slice() {
        [] => {
            let contact = people.contact(&context, "query", &query).await;
            // Names and addresses of senders are other people's words.
            if let Some(contact) = contact.map_err(|error| error.bringing(Flow::UNKNOWN))? {
                let found = Found::Contact {
                    name: contact.mailbox.name.clone(),
                    email: contact.mailbox.address.clone(),
                    note: contact.origin(),
                };
                return Ok(ToolOutput::data(&found)?.bringing(Flow::UNKNOWN));
            }
            let error = format!(
                "nobody registered here fits “{query}”. An e-mail address or a @handle tells more, or an administrator registers them."
            );
            Err(ToolError::failed(error).hint("user_list shows everybody."))
        }
        [one] => ToolOutput::data(&Found::One {
            user: Person::from(*one),
        }),
        several => Ok(ToolOutput::data(&Found::Ambiguous {
            candidates: several
                .iter()
                .take(LISTED)
                .map(|user| Person::from(*user))
                .collect(),
            total: several.len(),
            note: "Several people fit. Ask which one is meant, by handle or e-mail.".to_owned(),
        })?
        .offering(several.iter().map(|user| called(user)))),
    }
}
