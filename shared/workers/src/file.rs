//! The worker file (seed 004 §6, annex 3): YAML front matter and the
//! instructions as the body, or pure YAML with `instructions:`. Strict: a field
//! nobody knows is an error that names it.

use alfred_agent::attached::AttachmentPolicy;
use alfred_agent::delegate;
use alfred_core::policy::Setting;
use alfred_core::ports::VirtualPath;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use thiserror::Error;

use crate::models;
use crate::registry::{self, Delegation};
use crate::skills::{Allowed, SKILLS};
use crate::toolsets::custom;

/// A worker as its file describes it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkerFile {
    /// Unique within its program.
    pub name: String,
    /// For people, and for whoever delegates to it.
    #[serde(default)]
    pub description: String,
    /// The system prompt.
    #[serde(default)]
    pub instructions: String,
    /// One answer, or a conversation.
    #[serde(default)]
    pub mode: Mode,
    /// The model that answers it, `provider:model`; unset: its program's, else the deployment's.
    #[serde(default)]
    pub model: Option<String>,
    /// Patterns of `provider:model`, `*` matches anything; unset: any model.
    #[serde(default)]
    pub compatible_models: Option<Vec<String>>,
    /// Its toolsets by name.
    #[serde(default)]
    pub toolsets: BTreeMap<String, Option<Value>>,
    /// Whether it may be started without input.
    #[serde(default)]
    pub allow_empty_input: bool,
    /// Tokens of a chat from which on its older exchanges are shortened.
    #[serde(default = "max_context_tokens")]
    pub max_context_tokens: u64,
    /// How far it may go.
    #[serde(default)]
    pub limits: FileLimits,
    /// Which files of a request it looks at.
    #[serde(default)]
    pub attachment_policy: AttachmentPolicy,
    /// What it sees of its program's files.
    #[serde(default)]
    pub sandbox: FileSandbox,
}

/// Unless a worker says otherwise (annex 3).
fn max_context_tokens() -> u64 {
    8_000
}

/// Execution mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// One answer.
    #[default]
    Single,
    /// A conversation.
    Chat,
}

/// How far a worker may go; what is unset has the loop's default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileLimits {
    /// Model turns.
    pub max_iterations: Option<u32>,
    /// Tokens, all turns together.
    pub max_tokens: Option<u64>,
    /// US dollars, all turns together.
    pub max_cost_usd: Option<f64>,
}

/// What a worker sees of its program's files, and what is asked about them (seed 004 §5.4).
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FileSandbox {
    /// The folder of its caller's view that is its root.
    pub restrict: Option<VirtualPath>,
    /// Whether it only reads; what its caller may not do it can't be let do.
    pub readonly: Option<bool>,
    /// Where the toolset says nothing.
    pub approval: SandboxApproval,
}

/// What is asked about files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SandboxApproval {
    /// About writing one.
    pub write: Option<Setting>,
    /// About deleting one.
    pub delete: Option<Setting>,
}

/// Why a worker file can't be used.
#[derive(Debug, Error)]
pub enum FileError {
    /// The YAML is broken, or a field is missing, unknown or of the wrong type.
    #[error("{path}: {detail}")]
    Yaml {
        /// Which file.
        path: String,
        /// Where and what, with the field's name.
        detail: String,
    },
    /// The front matter has no end.
    #[error("{path}: the front matter starts with `---` and has no closing `---`")]
    Unclosed {
        /// Which file.
        path: String,
    },
    /// Instructions in both places.
    #[error("{path}: instructions stand both in the front matter and in the body; keep one")]
    TwiceInstructed {
        /// Which file.
        path: String,
    },
    /// Instructions in neither.
    #[error("{path}: no instructions; write them as the body, or as `instructions:`")]
    NotInstructed {
        /// Which file.
        path: String,
    },
    /// A value makes no sense.
    #[error("{path}: {field}: {reason}")]
    Value {
        /// Which file.
        path: String,
        /// The field.
        field: &'static str,
        /// What is wrong.
        reason: String,
    },
}

impl WorkerFile {
    /// Reads a worker file. `path` is for error messages.
    ///
    /// # Errors
    /// See `FileError`.
    pub fn parse(path: &str, text: &str) -> Result<Self, FileError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let unclosed = || FileError::Unclosed { path: path.into() };
        let (yaml, body) = split(text).ok_or_else(unclosed)?;
        let mut file: Self = serde_saphyr::from_str(yaml).map_err(|error| FileError::Yaml {
            path: path.into(),
            detail: error.to_string(),
        })?;
        match (file.instructions.trim().is_empty(), body.trim().is_empty()) {
            (false, false) => return Err(FileError::TwiceInstructed { path: path.into() }),
            (true, true) => return Err(FileError::NotInstructed { path: path.into() }),
            (true, false) => file.instructions = body.trim().to_owned(),
            (false, true) => {}
        }
        file.check(path)?;
        Ok(file)
    }

    fn check(&self, path: &str) -> Result<(), FileError> {
        let wrong = |field, reason: &str| {
            Err(FileError::Value {
                path: path.into(),
                field,
                reason: reason.into(),
            })
        };
        if self.name.trim().is_empty() {
            return wrong("name", "must not be empty");
        }
        if let Some(Err(reason)) = self.model.as_deref().map(models::is_name) {
            return wrong("model", &reason);
        }
        if self.compatible_models.as_ref().is_some_and(Vec::is_empty) {
            return wrong(
                "compatible_models",
                "is empty, so no model would fit; leave it out for any",
            );
        }
        if self.max_context_tokens == 0 {
            return wrong("max_context_tokens", "must be at least 1");
        }
        if self.limits.max_iterations == Some(0) {
            return wrong("limits.max_iterations", "must be at least 1");
        }
        let sane_cost = |cost: f64| cost.is_finite() && cost > 0.0;
        if !self.limits.max_cost_usd.is_none_or(sane_cost) {
            return wrong("limits.max_cost_usd", "must be a positive number");
        }
        Ok(())
    }

    /// The workers it may call, as far as its file can be understood.
    pub fn may_call(&self) -> impl Iterator<Item = String> {
        let delegation = self.delegation().into_iter();
        delegation.flat_map(|set| set.allowed_workers)
    }

    /// What it says about delegation, as far as that can be understood.
    pub(crate) fn delegation(&self) -> Option<Delegation> {
        let config = self.toolsets.get(&*delegate::WORKERS.name)?;
        registry::settings(config.clone().unwrap_or_default()).ok()
    }

    /// The module of its own functions, as far as its file can be understood.
    pub fn module(&self) -> Option<String> {
        custom::module_of(self.toolsets.get(custom::NAME)?.clone()?)
    }

    /// The skills it may read, as far as its file can be understood.
    pub fn may_read(&self) -> Vec<String> {
        let config = self.toolsets.get(&*SKILLS.name).cloned().flatten();
        let allowed = config.and_then(|config| registry::settings::<Allowed>(config).ok());
        allowed.map_or_else(Vec::new, |set| set.allowed)
    }

    /// Whether a model (`provider:model`) fits this worker.
    pub fn fits_model(&self, model: &str) -> bool {
        match &self.compatible_models {
            None => true,
            Some(patterns) => patterns.iter().any(|pattern| matches(pattern, model)),
        }
    }
}

/// The YAML and the body, which pure YAML has none of; `None` for front matter without an end.
pub(crate) fn split(text: &str) -> Option<(&str, &str)> {
    let Some(rest) = text
        .strip_prefix("---\n")
        .or_else(|| text.strip_prefix("---\r\n"))
    else {
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

/// Anchored match in which only `*` is special.
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

    #[test]
    fn both_forms_are_read() {
        let a = WorkerFile::parse("a", "---\nname: a\n---\nDo it.\n").unwrap();
        let b = WorkerFile::parse("b", "name: a\ninstructions: |\n  Do it.\n").unwrap();
        assert_eq!(a.instructions, "Do it.");
        assert_eq!(b.instructions.trim(), "Do it.");
    }

    #[test]
    fn mistakes_are_named() {
        let error = |text: &str| WorkerFile::parse("x.worker", text).unwrap_err().to_string();
        assert!(error("---\nname: a\ncolour: red\n---\nhi").contains("colour"));
        assert!(error("---\ninstructions: x\n---\n").contains("name"));
        assert!(error("---\nname: a\ninstructions: x\n---\ny").contains("both"));
        assert!(error("---\nname: a\n---\n").contains("no instructions"));
        assert!(error("---\nname: a\n").contains("closing"));
        assert!(
            error("name: a\ninstructions: x\ncompatible_models: []").contains("compatible_models")
        );
        for (sandbox, wrong) in [
            ("{restrict: notes}", "must begin with /"),
            ("{restrict: /../x}", "leads out of the root"),
            ("{root: /a}", "root"),
            ("{approval: {read: ask}}", "read"),
            ("{approval: {write: maybe}}", "maybe"),
        ] {
            let said = error(&format!("name: a\ninstructions: x\nsandbox: {sandbox}"));
            assert!(said.contains(wrong), "{sandbox}: {said}");
        }
        assert!(
            error("name: a\ninstructions: x\nlimits: {max_iterations: 0}")
                .contains("max_iterations")
        );
        assert!(error("name: a\ninstructions: x\nmax_context_tokens: 0").contains("at least 1"));
    }

    #[test]
    fn model_patterns_are_anchored() {
        let file = |pattern: &str| {
            WorkerFile::parse(
                "x",
                &format!("name: a\ninstructions: x\ncompatible_models: [\"{pattern}\"]"),
            )
            .unwrap()
        };
        assert!(file("anthropic:*").fits_model("anthropic:claude"));
        assert!(!file("anthropic:*").fits_model("x-anthropic:claude"));
        assert!(file("*:gpt-*-mini").fits_model("openai:gpt-5-mini"));
        assert!(!file("*:gpt-*-mini").fits_model("openai:gpt-5-mini-2"));
        assert!(!file("openai:gpt").fits_model("openai:gpt-5"));
    }
}
