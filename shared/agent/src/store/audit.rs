//! The audit trail: who did what for whom, with which decision and outcome. Each entry is written
//! in the commit of its step. It never contains message bodies or secrets.

use alfred_core::digest::sha256_hex;
use alfred_core::ports::Write;
use alfred_core::{Failure, Result, RunId, TeamId, TraceId, UserId, keys};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::history::{self, frame};
use crate::model::{Head, Reason, Run, RunState, Step, StepKind, Unclear, Verdict};
use crate::store::row::body;
use crate::tool::whole_of;

pub const AUDIT_VERSION: u8 = 1;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    pub v: u8,
    pub seq: u32,
    pub run: RunId,
    pub trace_id: TraceId,
    pub team: TeamId,
    /// A worker, the owner's id, or `time`.
    pub who: String,
    pub for_whom: UserId,
    /// A tool's name, or `approval.asked`, `approval.decided`, `effect.begun`, `effect.not_reached`, `reply`.
    pub what: String,
    /// A place, a provider's id, a file, an approval, or a search query.
    pub resource: String,
    pub decision: Option<Decision>,
    pub success: bool,
    pub error_type: Option<String>,
    pub digest: Option<String>,
    pub at: Timestamp,
    /// Hash of the previous entry; empty in the first.
    pub before: String,
    /// SHA-256 in lower-case hex of this entry's canonical JSON (RFC 8785) without this field.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub hash: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "was", rename_all = "snake_case")]
pub enum Decision {
    NotNeeded,
    Asked { reasons: Vec<Reason> },
    Decided { verdict: Verdict },
    Forbidden,
}

impl Entry {
    pub fn computed_hash(&self) -> Result<String> {
        let mut bare = self.clone();
        bare.hash.clear();
        hash(&bare)
    }
}

/// The hash of an entry whose field `hash` is empty. Without floats and with ASCII names, the sorted objects of
/// `serde_json` are canonical, in a tenth of the canonicalizer's time.
fn hash(bare: &Entry) -> Result<String> {
    let sorted = serde_json::to_value(bare).map_err(Failure::bug)?;
    Ok(sha256_hex(sorted.to_string().as_bytes()))
}

/// Writes for the audit entries of all steps after the first `saved`, and of the run's end if it ends now. Moves
/// the run's audit head.
pub fn record<'a>(
    run: &mut Run,
    all: impl DoubleEndedIterator<Item = &'a Step> + Clone,
    saved: usize,
    was: &RunState,
    keep: SignedDuration,
) -> Result<Vec<Write>> {
    let now = run.updated_at;
    let entry = |step| of_step(run, all.clone(), step);
    let mut entries: Vec<Entry> = all.clone().skip(saved).filter_map(entry).collect();
    entries.extend(of_end(run, was, now));
    let mut writes = Vec::with_capacity(entries.len() + 1);
    let parks = !matches!(run.state, RunState::Ready | RunState::Queued);
    let any = !entries.is_empty();
    for mut entry in entries {
        entry.seq = run.progress.audit.count + 1;
        entry.before.clone_from(&run.progress.audit.hash);
        entry.hash = hash(&entry)?;
        run.progress.audit = Head {
            count: entry.seq,
            hash: entry.hash.clone(),
        };
        let key = keys::audit(&run.team, &run.id, entry.seq);
        writes.push(Write::create(key, body(&entry)?).kept(now, keep));
    }
    if any && parks {
        let key = keys::audit_head(&run.team, now, &run.id, run.progress.audit.count);
        writes.push(Write::create(key, body(&run.progress.audit)?).kept(now, keep));
    }
    Ok(writes)
}

fn blank(run: &Run, who: String, what: &str, at: Timestamp) -> Entry {
    Entry {
        v: AUDIT_VERSION,
        run: run.id.clone(),
        trace_id: run.trace_id.clone(),
        team: run.team.clone(),
        who,
        for_whom: run.user.clone(),
        what: what.to_owned(),
        success: true,
        at,
        ..Entry::default()
    }
}

fn of_step<'a>(
    run: &Run,
    all: impl DoubleEndedIterator<Item = &'a Step> + Clone,
    step: &Step,
) -> Option<Entry> {
    let what = match &step.did {
        StepKind::Asked(_) => "approval.asked",
        StepKind::Decided(_) => "approval.decided",
        StepKind::Intent { .. } => "effect.begun",
        StepKind::NotReached { .. } => "effect.not_reached",
        StepKind::ToolResult(result) => &result.name,
        _ => return None,
    };
    let mut entry = blank(run, acting(run, all.clone(), step), what, step.at);
    let tool = |id: &str| frame::call(all.clone(), id).map(|(_, call)| call.name.clone());
    match &step.did {
        StepKind::Asked(asked) => {
            entry.resource = asked.approval.0.clone();
            let reasons = asked.reasons.clone();
            entry.decision = Some(Decision::Asked { reasons });
            entry.digest = Some(asked.digest.clone());
        }
        StepKind::Decided(decided) => {
            let verdict = decided.verdict;
            entry.who = match verdict {
                Verdict::Expire => "time".to_owned(),
                _ => run.user.0.clone(),
            };
            entry.resource = decided.approval.0.clone();
            entry.decision = Some(Decision::Decided { verdict });
            entry.digest = Some(decided.digest.clone());
        }
        StepKind::Intent { call_id, .. } => entry.resource = tool(call_id)?,
        StepKind::NotReached { call_id, .. } => {
            entry.resource = tool(call_id)?;
            entry.success = false;
            entry.error_type = Some("not_reached".to_owned());
        }
        StepKind::ToolResult(result) => {
            let unclear = result.unclear;
            let decided = history::decided(all.clone(), whole_of(&result.call_id));
            let place = result.receipt.as_ref().map(|receipt| {
                let id = receipt.provider_id.clone().unwrap_or_default();
                format!("{} {id}", receipt.place).trim().to_owned()
            });
            let place = place.filter(|place| !place.is_empty());
            let kind = || match &result.error_type {
                Some(kind) => kind.clone(),
                None => json!(unclear).as_str().unwrap_or("failed").to_owned(),
            };
            entry.resource = place.or(result.about.clone()).unwrap_or_default();
            entry.decision = Some(match (unclear, decided.map(|decided| decided.verdict)) {
                (Some(Unclear::Forbidden), _) => Decision::Forbidden,
                (_, Some(verdict)) => Decision::Decided { verdict },
                (_, None) => Decision::NotNeeded,
            });
            entry.success = result.ok;
            entry.error_type = (!result.ok).then(kind);
            entry.digest = decided.map(|decided| decided.digest.clone());
        }
        _ => {}
    }
    Some(entry)
}

/// The run's worker, followed by delegated workers, outermost first.
fn acting<'a>(run: &Run, all: impl Iterator<Item = &'a Step> + Clone, step: &Step) -> String {
    // The run's own loop posts the cards, so the frame comes from the call.
    let asked = step.asked();
    let frame = asked.and_then(|asked| Some(frame::call(all.clone(), &asked.call_id)?.0));
    let called = frame::workers(all, frame.unwrap_or(&step.frame));
    let path = [run.input.worker()].into_iter().chain(called);
    path.collect::<Vec<_>>().join("/")
}

fn of_end(run: &Run, was: &RunState, now: Timestamp) -> Option<Entry> {
    let had_one = matches!(was, RunState::Replying { .. } | RunState::Done { .. });
    let output = run.output().filter(|_| !had_one)?;
    let slack = run.input.slack();
    Some(Entry {
        resource: slack.channel_id.0.clone(),
        success: output.success,
        error_type: (!output.success).then(|| "failed".to_owned()),
        ..blank(run, run.input.worker().to_owned(), "reply", now)
    })
}
