//! Decides approvals. A decision is checked in this order: approval exists, still pending, not
//! expired, made by the owner. One commit then updates the approval and resumes the run.

use alfred_core::ports::Write;
use alfred_core::{ApprovalId, Envelope, Failure, Taint, TeamId, UserId, keys};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::approval::pending::{self, load};
use crate::model::approval::{Approval, Status, Verdict, memory_key};
use crate::model::run::{Run, RunState};
use crate::model::step::{Decided, StepKind};
use crate::store::dispatch;
use crate::store::journal::{CommitError, LoadedRun};
use crate::store::ports::Ports;
use crate::store::race::Race;
use crate::store::timer::{self, Timer};

/// How long a remembered decision applies to identical calls in the same session.
const REMEMBERED: SignedDuration = SignedDuration::from_hours(12);

#[derive(Clone, Debug)]
pub struct Decision {
    pub team: TeamId,
    /// `None` when the approval expires.
    pub by: Option<UserId>,
    pub approval: ApprovalId,
    /// The revision the person saw. Older revisions can't be decided.
    pub revision: u32,
    pub verdict: Verdict,
    /// The edited arguments, with `Verdict::Edit`.
    pub arguments: Option<Value>,
    pub note: Option<String>,
    /// Id of the message or click that decides. A redelivery with the same id only repeats the
    /// follow-up work.
    pub trigger: String,
    /// Taint of the run whose model made the decision. Empty if the person decided directly.
    pub taint: Taint,
}

impl Decision {
    /// A verdict without note or edit, made by the sender of a message.
    pub fn by_sender(
        envelope: &Envelope,
        approval: ApprovalId,
        revision: u32,
        verdict: Verdict,
    ) -> Self {
        Self {
            team: envelope.team.clone(),
            by: Some(envelope.user.clone()),
            approval,
            revision,
            verdict,
            arguments: None,
            note: None,
            trigger: envelope.trace_id.0.clone(),
            taint: Taint::default(),
        }
    }

    /// Taint that the decision adds to the approval's run. Only a note or edited arguments carry
    /// text, so a plain verdict adds none.
    fn brings(&self, approval: &Approval, verdict: Verdict) -> Taint {
        let edited = |arguments: &Value| *arguments != approval.payload;
        let edits = verdict == Verdict::Edit && self.arguments.as_ref().is_some_and(edited);
        match edits || self.note.is_some() {
            true => self.taint.clone(),
            false => Taint::default(),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    Decided(Box<Approval>),
    /// A redelivery of the decision that counted; the run was sent again.
    Again(Box<Approval>),
    NotFound,
    /// Decided earlier, or replaced by a newer revision.
    Already(Box<Approval>),
    /// Expired; this call marked it so.
    Expired(Box<Approval>),
    NotOwner,
}

/// Applies a decision at most once, also under concurrent or repeated calls.
pub async fn decide(ports: &Ports, decision: &Decision) -> Result<Outcome, Failure> {
    let mut race = Race::over("the approval");
    loop {
        let stored = load(&*ports.store, &decision.team, &decision.approval).await?;
        let Some((approval, version)) = stored else {
            return Ok(Outcome::NotFound);
        };
        if approval.status != Status::Pending || approval.revision != decision.revision {
            let trigger = approval.resolved_trigger.as_ref();
            if trigger != Some(&decision.trigger) || approval.resolved_by != decision.by {
                return Ok(Outcome::Already(Box::new(approval)));
            }
            continue_run(ports, &approval).await?;
            return Ok(Outcome::Again(Box::new(approval)));
        }
        let now = ports.clock.now();
        let expires = now >= approval.expires_at;
        let verdict = match decision.verdict {
            _ if expires => Verdict::Expire,
            _ if decision.by.as_ref() != Some(&approval.owner) => return Ok(Outcome::NotOwner),
            asked if asked == Verdict::Expire || !asked.answers(approval.question) => {
                return Ok(Outcome::Already(Box::new(approval)));
            }
            // Remembering isn't allowed for this approval, so it is approved once.
            Verdict::Remember if !approval.can_be_remembered() => Verdict::Approve,
            asked => asked,
        };
        let claim = Claim {
            ports,
            decision,
            verdict,
            now,
        };
        match claim.take(approval, version).await? {
            Some(approval) if expires => return Ok(Outcome::Expired(Box::new(approval))),
            Some(approval) => return Ok(Outcome::Decided(Box::new(approval))),
            None => race.lost()?,
        }
    }
}

/// A decision that passed the checks. `verdict` may differ from the requested one.
struct Claim<'a> {
    ports: &'a Ports,
    decision: &'a Decision,
    verdict: Verdict,
    now: Timestamp,
}

impl Claim<'_> {
    /// Updates the approval and resumes the run in one commit. Returns `None` if another commit came first.
    async fn take(
        &self,
        mut approval: Approval,
        version: u64,
    ) -> Result<Option<Approval>, Failure> {
        let (ports, decision, verdict) = (self.ports, self.decision, self.verdict);
        let run = ports.journal().load(&approval.team, &approval.run).await?;
        let mut loaded = run.ok_or_else(|| {
            Failure::bug(format!("run {} of an approval is missing", approval.run))
        })?;
        let ended = loaded.run.output().is_some();
        approval.status = match ended {
            true => Status::Error,
            false => verdict.status(),
        };
        approval.resolved_at = Some(self.now);
        approval.resolved_by = decision.by.clone().filter(|_| verdict != Verdict::Expire);
        approval.resolved_trigger = Some(decision.trigger.clone());
        approval.note.clone_from(&decision.note);
        let writes = self.writes(&approval, version)?;
        let committed = match ended {
            true => ports.commit(writes).await.map_err(CommitError::from),
            false => self.resume(&mut loaded, &approval, writes).await,
        };
        match committed {
            Ok(()) => {}
            Err(CommitError::Superseded | CommitError::Conflict(_)) => return Ok(None),
            Err(other) => return Err(other.into()),
        }
        if !ended {
            dispatch::send(ports, &loaded.run, loaded.run.queue(), loaded.hops, None).await?;
        }
        Ok(Some(approval))
    }

    async fn resume(
        &self,
        loaded: &mut LoadedRun,
        approval: &Approval,
        mut beside: Vec<Write>,
    ) -> Result<(), CommitError> {
        let (decision, verdict) = (self.decision, self.verdict);
        let edited = decision.arguments.as_ref();
        let edited = edited.filter(|_| verdict == Verdict::Edit);
        let step = StepKind::Decided(Decided {
            call_id: approval.call_id.clone(),
            approval: approval.id.clone(),
            revision: approval.revision,
            verdict,
            digest: approval.digest.clone(),
            arguments: edited.unwrap_or(&approval.payload).clone(),
            note: decision.note.clone(),
            taint: decision.brings(approval, verdict),
        });
        let (watch_at, watch) = timer::watch_again(&loaded.run, self.now)?;
        let sleeps = matches!(loaded.run.state, RunState::Asking { .. });
        if sleeps {
            beside.push(watch);
            beside.extend(timer::look_at_parent(&loaded.run, self.now)?);
        }
        if verdict == Verdict::Expire {
            // The expiry timer is deleted by this commit, so a new timer must retry a lost queue send.
            let wake = Timer::wake(&loaded.run.team, &loaded.run.id);
            beside.push(timer::arm(self.now, &wake)?);
        }
        let wake = move |run: &mut Run| {
            if sleeps {
                run.state = RunState::Ready;
                run.watch_at = watch_at;
            }
        };
        let (journal, steps) = (self.ports.journal(), vec![step.into()]);
        journal.commit(loaded, steps, beside, wake).await
    }

    fn writes(&self, approval: &Approval, version: u64) -> Result<Vec<Write>, Failure> {
        let mut writes = pending::closed(self.ports, approval, version, self.now)?;
        if self.verdict == Verdict::Remember {
            let memory = memory_key(&approval.action_type, &approval.payload)?;
            let key = keys::remembered(&approval.team, &approval.owner, &approval.session, &memory);
            let until = self.now.saturating_add(REMEMBERED).map_err(Failure::bug)?;
            let entry = json!({ "tool": approval.action_type, "approval": approval.id });
            writes.push(Write::put(key, None, entry).expiring(until));
        }
        Ok(writes)
    }
}

/// Sends the run to its queue again. The first delivery may have crashed between commit and send.
async fn continue_run(ports: &Ports, approval: &Approval) -> Result<(), Failure> {
    let run = ports.journal().load(&approval.team, &approval.run).await?;
    if let Some(loaded) = run.filter(|loaded| loaded.run.state == RunState::Ready) {
        dispatch::send(ports, &loaded.run, loaded.run.queue(), loaded.hops, None).await?;
    }
    Ok(())
}

/// Expires an overdue pending approval. Returns the approval if it is expired now, whether by this call or
/// earlier.
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
        _ => return Ok(None),
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
        _ => Ok(None),
    }
}
