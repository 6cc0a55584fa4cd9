//! The gate's pure decision function. Order: blocked, no reason to ask, mode, remembered, ask.

use alfred_core::policy::{Mode, Setting};
use alfred_core::{Role, Taint};

use crate::model::{Effect, Reason, Recipient};
use crate::policy::tool_def::{ApprovalDefault, ToolDef};

/// Changes one tool may make without approval in a tainted run. An owner can review this many under a reply.
pub const UNASKED_CHANGES: usize = 5;
/// A run that was shown earlier messages; what those had read is listed separately. Alone it needs no approval.
const SAID_BEFORE: &str = "memory";
const REQUEST: &str = "request";

#[derive(Clone, Debug)]
pub struct Facts<'a> {
    pub def: &'a ToolDef,
    pub role: Role,
    /// Settings for the tool: general, for the worker, for the owner.
    pub configured: [Option<Setting>; 3],
    pub mode: Mode,
    /// False with the local stand-in for Slack.
    pub real_slack: bool,
    /// Whether the owner approved an identical call in this session with "remember".
    pub remembered: bool,
    /// Taint of the run, including that of its parent runs.
    pub taint: &'a Taint,
    /// Whether the call would send text from a members-only conversation elsewhere.
    pub leaves_members: bool,
    /// Calls of the same tool that changed something in this run, or will in this step.
    pub earlier: usize,
    /// Whether all text of the call appears word for word in the owner's request.
    pub own_words: bool,
    /// Whether the owner typed every address that the call opens, or a tool of this run returned it as a source.
    pub known_addresses: bool,
    pub recipients: &'a [Recipient],
    pub paused: bool,
}

impl<'a> Facts<'a> {
    /// A call with real Slack, without settings, recipients, or anything else in its favour.
    pub fn of(def: &'a ToolDef, role: Role, taint: &'a Taint) -> Self {
        Self {
            def,
            role,
            configured: [None; 3],
            mode: Mode::Interactive,
            real_slack: true,
            remembered: false,
            taint,
            leaves_members: false,
            earlier: 0,
            own_words: false,
            known_addresses: false,
            recipients: &[],
            paused: false,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Requirement {
    Skip,
    NeedsApproval(Vec<Reason>),
    Forbidden(Refusal),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    Role { needs: Role },
    Blocked,
    Paused,
    AutoDenied,
}

pub fn require(facts: &Facts<'_>) -> Requirement {
    if let Some(refusal) = blocked(facts) {
        return Requirement::Forbidden(refusal);
    }
    let mut reasons = reasons(facts);
    if facts.mode == Mode::AutoDeny && !reasons.is_empty() {
        return Requirement::Forbidden(Refusal::AutoDenied);
    }
    if facts.mode == Mode::ApproveAll && !facts.real_slack {
        reasons.retain(Reason::is_hard);
    }
    let waived = facts.remembered && !reasons.iter().any(Reason::is_hard);
    if waived || reasons.is_empty() {
        return Requirement::Skip;
    }
    Requirement::NeedsApproval(reasons)
}

/// The stricter of the administrator's and the owner's mode. The owner's `approve_all` applies neither to calls that an
/// administrator wants asked, nor to tainted runs.
pub fn mode_in_run(
    set: Mode,
    chosen: Mode,
    administrator: &[Option<Setting>],
    taint: &Taint,
) -> Mode {
    let asks = administrator.contains(&Some(Setting::Ask));
    match (set, chosen) {
        (Mode::AutoDeny, _) | (_, Mode::AutoDeny) => Mode::AutoDeny,
        (_, Mode::ApproveAll) if !asks && taint.untrusted.is_empty() => Mode::ApproveAll,
        _ => set,
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

/// All reasons to ask, the hardest last. The strictest setting wins.
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
    // An outward effect asks even if its tool's definition says "free".
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
    // A question in the owner's own words carries out no data that the run has read.
    let theirs = def.asks_outside() && facts.own_words;
    if taint.untrusted.is_empty() {
        let said = |from: &&String| *from != SAID_BEFORE;
        let private: Vec<String> = taint.private.iter().filter(said).cloned().collect();
        let made_up = def.opens && !theirs && !private.is_empty();
        return made_up.then_some(Reason::UnknownAddress { private });
    }
    let untrusted: Vec<String> = taint.untrusted.iter().cloned().collect();
    let members = facts.leaves_members.then(|| "this conversation".to_owned());
    let mut private: Vec<String> = taint.private.iter().cloned().chain(members).collect();
    // Other people's words may have made the model write the owner's request into the address.
    if private.is_empty() && def.opens && !facts.known_addresses {
        private.push(REQUEST.to_owned());
    }
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
