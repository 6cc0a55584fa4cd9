//! The pure function of the gate. Order (annex 3): blocked → not needed → mode → remembered → ask.

use alfred_core::Role;
use alfred_core::policy::{Mode, Setting};
use serde::{Deserialize, Serialize};

use super::Facts;
use crate::tool::{ApprovalDefault, Effect};

/// So many changes by one tool a run that has read other people's words may make unasked: as many as an
/// owner looks at under a reply.
pub const UNASKED_CHANGES: usize = 5;

/// What was said before in a conversation counts as private by itself; what it was made from counts beside it.
const SAID_BEFORE: &str = "memory";

/// What a call needs before it may run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Requirement {
    /// Nothing.
    Skip,
    /// Its owner's approval, for these reasons.
    NeedsApproval(Vec<Reason>),
    /// It may not run.
    Forbidden(Refusal),
}

/// Why an approval is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "because", rename_all = "snake_case")]
pub enum Reason {
    /// It reaches other people.
    Outward,
    /// It can't be undone.
    Destructive,
    /// What it does is always asked, whatever is configured.
    Always,
    /// The tool asks by default.
    ToolAsks,
    /// The configuration says so.
    Configured {
        /// Whether nobody but the worker says it, which the gate isn't told.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        by_worker: bool,
    },
    /// Untrusted words, private data and an outward effect met in one run.
    RuleOfTwo {
        /// Where the untrusted words came from.
        untrusted: Vec<String>,
        /// Where the private data came from.
        private: Vec<String>,
    },
    /// Other people's words may have asked for what can't be taken back, whose undo is blind, which guides later runs, or is one change of many.
    Tainted {
        /// Where they came from.
        untrusted: Vec<String>,
    },
    /// It opens an address that its owner didn't give, in a run that has read private data: the address may hold it.
    UnknownAddress {
        /// Where the private data came from.
        private: Vec<String>,
    },
    /// It goes to somebody the owner didn't name and the workspace doesn't know.
    UnknownRecipient {
        /// Who.
        who: String,
    },
}

impl Reason {
    /// Whether neither `approve_all` nor a remembered decision can answer it.
    pub fn is_hard(&self) -> bool {
        match self {
            Self::Outward
            | Self::Always
            | Self::RuleOfTwo { .. }
            | Self::Tainted { .. }
            | Self::UnknownAddress { .. }
            | Self::UnknownRecipient { .. } => true,
            Self::Destructive | Self::ToolAsks | Self::Configured { .. } => false,
        }
    }
}

/// Why a call may not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "because", rename_all = "snake_case")]
pub enum Refusal {
    /// The owner's role doesn't allow it.
    Role {
        /// The least role that does.
        needs: Role,
    },
    /// The configuration blocks it.
    Blocked,
    /// An administrator has paused all effects.
    Paused,
    /// Approvals are denied here, and this needs one.
    AutoDenied,
}

/// What a call needs.
pub fn require(facts: &Facts<'_>) -> Requirement {
    if let Some(refusal) = blocked(facts) {
        return Requirement::Forbidden(refusal);
    }
    let mut reasons = reasons(facts);
    if reasons.is_empty() {
        return Requirement::Skip;
    }
    match facts.mode {
        Mode::AutoDeny => return Requirement::Forbidden(Refusal::AutoDenied),
        Mode::ApproveAll if !facts.real_slack => reasons.retain(Reason::is_hard),
        Mode::ApproveAll | Mode::Interactive => {}
    }
    if facts.remembered && !reasons.iter().any(Reason::is_hard) {
        return Requirement::Skip;
    }
    if reasons.is_empty() {
        Requirement::Skip
    } else {
        Requirement::NeedsApproval(reasons)
    }
}

fn blocked(facts: &Facts<'_>) -> Option<Refusal> {
    let def = facts.def;
    if !def.allows(facts.role) {
        return Some(Refusal::Role { needs: def.needs });
    }
    if facts.configured.contains(&Some(Setting::Blocked)) {
        return Some(Refusal::Blocked);
    }
    let effect = def.effect != Effect::Read || def.reaches_out();
    (facts.paused && effect).then_some(Refusal::Paused)
}

/// Every reason there is, the hardest last. The strictest setting counts.
fn reasons(facts: &Facts<'_>) -> Vec<Reason> {
    let def = facts.def;
    let mut reasons = Vec::new();
    if facts.configured.contains(&Some(Setting::Ask)) {
        reasons.push(Reason::Configured { by_worker: false });
    }
    let pre_approved = reasons.is_empty() && facts.configured.contains(&Some(Setting::PreApproved));
    match def.approval {
        ApprovalDefault::Always => reasons.push(Reason::Always),
        ApprovalDefault::Ask if !pre_approved => reasons.push(match def.effect {
            Effect::Outward => Reason::Outward,
            Effect::Destructive => Reason::Destructive,
            Effect::Read | Effect::ReversibleWrite => Reason::ToolAsks,
        }),
        ApprovalDefault::Ask | ApprovalDefault::Free => {}
    }
    // An outward effect asks even where its author forgot to say so.
    if def.effect == Effect::Outward && !pre_approved && !reasons.contains(&Reason::Outward) {
        reasons.push(Reason::Outward);
    }
    reasons.extend(of_taint(facts));
    let strangers = facts.recipients.iter().filter(|to| !to.trusted);
    reasons.extend(strangers.map(|to| Reason::UnknownRecipient {
        who: to.who.clone(),
    }));
    reasons
}

fn of_taint(facts: &Facts<'_>) -> Option<Reason> {
    let (def, taint) = (facts.def, facts.taint);
    // What asks outside in its owner's own words takes nothing there that was read.
    let theirs = def.asks_outside() && facts.own_words;
    if taint.untrusted.is_empty() {
        let said = |from: &&String| *from != SAID_BEFORE;
        let private: Vec<String> = taint.private.iter().filter(said).cloned().collect();
        let made_up = def.opens && !theirs && !private.is_empty();
        return made_up.then_some(Reason::UnknownAddress { private });
    }
    let untrusted: Vec<String> = taint.untrusted.iter().cloned().collect();
    let members = facts.leaves_members.then(|| "this conversation".to_owned());
    let private: Vec<String> = taint.private.iter().cloned().chain(members).collect();
    if def.reaches_out() && !theirs && !private.is_empty() {
        return Some(Reason::RuleOfTwo { untrusted, private });
    }
    let changes = def.effect == Effect::ReversibleWrite && !def.adds;
    let many = changes && facts.earlier >= UNASKED_CHANGES;
    let derived = (def.flow.steers || def.blind_undo) && !facts.own_words;
    let lasting = def.effect == Effect::Destructive || derived || many;
    lasting.then_some(Reason::Tainted { untrusted })
}

#[cfg(test)]
#[path = "requirement_tests.rs"]
mod tests;
