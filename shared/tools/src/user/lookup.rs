use super::matching::{LISTED, best, called};
use super::{Person, TOOLSET, active};
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
    let people = active(&context).await?;
    let found = best(&people, &query);
    match found.as_slice() {
        [] => {
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

#[cfg(test)]
mod tests {
    use crate::testing::*;

    async fn office() -> ToolHarness {
        let harness = ToolHarness::at("2026-11-21T12:00:00Z");
        for (id, handle, name) in [
            ("U1", "ana", "Ana García"),
            ("U2", "ana.b", "Ana Bauer"),
            ("U3", "zed", "Zoë O'Hara"),
            ("U4", "garcia", "Luis Prado"),
            ("U5", "anabel", "Anabel Roth"),
        ] {
            harness
                .register(id, |user| {
                    user.slack_username = handle.into();
                    user.name = name.into();
                    user.preferences.personality_text = Some("secret wishes".into());
                })
                .await;
        }
        harness
            .register("U6", |user| {
                user.name = "Gone Person".into();
                user.is_active = false;
            })
            .await;
        harness
    }

    #[tokio::test]
    async fn every_way_to_name_a_person() {
        let harness = office().await;
        for (query, name) in [
            ("<@U3>", "Zoë O'Hara"),
            ("<@U3|zed>", "Zoë O'Hara"),
            ("U3", "Zoë O'Hara"),
            ("@ZED", "Zoë O'Hara"),
            ("U3@Example.com", "Zoë O'Hara"),
            ("<mailto:u3@example.com|u3@example.com>", "Zoë O'Hara"),
            ("zoe o'hara", "Zoë O'Hara"),
            ("zoe", "Zoë O'Hara"),
            ("garcia ana", "Ana García"),
            ("@ana", "Ana García"),
            // A full handle ranks above a part of a name.
            ("garcia", "Luis Prado"),
            ("anab", "Anabel Roth"),
            ("luis p", "Luis Prado"),
        ] {
            let found = harness.ok("user_lookup", json!({"query": query})).await;
            assert_eq!(found["match"], "one", "{query}: {found}");
            assert_eq!(found["user"]["name"], name, "{query}");
        }
    }

    #[tokio::test]
    async fn only_public_fields_are_shown() {
        let harness = office().await;
        let found = harness.ok("user_lookup", json!({"query": "U3"})).await;
        let shown = json!({
            "name": "Zoë O'Hara", "handle": "@zed", "email": "u3@example.com",
            "timezone": "UTC", "role": "member",
        });
        assert_eq!(found, json!({"match": "one", "user": shown}));
    }

    #[tokio::test]
    async fn several_are_listed_and_none_is_chosen() {
        let harness = office().await;
        harness
            .register("U7", |user| user.name = "Ana Bauer".into())
            .await;
        let found = harness
            .ok("user_lookup", json!({"query": "ana bauer"}))
            .await;
        assert_eq!(found["match"], "ambiguous");
        assert_eq!(found["total"], 2);
        let handles: Vec<_> = found["candidates"]
            .as_array()
            .unwrap()
            .iter()
            .map(|p| &p["handle"])
            .collect();
        assert_eq!(handles, ["@ana.b", "@u7"]);
    }

    #[tokio::test]
    async fn nobody_says_what_to_do() {
        let harness = office().await;
        for query in [
            "Nobody", "@an", "<@U9>", "<@>", "Gone", "U6", "***", "@nobody",
        ] {
            let error = harness.fails("user_lookup", json!({"query": query})).await;
            assert!(
                error.contains("nobody registered here fits"),
                "{query}: {error}"
            );
            assert!(error.contains("user_list"), "{error}");
        }
        for query in ["", "  ", "@"] {
            let error = harness.fails("user_lookup", json!({"query": query})).await;
            assert!(error.starts_with("query: "), "{error}");
        }
    }

    #[tokio::test]
    async fn people_of_another_workspace_are_not_found() {
        let harness = office().await;
        let error = harness
            .asked_by("T2", "U1")
            .fails("user_lookup", json!({"query": "U3"}))
            .await;
        assert!(error.contains("nobody"), "{error}");
    }
}
