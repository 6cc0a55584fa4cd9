//! `toolset_open`.

use alfred_agent::tool::{self, Flow, SharedTool, ToolContext, ToolDef, ToolError};
use alfred_agent::toolsets::OPEN_TOOL;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::TOOLSETS;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    #[schemars(schema_with = "names")]
    toolsets: Vec<String>,
}

fn names(_: &mut SchemaGenerator) -> Schema {
    let names: Vec<&str> = TOOLSETS.iter().map(|(name, _)| *name).collect();
    let words: Vec<String> = TOOLSETS
        .iter()
        .map(|(name, words)| format!("{name}: {words}"))
        .collect();
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

/// The tool.
#[must_use]
pub fn tool() -> SharedTool {
    let def = ToolDef::new(
        OPEN_TOOL,
        "Opens further toolsets when the tools you have can't do what is asked. Their tools are there in the next turn.",
    )
    .flow(Flow::NEUTRAL);
    tool::read(def, open)
}

async fn open(context: ToolContext, args: Arguments) -> Result<Opened, ToolError> {
    let tools = crate::catalogue();
    let opened = tools.iter().map(|tool| tool.def()).filter(|def| {
        def.allows(context.user.role) && args.toolsets.iter().any(|name| name == def.category())
    });
    Ok(Opened {
        rules: opened.flat_map(|def| def.rules.iter().copied()).collect(),
        opened: args.toolsets,
    })
}
