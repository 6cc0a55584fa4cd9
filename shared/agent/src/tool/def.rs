//! What a tool is, apart from its arguments and its work.

use alfred_core::Role;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Tools that belong together, and what is said of all of them. A worker file names them at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toolset {
    /// Unique, lower case.
    pub name: Cow<'static, str>,
    /// What its tools are for, as a model reads it that chooses toolsets.
    pub purpose: Cow<'static, str>,
    /// The status line while one of them works: "is looking at your tasks…".
    pub status: Cow<'static, str>,
    /// What somebody may not do whose role is too low: "Changing tasks".
    pub changing: Cow<'static, str>,
    /// What they may do instead, behind "I can": "list your tasks".
    pub instead: Cow<'static, str>,
}

impl Toolset {
    /// One with fixed words.
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

/// What a tool is, apart from its arguments and its work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolDef {
    /// To what it belongs.
    pub toolset: Toolset,
    /// Unique; of our own tools `toolset_verbNoun`.
    pub name: Cow<'static, str>,
    /// What it is for, as the model reads it.
    pub description: Cow<'static, str>,
    /// Rules for its use that go into the system prompt, one sentence each.
    pub rules: &'static [&'static str],
    /// What it does to the world.
    pub effect: Effect,
    /// Whether its owner is asked where nothing is configured.
    pub approval: ApprovalDefault,
    /// What it brings in, and what it lets out.
    pub flow: Flow,
    /// The least role that may use it.
    pub needs: Role,
    /// Whether it replaces words, or changes several things at once: it can be taken back, but nobody
    /// sees in its undo what was there, and so whether to.
    pub blind_undo: bool,
    /// Whether it only adds: however many of them there are, nothing is gone.
    pub adds: bool,
    /// Whether it changes what is in no store of ours, although it reaches nobody: it is done behind its intent, and
    /// looked for when its result is lost.
    pub behind_intent: bool,
    /// Arguments that only sort what the others say.
    pub labels: &'static [&'static str],
    /// Whether its arguments name who gets them: the address that is opened.
    pub opens: bool,
    /// The arguments that the audit keeps, as what the call was about.
    pub audited: &'static [&'static str],
}

impl ToolDef {
    /// A tool that reads and that everybody may use. What it gives counts as
    /// private and untrusted until its `flow` says otherwise.
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
            opens: false,
            audited: &[],
        }
    }

    /// With rules for its use.
    pub fn rules(mut self, rules: &'static [&'static str]) -> Self {
        self.rules = rules;
        self
    }

    /// With an effect; whatever isn't a read needs a member, and its owner is
    /// asked before what reaches others or can't be undone.
    pub fn effect(mut self, effect: Effect) -> Self {
        self.effect = effect;
        self.needs = Role::Member;
        self.approval = match effect {
            Effect::Read | Effect::ReversibleWrite => ApprovalDefault::Free,
            Effect::Outward | Effect::Destructive => ApprovalDefault::Ask,
        };
        self
    }

    /// With another default of approval.
    pub fn approval(mut self, approval: ApprovalDefault) -> Self {
        self.approval = approval;
        self
    }

    /// With an undo that doesn't show what it brings back.
    pub fn blind_undo(mut self) -> Self {
        self.blind_undo = true;
        self
    }

    /// As one that only adds.
    pub fn adding(mut self) -> Self {
        self.adds = true;
        self
    }

    /// As one that changes what is in no store of ours.
    pub fn behind_intent(mut self) -> Self {
        self.behind_intent = true;
        self
    }

    /// With arguments that only sort what the others say.
    pub fn labels(mut self, labels: &'static [&'static str]) -> Self {
        self.labels = labels;
        self
    }

    /// As one whose arguments name who gets them.
    pub fn opening(mut self) -> Self {
        self.opens = true;
        self
    }

    /// With the arguments that the audit keeps.
    pub fn audited(mut self, arguments: &'static [&'static str]) -> Self {
        self.audited = arguments;
        self
    }

    /// With what it brings in and lets out.
    pub fn flow(mut self, flow: Flow) -> Self {
        self.flow = flow;
        self
    }

    /// Whether somebody of this role may use it.
    pub fn allows(&self, role: Role) -> bool {
        match self.needs {
            Role::Guest => true,
            Role::Member => role != Role::Guest,
            Role::Admin => role == Role::Admin,
        }
    }

    /// Whether what it does, or the arguments it is called with, leaves the owner's own data.
    pub fn reaches_out(&self) -> bool {
        self.effect == Effect::Outward || self.flow.leaves
    }

    /// Whether it only reads, and what it is asked for leaves to a third party.
    pub fn asks_outside(&self) -> bool {
        self.effect == Effect::Read && self.flow.leaves
    }
}

/// The rules of these tools, each once, in their order.
pub fn rules<'a>(tools: impl IntoIterator<Item = &'a ToolDef>) -> Vec<&'static str> {
    let mut rules = Vec::new();
    for rule in tools.into_iter().flat_map(|tool| tool.rules) {
        if !rules.contains(rule) {
            rules.push(*rule);
        }
    }
    rules
}

/// What a tool does to the world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Nothing.
    #[default]
    Read,
    /// Changes the owner's own data, and can be undone.
    ReversibleWrite,
    /// Reaches other people.
    Outward,
    /// Can't be undone.
    Destructive,
}

/// Whether a tool's owner is asked where nothing is configured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalDefault {
    /// Not asked.
    Free,
    /// Asked, unless the tool was approved beforehand.
    Ask,
    /// Always asked, whatever is configured: e-mail and what is published (annex 1, approval guard).
    Always,
}

/// What a tool brings into a run and lets out of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flow {
    /// It gives what only the owner may see.
    pub private: bool,
    /// It gives words of other people or of the web.
    pub untrusted: bool,
    /// Its arguments leave to a third party, although it only reads.
    pub leaves: bool,
    /// What it writes guides later runs, so untrusted words may not get into it unseen.
    pub steers: bool,
}

impl Flow {
    /// Gives nothing of anybody's: the time, a calculation.
    pub const NEUTRAL: Self = Self {
        private: false,
        untrusted: false,
        leaves: false,
        steers: false,
    };
    /// Gives the owner's own data.
    pub const PRIVATE: Self = Self {
        private: true,
        ..Self::NEUTRAL
    };
    /// Gives words of other people that everybody may see.
    pub const FOREIGN: Self = Self {
        untrusted: true,
        ..Self::NEUTRAL
    };
    /// Gives words of other people that only the owner may see; also of a tool nobody has described.
    pub const UNKNOWN: Self = Self {
        private: true,
        untrusted: true,
        ..Self::NEUTRAL
    };

    /// What stored things of the owner bring in: other people's words too, where these may have shaped them.
    pub const fn of_stored(tainted: bool) -> Self {
        if tainted {
            Self::UNKNOWN
        } else {
            Self::PRIVATE
        }
    }

    /// The same; its arguments leave to a third party.
    pub const fn leaving(mut self) -> Self {
        self.leaves = true;
        self
    }

    /// The same; what it writes guides later runs.
    pub const fn steering(mut self) -> Self {
        self.steers = true;
        self
    }
}
