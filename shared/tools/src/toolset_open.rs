//! `toolset_open`: a model is shown the toolsets its request needs, and opens others with this.

use alfred_agent::tool::Toolset;
use alfred_agent::toolsets::OPEN_TOOL;
use schemars::{Schema, SchemaGenerator, json_schema};

use crate::catalogue;
use crate::prelude::*;

/// Its own toolset, which is open wherever another one may be opened.
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
    /// What their tools ask to be kept to; the prompt has those of the first ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rules: Vec<&'static str>,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(
        TOOLSET,
        OPEN_TOOL,
        "Opens further toolsets when the tools you have can't do what is asked. Their tools are there in the next turn.",
    )
    .flow(Flow::NEUTRAL);
    tool::read(def, open)
}

async fn open(context: ToolContext, args: Arguments) -> Result<Opened, ToolError> {
    let tools = catalogue::catalogue();
    let opened = tools.iter().map(|tool| tool.def()).filter(|def| {
        let named = args.toolsets.iter().any(|name| *name == def.toolset.name);
        named && def.allows(context.user.role)
    });
    Ok(Opened {
        rules: tool::rules(opened),
        opened: args.toolsets,
    })
}
