//! Which toolsets a model is shown: those its request was found to need, and those it opened since.
//! This saves tokens and guards nothing: a call of any other tool of the agent goes its usual way.

use serde_json::Value;
use std::collections::BTreeSet;

use crate::run::Run;
use crate::step::StepKind;
use crate::tool::ToolDef;

/// The tool with which a model opens another toolset. Its result names in `opened` which.
pub const OPEN_TOOL: &str = "toolset_open";

/// The toolset in which open proposals are changed and called off.
const PROPOSALS: &str = "system";
/// The toolset in which what waits is looked at.
const WAITING: &str = "approval";

/// Whether a step opened toolsets.
pub(crate) fn opens(did: &StepKind) -> bool {
    matches!(did, StepKind::ToolResult { name, .. } if name == OPEN_TOOL)
}

/// The names in the result of such a step.
fn opened_by(did: &StepKind) -> impl Iterator<Item = &str> {
    let opened = match did {
        StepKind::ToolResult { output, .. } => output["opened"].as_array(),
        _ => None,
    };
    opened.into_iter().flatten().filter_map(Value::as_str)
}

/// The toolsets that are open in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Toolsets {
    /// Every one; nothing is left to open.
    All,
    /// These.
    Only(BTreeSet<String>),
}

impl Toolsets {
    /// Those of a run after these steps.
    pub fn after<'a>(run: &Run, steps: impl Iterator<Item = &'a StepKind>) -> Self {
        let mut open = Self::All;
        for did in steps {
            match (did, &mut open) {
                (StepKind::Classified(found), _) => {
                    if let Some(named) = &found.toolsets {
                        let waiting = run.waiting.iter();
                        let about = waiting.map(|one| match one.proposal {
                            true => PROPOSALS.to_owned(),
                            false => WAITING.to_owned(),
                        });
                        open = Self::Only(named.iter().cloned().chain(about).collect());
                    }
                }
                (_, Self::Only(names)) if opens(did) => {
                    names.extend(opened_by(did).map(str::to_owned));
                }
                _ => {}
            }
        }
        open
    }

    /// What is left of them for a model that takes less: those it opened last.
    pub fn opened_last<'a>(steps: impl Iterator<Item = &'a StepKind>) -> Self {
        let last = steps.filter(|did| opens(did)).last();
        let names = last.into_iter().flat_map(opened_by);
        Self::Only(names.map(str::to_owned).collect())
    }

    /// Whether a tool is shown.
    pub fn shows(&self, tool: &ToolDef) -> bool {
        match self {
            Self::All => tool.name != OPEN_TOOL,
            Self::Only(names) => tool.name == OPEN_TOOL || names.contains(&*tool.toolset.name),
        }
    }
}
