//! Which toolsets the model is shown. This only saves tokens; calls of other tools work as well.

use serde_json::Value;
use std::collections::BTreeSet;

use crate::model::{Run, StepKind};
use crate::policy::tool_def::ToolDef;

/// Its result field `opened` names the opened ones.
pub const OPEN_TOOL: &str = "toolset_open";

/// To change open proposals. Those of workflows have the fields of their changes.
const PROPOSALS: &[&str] = &["system", "workflow"];
const WAITING: &[&str] = &["approval"];

pub(crate) fn opens(did: &StepKind) -> bool {
    matches!(did, StepKind::ToolResult(result) if result.name == OPEN_TOOL)
}

fn opened_by(did: &StepKind) -> impl Iterator<Item = &str> {
    let opened = match did {
        StepKind::ToolResult(result) => result.output["opened"].as_array(),
        _ => None,
    };
    opened.into_iter().flatten().filter_map(Value::as_str)
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Toolsets {
    All,
    Only(BTreeSet<String>),
}

impl Toolsets {
    pub fn after<'a>(run: &Run, steps: impl Iterator<Item = &'a StepKind>) -> Self {
        let mut open = Self::All;
        for did in steps {
            if let StepKind::Classified(found) = did
                && let Some(named) = &found.toolsets
            {
                let waiting = run.before.waiting.iter();
                let about = waiting.flat_map(|one| if one.proposal { PROPOSALS } else { WAITING });
                let about = about.map(|name| (*name).to_owned());
                open = Self::Only(named.iter().cloned().chain(about).collect());
            } else if let Self::Only(names) = &mut open
                && opens(did)
            {
                names.extend(opened_by(did).map(str::to_owned));
            }
        }
        open
    }

    /// For a shortened request: only the toolsets opened last.
    pub fn opened_last<'a>(steps: impl Iterator<Item = &'a StepKind>) -> Self {
        let last = steps.filter(|did| opens(did)).last();
        let names = last.into_iter().flat_map(opened_by);
        Self::Only(names.map(str::to_owned).collect())
    }

    pub fn shows(&self, tool: &ToolDef) -> bool {
        match self {
            Self::All => tool.name != OPEN_TOOL,
            Self::Only(names) => tool.name == OPEN_TOOL || names.contains(&*tool.toolset.name),
        }
    }
}
