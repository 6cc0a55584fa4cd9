//! A model is shown the toolsets its request needs, and opens others with this tool.

use alfred_agent::store::users;
use alfred_agent::tool::toolsets::OPEN_TOOL;
use schemars::{Schema, SchemaGenerator, json_schema};

use crate::prelude::*;
use crate::{catalogue, email};

/// Available wherever another toolset may be opened.
pub const TOOLSET: Toolset = Toolset::new(
    "toolset",
    "",
    "is working on it…",
    "Opening tools",
    "say what I can do",
);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    #[schemars(schema_with = "names")]
    toolsets: Vec<String>,
}

fn names(_: &mut SchemaGenerator) -> Schema {
    let toolsets = catalogue::purposes().into_iter();
    let toolsets = toolsets.map(|(name, purpose)| (name, format!("{name}: {purpose}")));
    let (names, words): (Vec<&str>, Vec<String>) = toolsets.unzip();
    json_schema!({
        "type": "array",
        "items": {"type": "string", "enum": names},
        "description": words.join(". "),
    })
}

pub fn tool() -> SharedTool {
    let description = "Opens more toolsets when your tools can't do what is asked. Their tools are there in the next turn.";
    let def = ToolDef::new(TOOLSET, OPEN_TOOL, description).flow(Flow::NEUTRAL);
    tool::full(def, open)
}

async fn open(context: ToolContext, args: Arguments) -> Result<ToolOutput> {
    let tools = catalogue::catalogue();
    let opened = tools.iter().map(|tool| tool.def()).filter(|def| {
        let named = args.toolsets.iter().any(|name| *name == def.toolset.name);
        named && def.allows(context.user.role)
    });
    let rules = tool::rules(opened);
    let mut output = json!({"opened": args.toolsets});
    // The prompt already has the rules of the first toolsets.
    add(&mut output, "rules", json!(rules));
    let mut flow = Flow::NEUTRAL;
    let mut names = args.toolsets.iter();
    if names.any(|name| *name == email::TOOLSET.name) {
        let stored = users::get(&*context.store, &context.team, context.user_id()).await?;
        if let Some(tone) = stored.and_then(|stored| stored.user.preferences.email_tone) {
            output["tone"] = tone.rule().into();
            flow = Flow::PRIVATE;
        }
    }
    Ok(ToolOutput::data(&output)?.bringing(flow))
}
