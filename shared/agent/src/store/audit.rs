//! The audit trail: who did what for whom, with which decision and outcome. Each entry is written
//! in the commit of its step and holds the hash of the run's previous entry. It never contains
//! message bodies or secrets.

use alfred_core::digest::{canonical_json, sha256_hex};
use alfred_core::ports::Write;
use alfred_core::{Failure, RunId, TeamId, TraceId, UserId, keys};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::history::{self, frame};
use crate::model::approval::{Reason, Verdict};
use crate::model::run::{Head, Run, RunState};
use crate::model::step::{Decided, Step, StepKind, Unclear};
use crate::store::row::body;
use crate::tool::whole_of;

/// Version of the entries that this release writes.
pub const AUDIT_VERSION: u8 = 1;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    pub v: u8,
    /// Starts at 1 in each run.
    pub seq: u32,
    pub run: RunId,
    /// Id of the request across all functions.
    pub trace_id: TraceId,
    pub team: TeamId,
    /// The actor: a worker, the owner's id, or `time`.
    pub who: String,
    pub for_whom: UserId,
    /// A tool's name, or `approval.asked`, `approval.decided`, `effect.begun`, `effect.not_reached`, `reply`.
    pub what: String,
    /// The object: a place, a provider's id, a file, an approval, or a search query.
    pub resource: String,
    /// The decision that allowed or refused it.
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
    pub fn computed_hash(&self) -> Result<String, Failure> {
        hash(&Self {
            hash: String::new(),
            ..self.clone()
        })
    }
}

/// The hash of an entry whose field `hash` is empty.
fn hash(bare: &Entry) -> Result<String, Failure> {
    let text = canonical_json(bare).map_err(Failure::bug)?;
    Ok(sha256_hex(text.as_bytes()))
}

/// Writes for the audit entries of all steps after the first `saved`, and of the run's end if it ends now. Moves
/// the run's audit head.
pub fn record<'a>(
    run: &mut Run,
    all: impl DoubleEndedIterator<Item = &'a Step> + Clone,
    saved: usize,
    was: &RunState,
    keep: SignedDuration,
) -> Result<Vec<Write>, Failure> {
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
        seq: 0,
        run: run.id.clone(),
        trace_id: run.trace_id.clone(),
        team: run.team.clone(),
        who,
        for_whom: run.user.clone(),
        what: what.to_owned(),
        resource: String::new(),
        decision: None,
        success: true,
        error_type: None,
        digest: None,
        at,
        before: String::new(),
        hash: String::new(),
    }
}

fn of_step<'a>(
    run: &Run,
    all: impl DoubleEndedIterator<Item = &'a Step> + Clone,
    step: &Step,
) -> Option<Entry> {
    let worker = || acting(run, all.clone(), step);
    let tool = |id: &str| frame::call(all.clone(), id).map(|(_, call)| call.name.clone());
    match &step.did {
        StepKind::Asked(asked) => Some(Entry {
            resource: asked.approval.0.clone(),
            decision: Some(Decision::Asked {
                reasons: asked.reasons.clone(),
            }),
            digest: Some(asked.digest.clone()),
            ..blank(run, worker(), "approval.asked", step.at)
        }),
        StepKind::Decided(Decided {
            approval,
            digest,
            verdict,
            ..
        }) => Some(Entry {
            resource: approval.0.clone(),
            decision: Some(Decision::Decided { verdict: *verdict }),
            digest: Some(digest.clone()),
            ..blank(run, decider(run, *verdict), "approval.decided", step.at)
        }),
        StepKind::Intent { call_id, .. } => Some(Entry {
            resource: tool(call_id)?,
            ..blank(run, worker(), "effect.begun", step.at)
        }),
        StepKind::NotReached { call_id, .. } => Some(Entry {
            resource: tool(call_id)?,
            success: false,
            error_type: Some("not_reached".to_owned()),
            ..blank(run, worker(), "effect.not_reached", step.at)
        }),
        StepKind::ToolResult(result) => {
            let (ok, unclear) = (result.ok, result.unclear);
            let decided = history::decided(all.clone(), whole_of(&result.call_id));
            let resource = result.receipt.as_ref().map(|receipt| {
                let id = receipt.provider_id.clone().unwrap_or_default();
                format!("{} {id}", receipt.place).trim().to_owned()
            });
            let resource = resource.filter(|resource| !resource.is_empty());
            Some(Entry {
                resource: resource.or(result.about.clone()).unwrap_or_default(),
                decision: Some(match (unclear, decided) {
                    (Some(Unclear::Forbidden), _) => Decision::Forbidden,
                    (_, Some(decided)) => Decision::Decided {
                        verdict: decided.verdict,
                    },
                    (_, None) => Decision::NotNeeded,
                }),
                success: ok,
                error_type: (!ok).then(|| match &result.error_type {
                    Some(kind) => kind.clone(),
                    None => error_type(unclear).to_owned(),
                }),
                digest: decided.map(|decided| decided.digest.clone()),
                ..blank(run, worker(), &result.name, step.at)
            })
        }
        StepKind::Classified(_)
        | StepKind::Context { .. }
        | StepKind::Attached { .. }
        | StepKind::Turn(_)
        | StepKind::Compacted { .. }
        | StepKind::Planned(_) => None,
    }
}

/// The actor of a step: the run's worker, followed by delegated workers, outermost first.
fn acting<'a>(run: &Run, all: impl Iterator<Item = &'a Step> + Clone, step: &Step) -> String {
    // The run's own loop posts the cards, so the frame comes from the call.
    let asked = step.asked();
    let frame = asked.and_then(|asked| Some(frame::call(all.clone(), &asked.call_id)?.0));
    let called = frame::workers(all, frame.unwrap_or(&step.frame));
    let path = [run.input.worker()].into_iter().chain(called);
    path.collect::<Vec<_>>().join("/")
}

/// The `reply` entry of a run that ends now.
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

fn decider(run: &Run, verdict: Verdict) -> String {
    if verdict == Verdict::Expire {
        "time".into()
    } else {
        run.user.0.clone()
    }
}

fn error_type(unclear: Option<Unclear>) -> &'static str {
    match unclear {
        None => "failed",
        Some(Unclear::Rejected) => "rejected",
        Some(Unclear::CalledOff) => "called_off",
        Some(Unclear::Expired) => "expired",
        Some(Unclear::Forbidden) => "forbidden",
        Some(Unclear::Drifted) => "drifted",
        Some(Unclear::Unknown) => "unknown",
    }
}
