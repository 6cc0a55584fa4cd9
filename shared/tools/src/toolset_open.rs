//! A model is shown the toolsets its request needs, and opens others with this tool.

use alfred_agent::store::users;
use alfred_agent::tool::Toolset;
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
    let toolsets = catalogue::purposes();
    let (names, words): (Vec<&str>, Vec<String>) = toolsets
        .into_iter()
        .map(|(name, purpose)| (name, format!("{name}: {purpose}")))
        .unzip();
    json_schema!({
        "type": "array",
        "items": {"type": "string", "enum": names},
        "description": words.join(". "),
    })
}

#[derive(Serialize)]
struct Opened {
    opened: Vec<String>,
    /// Rules of the opened tools; the prompt already has those of the first toolsets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rules: Vec<&'static str>,
    /// How the person writes mail, if the e-mail toolset was opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    tone: Option<String>,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(
        TOOLSET,
        OPEN_TOOL,
        "Opens more toolsets when your tools can't do what is asked. Their tools are there in the next turn.",
    )
    .flow(Flow::NEUTRAL);
    tool::full(def, open)
}

async fn open(context: ToolContext, args: Arguments) -> Result<ToolOutput, ToolError> {
    let tools = catalogue::catalogue();
    let opened = tools.iter().map(|tool| tool.def()).filter(|def| {
        let named = args.toolsets.iter().any(|name| *name == def.toolset.name);
        named && def.allows(context.user.role)
    });
    let rules = tool::rules(opened);
    let writes = args
        .toolsets
        .iter()
        .any(|name| *name == email::TOOLSET.name);
    let mut tone = None;
    if writes {
        let stored = users::get(&*context.store, &context.team, context.user_id()).await?;
        tone = stored.and_then(|stored| stored.user.preferences.email_tone);
    }
    let flow = match tone {
        Some(_) => Flow::PRIVATE,
        None => Flow::NEUTRAL,
    };
    let opened = Opened {
        rules,
        opened: args.toolsets,
        tone: tone.map(|tone| tone.rule()),
    };
    Ok(ToolOutput::data(&opened)?.bringing(flow))
}
