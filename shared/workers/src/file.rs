//! The worker file: YAML front matter with the instructions as the body, or pure YAML with `instructions:`.
//! An unknown field is an error. A path that ends with `.md` is another agent's file, with that agent's fields.

use alfred_agent::model::AttachmentPolicy;
use alfred_agent::tool::delegate;
use alfred_core::policy::Setting;
use alfred_core::ports::VirtualPath;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use thiserror::Error;

use crate::agent_file;
use crate::models;
use crate::registry::{self, Delegation};
use crate::skills::{Allowed, SKILLS};
use crate::toolsets::custom;

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkerFile {
    /// Unique within its program.
    pub name: String,
    /// For people, and for workers that delegate to it.
    #[serde(default)]
    pub description: String,
    /// The system prompt.
    #[serde(default)]
    pub instructions: String,
    #[serde(default)]
    pub mode: Mode,
    /// `provider:model`. Unset: its program's model, otherwise the deployment's.
    pub model: Option<String>,
    /// Patterns of `provider:model` with `*` as a wildcard. Unset: any model.
    pub compatible_models: Option<Vec<String>>,
    #[serde(default)]
    pub toolsets: BTreeMap<String, Option<Value>>,
    /// Whether it can be started without input.
    #[serde(default)]
    pub allow_empty_input: bool,
    /// Older exchanges of a chat are shortened above this many tokens.
    #[serde(default = "max_context_tokens")]
    pub max_context_tokens: u64,
    #[serde(default)]
    pub limits: FileLimits,
    /// Which attached files of a request it sees.
    #[serde(default)]
    pub attachment_policy: AttachmentPolicy,
    /// Its access to the program's files.
    #[serde(default)]
    pub sandbox: FileSandbox,
}

fn max_context_tokens() -> u64 {
    8_000
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// One answer.
    #[default]
    Single,
    Chat,
}

/// Limits of a run. Unset values use the loop's defaults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileLimits {
    /// Model turns.
    pub max_iterations: Option<u32>,
    /// Tokens of all turns together.
    pub max_tokens: Option<u64>,
    /// US dollars for all turns together.
    pub max_cost_usd: Option<f64>,
}

/// A worker's access to its program's files, and the approvals it needs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FileSandbox {
    /// Its root: a folder of its caller's view.
    pub restrict: Option<VirtualPath>,
    /// Whether it can only read. It can't have more rights than its caller.
    pub readonly: Option<bool>,
    /// Applies where the toolset's settings don't.
    pub approval: SandboxApproval,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SandboxApproval {
    pub write: Option<Setting>,
    pub delete: Option<Setting>,
}

#[derive(Debug, Error)]
#[error("{path}: {reason}")]
pub struct FileError {
    pub path: String,
    /// Names the field, if there is one.
    pub reason: String,
}

impl FileError {
    pub(crate) fn of(path: &str) -> impl FnOnce(String) -> Self {
        |reason| Self {
            path: path.to_owned(),
            reason,
        }
    }
}

pub(crate) const UNCLOSED: &str = "the front matter starts with `---` and has no closing `---`";
pub(crate) const NO_INSTRUCTIONS: &str =
    "no instructions; write them as the body, or as `instructions:`";

impl WorkerFile {
    /// Parses a worker file. `path` is for error messages.
    pub fn parse(path: &str, text: &str) -> Result<Self, FileError> {
        Self::read(path, text).map_err(FileError::of(path))
    }

    fn read(path: &str, text: &str) -> Result<Self, String> {
        let (yaml, body) = split(text.strip_prefix('\u{feff}').unwrap_or(text)).ok_or(UNCLOSED)?;
        let mut file = agent_file::worker(path, yaml)?;
        match (file.instructions.trim().is_empty(), body.trim().is_empty()) {
            (false, false) => {
                return Err(
                    "instructions stand both in the front matter and in the body; keep one".into(),
                );
            }
            (true, true) => return Err(NO_INSTRUCTIONS.into()),
            (true, false) => file.instructions = body.trim().to_owned(),
            (false, true) => {}
        }
        file.check()?;
        Ok(file)
    }

    fn check(&self) -> Result<(), String> {
        let model = self.model.as_deref().map_or(Ok(()), models::is_name);
        model.map_err(|reason| format!("model: {reason}"))?;
        let (limits, models) = (&self.limits, self.compatible_models.as_ref());
        let is_cost = |cost: f64| cost.is_finite() && cost > 0.0;
        let wrong = if self.name.trim().is_empty() {
            "name: must not be empty"
        } else if models.is_some_and(Vec::is_empty) {
            "compatible_models: is empty, so no model would fit; leave it out for any"
        } else if self.max_context_tokens == 0 {
            "max_context_tokens: must be at least 1"
        } else if limits.max_iterations == Some(0) {
            "limits.max_iterations: must be at least 1"
        } else if !limits.max_cost_usd.is_none_or(is_cost) {
            "limits.max_cost_usd: must be a positive number"
        } else {
            return Ok(());
        };
        Err(wrong.into())
    }

    /// The workers it may call. Empty if its delegation settings are invalid.
    pub fn may_call(&self) -> impl Iterator<Item = String> {
        let delegation = self.delegation().into_iter();
        delegation.flat_map(|set| set.allowed_workers)
    }

    /// Its delegation settings. `None` if they are missing or invalid.
    pub(crate) fn delegation(&self) -> Option<Delegation> {
        let config = self.toolsets.get(&*delegate::WORKERS.name)?;
        registry::settings(config.clone().unwrap_or_default()).ok()
    }

    /// The module of its own functions. `None` if the settings are invalid.
    pub fn module(&self) -> Option<String> {
        custom::module_of(self.toolsets.get(custom::NAME)?.clone()?)
    }

    /// The skills it may read. Empty if the settings are invalid.
    pub fn may_read(&self) -> Vec<String> {
        let config = self.toolsets.get(&*SKILLS.name).cloned().flatten();
        let allowed = config.and_then(|config| registry::settings::<Allowed>(config).ok());
        allowed.map_or_else(Vec::new, |set| set.allowed)
    }

    /// Whether the worker accepts a model (`provider:model`).
    pub fn fits_model(&self, model: &str) -> bool {
        match &self.compatible_models {
            None => true,
            Some(patterns) => patterns.iter().any(|pattern| matches(pattern, model)),
        }
    }
}

/// Splits YAML and body; pure YAML has no body. `None` for front matter without an end.
pub(crate) fn split(text: &str) -> Option<(&str, &str)> {
    let marked = text.strip_prefix("---\n");
    let Some(rest) = marked.or_else(|| text.strip_prefix("---\r\n")) else {
        return Some((text, ""));
    };
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return Some((&rest[..at], &rest[at + line.len()..]));
        }
        at += line.len();
    }
    None
}

/// Matches the whole text; only `*` is special.
fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else {
        return false;
    };
    let mut last = None;
    for part in parts {
        if let Some(previous) = last.replace(part) {
            match rest.find(previous) {
                Some(at) => rest = &rest[at + previous.len()..],
                None => return false,
            }
        }
    }
    match last {
        Some(part) => rest.ends_with(part),
        None => rest.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alfred_testkit::cases;

    #[test]
    fn both_forms_are_read() {
        let a = WorkerFile::parse("a", "---\nname: a\n---\nDo it.\n").unwrap();
        let b = WorkerFile::parse("b", "name: a\ninstructions: |\n  Do it.\n").unwrap();
        assert_eq!(a.instructions, "Do it.");
        assert_eq!(b.instructions.trim(), "Do it.");
    }

    #[test]
    fn mistakes_are_named() {
        cases::check(include_str!("file_cases.txt"), |text| {
            let error = WorkerFile::parse("w", text).unwrap_err().to_string();
            error.lines().next().unwrap().to_owned()
        });
    }

    #[test]
    fn model_patterns_are_anchored() {
        cases::check(include_str!("pattern_cases.txt"), |case| {
            let [pattern, model] = cases::columns(case);
            matches(pattern, model).to_string()
        });
    }
}
