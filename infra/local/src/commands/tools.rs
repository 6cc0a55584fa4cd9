//! `alfred tools`: lists the tools and their arguments.

use alfred_agent::tool::SharedTool;
use serde_json::{Value, json};

use crate::cli::Cli;
use crate::exit::Exit;
use crate::terminal::{made, say_made};

pub fn run(cli: &Cli) -> anyhow::Result<Exit> {
    let tools = alfred_tools::catalogue();
    let all: Vec<Value> = tools.iter().map(described).collect();
    let text = || tools.iter().map(in_words).collect::<Vec<_>>().join("\n");
    say_made(cli.json, &made(cli.json, &all, text)?);
    Ok(Exit::Done)
}

fn described(tool: &SharedTool) -> Value {
    let def = tool.def();
    json!({
        "name": def.name,
        "description": def.description,
        "effect": def.effect,
        "needs": def.needs,
        "parameters": tool.schema(),
    })
}

fn in_words(tool: &SharedTool) -> String {
    let def = tool.def();
    let schema = tool.schema();
    let required = schema["required"].as_array();
    let is_required = |name| required.is_some_and(|all| all.iter().any(|one| one == name));
    let mut lines = vec![format!("{}\n  {}", def.name, def.description)];
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        let mark = if is_required(name) { "" } else { "?" };
        let about = field["description"].as_str().unwrap_or_default();
        lines.push(format!("    {name}{mark}  {about}"));
    }
    lines.join("\n")
}
