use alfred_core::Role;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

use crate::model::{Effect, Flow};

/// A group of related tools. A worker file names the group rather than each tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toolset {
    pub name: Cow<'static, str>,
    pub purpose: Cow<'static, str>,
    /// The Slack status while a tool works: "is looking at your tasks…".
    pub status: Cow<'static, str>,
    /// What a role too low may not do: "Changing tasks".
    pub changing: Cow<'static, str>,
    /// What that role may do instead, after "I can": "list your tasks".
    pub instead: Cow<'static, str>,
}

impl Toolset {
    pub const fn new(
        name: &'static str,
        purpose: &'static str,
        status: &'static str,
        changing: &'static str,
        instead: &'static str,
    ) -> Self {
        Self {
            name: Cow::Borrowed(name),
            purpose: Cow::Borrowed(purpose),
            status: Cow::Borrowed(status),
            changing: Cow::Borrowed(changing),
            instead: Cow::Borrowed(instead),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolDef {
    pub toolset: Toolset,
    /// Unique. Our own tools are named `toolset_verbNoun`.
    pub name: Cow<'static, str>,
    pub description: Cow<'static, str>,
    pub rules: &'static [&'static str],
    pub effect: Effect,
    /// Whether to ask the owner if nothing is configured.
    pub approval: ApprovalDefault,
    pub flow: Flow,
    pub needs: Role,
    /// Whether its undo button doesn't show what would be restored.
    pub blind_undo: bool,
    /// Whether it only adds things, so that no number of calls loses data.
    pub adds: bool,
    /// Whether it changes data at a provider without reaching other people. Its intent is committed first.
    pub behind_intent: bool,
    /// Arguments that only classify, and so needn't be in the owner's own words.
    pub labels: &'static [&'static str],
    /// Switches that only narrow a proposal, and so needn't be in the owner's own words beside other wishes of theirs.
    pub narrowing: &'static [&'static str],
    /// Arguments that are only shown to the owner later. Words of their request in any order are their own.
    pub retold: &'static [&'static str],
    /// Whole requests that mean this call without arguments, between `|`.
    pub phrases: &'static str,
    pub opens: bool,
    /// Whether it hands a request to another worker.
    pub delegates: bool,
    /// Whether other people wrote its description. Then every run that sees it is tainted.
    pub described_by_others: bool,
    /// Arguments that the audit entry keeps.
    pub audited: &'static [&'static str],
}

impl ToolDef {
    /// A tool that only reads and that everybody may use, with private and untrusted results.
    pub fn new(
        toolset: Toolset,
        name: impl Into<Cow<'static, str>>,
        description: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self {
            toolset,
            name: name.into(),
            description: description.into(),
            rules: &[],
            effect: Effect::Read,
            approval: ApprovalDefault::Free,
            flow: Flow::UNKNOWN,
            needs: Role::Guest,
            blind_undo: false,
            adds: false,
            behind_intent: false,
            labels: &[],
            narrowing: &[],
            retold: &[],
            phrases: "",
            opens: false,
            delegates: false,
            described_by_others: false,
            audited: &[],
        }
    }

    pub fn rules(mut self, rules: &'static [&'static str]) -> Self {
        self.rules = rules;
        self
    }

    /// Sets the effect. The tool then needs a member, and an outward or destructive effect asks for approval.
    pub fn effect(mut self, effect: Effect) -> Self {
        self.effect = effect;
        self.needs = Role::Member;
        self.approval = match effect {
            Effect::Read | Effect::ReversibleWrite => ApprovalDefault::Free,
            Effect::Outward | Effect::Destructive => ApprovalDefault::Ask,
        };
        self
    }

    pub fn approval(mut self, approval: ApprovalDefault) -> Self {
        self.approval = approval;
        self
    }

    /// Sets another field: `.with(|def| def.adds = true)`.
    pub fn with(mut self, set: impl FnOnce(&mut Self)) -> Self {
        set(&mut self);
        self
    }

    pub fn flow(mut self, flow: Flow) -> Self {
        self.flow = flow;
        self
    }

    pub fn allows(&self, role: Role) -> bool {
        self.needs == Role::Guest || role == Role::Admin || role == self.needs
    }

    /// Whether its effect or its arguments reach anybody outside.
    pub fn reaches_out(&self) -> bool {
        self.effect == Effect::Outward || self.flow.leaves
    }

    /// Whether it only reads, but sends its arguments to a third party.
    pub fn asks_outside(&self) -> bool {
        self.effect == Effect::Read && self.flow.leaves
    }
}

pub fn rules<'a>(tools: impl IntoIterator<Item = &'a ToolDef>) -> Vec<&'static str> {
    let mut rules = Vec::new();
    for rule in tools.into_iter().flat_map(|tool| tool.rules) {
        if !rules.contains(rule) {
            rules.push(*rule);
        }
    }
    rules
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalDefault {
    Free,
    /// Asks, unless a setting pre-approves it.
    Ask,
    /// Asks each time; no configuration waives it. For e-mail and publishing.
    Always,
}
