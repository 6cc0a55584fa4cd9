//! The toolset `skills`: lists a worker's skills in its prompt, and reads one (agentskills.io/specification).

use alfred_agent::model::Source;
use alfred_agent::policy::AuthorizedArgs;
use alfred_agent::tool::{
    Flow, Result, Tool, ToolContext, ToolDef, ToolError, ToolOutput, Toolset, arguments_schema,
    parsed,
};
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use crate::counterpart;
use crate::registry::{Binding, Bound, settings, unknown};
use crate::skill::{MAIN, Skill};
use crate::skill_folder::kept_path;

pub const SKILLS: Toolset = Toolset::new(
    "skills",
    "read how something is done",
    "is reading up…",
    "That",
    "do it without",
);
const READ: &str = "skill_read";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Allowed {
    pub(crate) allowed: Vec<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Its name.
    skill: String,
    /// One of its files by its path in it; SKILL.md when left out.
    file: Option<String>,
}

/// A skill with its texts by relative path.
struct Known {
    skill: Skill,
    files: BTreeMap<String, String>,
}

struct Read {
    def: ToolDef,
    skills: BTreeMap<String, Known>,
}

/// The skills in a worker's settings.
fn named(binding: &Binding<'_>, config: Value) -> Result<BTreeMap<String, Known>, String> {
    let Allowed { allowed } = settings(config)?;
    if allowed.is_empty() {
        return Err("allowed: is empty, so nothing could be read; leave the toolset out".into());
    }
    let known = |name: String| Ok((name.clone(), known(&name, &binding.program.beside)?));
    allowed.into_iter().map(known).collect()
}

fn known(name: &str, beside: &[Source]) -> Result<Known, String> {
    let folder = kept_path(name, "");
    let files = beside.iter().filter_map(|source| {
        let file = source.path.strip_prefix(&folder)?;
        Some((file.to_owned(), source.text.clone()))
    });
    let files: BTreeMap<String, String> = files.collect();
    let main = files.get(MAIN);
    let main = main.ok_or_else(|| format!("allowed: there is no skill \"{name}\""))?;
    let skill = Skill::parse(name, &kept_path(name, MAIN), main);
    let skill = skill.map_err(|error| error.to_string())?;
    Ok(Known { skill, files })
}

pub(crate) fn toolset(binding: &Binding<'_>, config: Value) -> Result<Bound, String> {
    let def = ToolDef::new(SKILLS, READ, "Reads a skill, or another file of it.");
    let read = Read {
        // The texts are part of the program, like the worker file: neither untrusted nor private.
        def: def.flow(Flow::NEUTRAL),
        skills: named(binding, config)?,
    };
    Ok(Bound::of(vec![Arc::new(read)]))
}

/// The skills in a worker's prompt: name and description only. Invalid settings are reported by the factory.
pub(crate) fn introduced(binding: &Binding<'_>) -> String {
    let config = binding.worker.toolsets.get(&*SKILLS.name);
    let named = config.map(|config| named(binding, config.clone().unwrap_or_default()));
    let Some(Ok(skills)) = named else {
        return String::new();
    };
    let mut words = format!("\n\n## Skills\nBefore work that one is about, read it with {READ}.");
    for (name, known) in skills {
        let about: Vec<&str> = known.skill.description.split_whitespace().collect();
        // Writing to a string can't fail.
        let _ = write!(words, "\n- {name}: {}", about.join(" "));
    }
    words
}

impl Read {
    fn file(&self, arguments: Arguments) -> Result {
        let Arguments { skill: name, file } = arguments;
        let known = self.skills.get(&name).ok_or_else(|| {
            let reason = unknown("skill", &name, self.skills.keys());
            ToolError::failed(format!("skill: {reason}"))
        })?;
        let Some(file) = file.filter(|file| file != MAIN) else {
            let others = known.files.keys().filter(|file| *file != MAIN);
            return ToolOutput::data(&json!({
                "instructions": known.skill.instructions,
                "files": others.collect::<Vec<_>>(),
            }));
        };
        let text = known.files.get(file.trim_start_matches("./"));
        let text = text.ok_or_else(|| {
            ToolError::failed(format!(
                "file: the skill {name} has no file \"{file}\"; reading it without file lists them"
            ))
        })?;
        ToolOutput::data(&json!({ "file": file, "text": text }))
    }
}

#[async_trait]
impl Tool for Read {
    fn def(&self) -> &ToolDef {
        &self.def
    }

    fn schema(&self) -> Value {
        arguments_schema::<Arguments>()
    }

    fn rules_out(&self, arguments: &Value, other: &ToolDef) -> bool {
        let skill = arguments["skill"].as_str();
        let known = skill.and_then(|name| self.skills.get(name));
        let allowed = known.and_then(|known| known.skill.allowed_tools.as_deref());
        allowed.is_some_and(|allowed| {
            other.name != READ && !allowed.iter().any(|name| counterpart::is(name, other))
        })
    }

    async fn run(&self, _: ToolContext, arguments: AuthorizedArgs) -> Result {
        self.file(parsed(arguments.into_value())?)
    }
}

#[cfg(test)]
#[path = "skills_tests.rs"]
mod tests;
