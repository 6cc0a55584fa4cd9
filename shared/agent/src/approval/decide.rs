//! Deciding: not found → already resolved → expired → not the owner; then the
//! claim of the row and the resumption of the run, in one commit.

use alfred_core::ports::{Commit, StoreError, Write};
use alfred_core::{ApprovalId, Failure, Taint, TeamId, UserId, keys};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::park::load;
use super::{Approval, Status, Verdict, memory_key, pending};
use crate::dispatch;
use crate::journal::{CommitError, LoadedRun};
use crate::ports::Ports;
use crate::run::{Run, RunState};
use crate::step::StepKind;
use crate::timer::{self, Timer};

/// How long a decision is remembered (annex 3).
const REMEMBERED: SignedDuration = SignedDuration::from_hours(12);
/// Times a lost race is tried again.
const MAX_CONFLICT_RETRIES: u32 = 40;

/// A decision somebody makes.
#[derive(Clone, Debug)]
pub struct Decision {
    /// The workspace they are in.
    pub team: TeamId,
    /// Who; nobody where time is over.
    pub by: Option<UserId>,
    /// About what.
    pub approval: ApprovalId,
    /// As they saw it.
    pub revision: u32,
    /// What they decide.
    pub verdict: Verdict,
    /// The arguments as they want them, with `Verdict::Edit`.
    pub arguments: Option<Value>,
    /// What they say about it.
    pub note: Option<String>,
    /// What delivered it: the same again repeats only what follows.
    pub trigger: String,
    /// What the run that decides has read; nothing where the person does it themselves.
    pub taint: Taint,
}

impl Decision {
    /// What the words were made from that it brings into the run of an approval; a bare verdict brings none.
    fn brings(&self, approval: &Approval, verdict: Verdict) -> Taint {
        let edited = |arguments: &Value| *arguments != approval.payload;
        let words = verdict == Verdict::Edit && self.arguments.as_ref().is_some_and(edited);
        match words || self.note.is_some() {
            true => self.taint.clone(),
            false => Taint::default(),
        }
    }
}

/// What became of it.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// It counts, and the run goes on.
    Decided(Box<Approval>),
    /// It counted when it was first delivered.
    Again(Box<Approval>),
    /// There is no such approval here.
    NotFound,
    /// It was decided before, or replaced by an edit.
    Already(Box<Approval>),
    /// Time was over, and this is when it was noticed.
    Expired(Box<Approval>),
    /// Only its owner may.
    NotOwner,
}

/// Decides, once.
///
/// # Errors
/// When the store or the queue doesn't answer.
pub async fn decide(ports: &Ports, decision: &Decision) -> Result<Outcome, Failure> {
    for _ in 0..MAX_CONFLICT_RETRIES {
        let Some((approval, version)) =
            load(&*ports.store, &decision.team, &decision.approval).await?
        else {
            return Ok(Outcome::NotFound);
        };
        let now = ports.clock.now();
        let outcome = check(&approval, decision, now);
        let verdict = match outcome {
            Check::May => decision.verdict,
            Check::Expires => Verdict::Expire,
            Check::Again => {
                continue_run(ports, &approval).await?;
                return Ok(Outcome::Again(Box::new(approval)));
            }
            Check::Already => return Ok(Outcome::Already(Box::new(approval))),
            Check::NotOwner => return Ok(Outcome::NotOwner),
        };
        match claim(ports, approval, version, decision, verdict, now).await? {
            Some(approval) if outcome == Check::Expires => {
                return Ok(Outcome::Expired(Box::new(approval)));
            }
            Some(approval) => return Ok(Outcome::Decided(Box::new(approval))),
            None => {}
        }
    }
    Err(Failure::retry("the approval is contended"))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Check {
    May,
    Expires,
    Again,
    Already,
    NotOwner,
}

fn check(approval: &Approval, decision: &Decision, now: Timestamp) -> Check {
    if approval.status != Status::Pending || approval.revision != decision.revision {
        let same = approval.resolved_trigger.as_deref() == Some(decision.trigger.as_str())
            && approval.resolved_by == decision.by;
        return if same { Check::Again } else { Check::Already };
    }
    if now >= approval.expires_at {
        return Check::Expires;
    }
    if decision.by.as_ref() != Some(&approval.owner) {
        return Check::NotOwner;
    }
    if decision.verdict.answers(approval.question) && decision.verdict != Verdict::Expire {
        Check::May
    } else {
        Check::Already
    }
}

/// Claims the row and resumes the run in one commit; `None` when the race was lost.
async fn claim(
    ports: &Ports,
    mut approval: Approval,
    version: u64,
    decision: &Decision,
    verdict: Verdict,
    now: Timestamp,
) -> Result<Option<Approval>, Failure> {
    let verdict = match verdict {
        // What must be asked each time is approved this once.
        Verdict::Remember if !approval.can_be_remembered() => Verdict::Approve,
        other => other,
    };
    let run = ports.journal().load(&approval.team, &approval.run).await?;
    let Some(mut loaded) = run else {
        return Err(Failure::bug(format!(
            "run {} of an approval is missing",
            approval.run
        )));
    };
    let ended = loaded.run.output().is_some();
    approval.status = if ended {
        Status::Error
    } else {
        verdict.status()
    };
    approval.resolved_at = Some(now);
    approval.resolved_by = decision.by.clone().filter(|_| verdict != Verdict::Expire);
    approval.resolved_trigger = Some(decision.trigger.clone());
    approval.note.clone_from(&decision.note);
    let beside = writes(ports, &approval, version, verdict, now)?;
    let committed = if ended {
        let commit = Commit {
            id: ports.ids.uuid(),
            writes: beside,
        };
        match ports.store.commit(&commit).await {
            Ok(()) => Ok(()),
            Err(StoreError::Conflict { key }) => Err(CommitError::Conflict(key)),
            Err(error) => return Err(error.into()),
        }
    } else {
        resume(
            ports,
            &mut loaded,
            &approval,
            decision,
            verdict,
            beside,
            now,
        )
        .await
    };
    match committed {
        Ok(()) => {
            if !ended {
                let (queue, hops) = (loaded.run.queue(), loaded.hops);
                dispatch::send(ports, &loaded.run, queue, hops, None).await?;
            }
            Ok(Some(approval))
        }
        Err(CommitError::Superseded | CommitError::Conflict(_)) => Ok(None),
        Err(other) => Err(other.into()),
    }
}

async fn resume(
    ports: &Ports,
    loaded: &mut LoadedRun,
    approval: &Approval,
    decision: &Decision,
    verdict: Verdict,
    mut beside: Vec<Write>,
    now: Timestamp,
) -> Result<(), CommitError> {
    let step = StepKind::Decided {
        call_id: approval.call_id.clone(),
        approval: approval.id.clone(),
        revision: approval.revision,
        verdict,
        digest: approval.digest.clone(),
        arguments: decision
            .arguments
            .clone()
            .filter(|_| verdict == Verdict::Edit)
            .unwrap_or_else(|| approval.payload.clone()),
        note: decision.note.clone(),
        taint: decision.brings(approval, verdict),
    };
    let (watch_at, watch) = timer::watch_again(&loaded.run, now)?;
    let sleeps = matches!(loaded.run.state, RunState::Asking { .. });
    if sleeps {
        beside.push(watch);
    }
    if verdict == Verdict::Expire {
        // Its timer goes with this commit: nothing else would repeat the sending behind it.
        beside.push(timer::arm(
            now,
            &Timer::wake(&loaded.run.team, &loaded.run.id),
        )?);
    }
    let wake = move |run: &mut Run| {
        if sleeps {
            run.state = RunState::Ready;
            run.watch_at = watch_at;
        }
    };
    ports
        .journal()
        .commit(loaded, vec![(0, step)], beside, wake)
        .await
}

fn writes(
    ports: &Ports,
    approval: &Approval,
    version: u64,
    verdict: Verdict,
    now: Timestamp,
) -> Result<Vec<Write>, Failure> {
    let mut writes = pending::closed(ports, approval, version, now)?;
    if verdict == Verdict::Remember {
        let memory = memory_key(&approval.action_type, &approval.payload)?;
        let key = keys::remembered(&approval.team, &approval.owner, &approval.session, &memory);
        let until = now.saturating_add(REMEMBERED).map_err(Failure::bug)?;
        let entry = json!({ "tool": approval.action_type, "approval": approval.id });
        writes.push(Write::put(key, None, entry).expiring(until));
    }
    Ok(writes)
}

/// Sends the run of a decision again: the one before may have died between commit and send.
async fn continue_run(ports: &Ports, approval: &Approval) -> Result<(), Failure> {
    let Some(loaded) = ports.journal().load(&approval.team, &approval.run).await? else {
        return Ok(());
    };
    if loaded.run.state == RunState::Ready {
        dispatch::send(ports, &loaded.run, loaded.run.queue(), loaded.hops, None).await?;
    }
    Ok(())
}

/// Ends an approval whose time is over, if nobody decided it; what has expired, now or before.
///
/// # Errors
/// When the store or the queue doesn't answer.
pub async fn expire(
    ports: &Ports,
    team: &TeamId,
    id: &ApprovalId,
) -> Result<Option<Approval>, Failure> {
    let Some((approval, _)) = load(&*ports.store, team, id).await? else {
        return Ok(None);
    };
    match approval.status {
        Status::Expired => return Ok(Some(approval)),
        Status::Pending if ports.clock.now() >= approval.expires_at => {}
        Status::Pending | Status::Approved | Status::Rejected | Status::Edited | Status::Error => {
            return Ok(None);
        }
    }
    let decision = Decision {
        team: team.clone(),
        by: None,
        approval: id.clone(),
        revision: approval.revision,
        verdict: Verdict::Expire,
        arguments: None,
        note: None,
        trigger: format!("expiry:{id}:{}", approval.revision),
        taint: Taint::default(),
    };
    match decide(ports, &decision).await? {
        Outcome::Expired(approval) => Ok(Some(*approval)),
        Outcome::Decided(_)
        | Outcome::Again(_)
        | Outcome::NotFound
        | Outcome::Already(_)
        | Outcome::NotOwner => Ok(None),
    }
}
