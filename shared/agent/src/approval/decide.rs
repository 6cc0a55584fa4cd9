//! Decides approvals. One commit updates the approval and resumes the run.

use alfred_core::ports::Write;
use alfred_core::{ApprovalId, Envelope, Failure, Result, Taint, TeamId, UserId, keys};
use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::approval::pending::{self, load};
use crate::model::{Approval, Decided, Run, RunState, Status, StepKind, Verdict, memory_key};
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
    /// `None` if the approval expires.
    pub by: Option<UserId>,
    pub approval: ApprovalId,
    /// The revision the person saw. Older revisions can't be decided.
    pub revision: u32,
    pub verdict: Verdict,
    pub arguments: Option<Value>,
    pub note: Option<String>,
    /// Id of the message or click. A redelivery with the same id only repeats the follow-up work.
    pub trigger: String,
    /// Taint of the run whose model made the decision. Empty if the person decided directly.
    pub taint: Taint,
    /// Whether the owner has opened their Home tab, perhaps after the run began. Then it shows how the run goes on.
    pub opened_home: bool,
}

impl Decision {
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
            opened_home: false,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// Also for a redelivery of the decision that counted.
    Decided(Box<Approval>),
    NotFound,
    /// Decided earlier, or replaced by a newer revision.
    Already(Box<Approval>),
    /// Expired; this call marked it so.
    Expired(Box<Approval>),
    NotOwner,
}

/// Applies a decision at most once, also under concurrent or repeated calls.
pub async fn decide(ports: &Ports, decision: &Decision) -> Result<Outcome> {
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
            return Ok(Outcome::Decided(Box::new(approval)));
        }
        let expires = ports.clock.now() >= approval.expires_at;
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
        let decision = Decision {
            verdict,
            by: decision.by.clone().filter(|_| !expires),
            ..decision.clone()
        };
        match take(ports, &decision, approval, version).await? {
            Some(approval) if expires => return Ok(Outcome::Expired(Box::new(approval))),
            Some(approval) => return Ok(Outcome::Decided(Box::new(approval))),
            None => race.lost()?,
        }
    }
}

/// Updates the approval and resumes the run in one commit. Returns `None` if another commit came first.
async fn take(
    ports: &Ports,
    decision: &Decision,
    mut approval: Approval,
    version: u64,
) -> Result<Option<Approval>> {
    let run = ports.journal().load(&approval.team, &approval.run).await?;
    let missing = || Failure::bug(format!("run {} of an approval is missing", approval.run));
    let mut loaded = run.ok_or_else(missing)?;
    let ended = loaded.run.output().is_some();
    let decided = decision.verdict.status();
    approval.status = if ended { Status::Error } else { decided };
    let now = ports.clock.now();
    approval.resolved_at = Some(now);
    approval.resolved_by.clone_from(&decision.by);
    approval.resolved_trigger = Some(decision.trigger.clone());
    approval.note.clone_from(&decision.note);
    let mut writes = pending::closed(ports, &approval, version, now)?;
    if decision.verdict == Verdict::Remember {
        let memory = memory_key(&approval.action_type, &approval.payload)?;
        let key = keys::remembered(&approval.team, &approval.owner, &approval.session, &memory);
        let until = now.saturating_add(REMEMBERED).map_err(Failure::bug)?;
        let entry = json!({ "tool": approval.action_type, "approval": approval.id });
        writes.push(Write::put(key, None, entry).expiring(until));
    }
    let committed = if ended {
        ports.commit(writes).await.map_err(CommitError::from)
    } else {
        resume(ports, decision, &approval, &mut loaded, writes).await
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
    ports: &Ports,
    decision: &Decision,
    approval: &Approval,
    loaded: &mut LoadedRun,
    mut beside: Vec<Write>,
) -> Result<(), CommitError> {
    let edited = decision.arguments.as_ref();
    let edited = edited.filter(|_| decision.verdict == Verdict::Edit);
    let edited = edited.unwrap_or(&approval.payload);
    // Only a note or edited arguments carry text.
    let has_words = decision.note.is_some() || *edited != approval.payload;
    let taint = decision.taint.clone();
    let step = StepKind::Decided(Decided {
        call_id: approval.call_id.clone(),
        approval: approval.id.clone(),
        revision: approval.revision,
        verdict: decision.verdict,
        digest: approval.digest.clone(),
        arguments: edited.clone(),
        note: decision.note.clone(),
        taint: if has_words { taint } else { Taint::default() },
    });
    let (run, now) = (&loaded.run, ports.clock.now());
    let (watch_at, watch) = timer::watch_again(run, now)?;
    let sleeps = matches!(run.state, RunState::Asking { .. });
    if sleeps {
        beside.push(watch);
        beside.extend(timer::look_at_parent(run, now)?);
    }
    if decision.verdict == Verdict::Expire {
        // The expiry timer is deleted by this commit, so a new timer must retry a lost queue send.
        beside.push(timer::arm(now, &Timer::wake(&run.team, &run.id))?);
    }
    let opened_home = decision.opened_home;
    let wake = move |run: &mut Run| {
        run.input.user_mut().opened_home |= opened_home;
        if sleeps {
            run.state = RunState::Ready;
            run.watch_at = watch_at;
        }
    };
    let (journal, steps) = (ports.journal(), vec![step.into()]);
    journal.commit(loaded, steps, beside, wake).await
}

/// Sends the run again. The first delivery may have crashed between commit and send.
async fn continue_run(ports: &Ports, approval: &Approval) -> Result<()> {
    let run = ports.journal().load(&approval.team, &approval.run).await?;
    if let Some(loaded) = run.filter(|loaded| loaded.run.state == RunState::Ready) {
        dispatch::send(ports, &loaded.run, loaded.run.queue(), loaded.hops, None).await?;
    }
    Ok(())
}

/// Expires an overdue approval. Returns it if it is expired now, by this call or earlier.
pub async fn expire(ports: &Ports, team: &TeamId, id: &ApprovalId) -> Result<Option<Approval>> {
    let approval = match load(&*ports.store, team, id).await? {
        Some((approval, _)) if approval.status == Status::Expired => return Ok(Some(approval)),
        Some((approval, _)) if ports.clock.now() >= approval.expires_at => approval,
        _ => return Ok(None),
    };
    let decision = Decision {
        team: team.clone(),
        by: None,
        approval: id.clone(),
        revision: approval.revision,
        verdict: Verdict::Expire,
        arguments: None,
        note: None,
        trigger: format!("expiry:{id}:{}", approval.revision),
        opened_home: false,
        taint: Taint::default(),
    };
    match decide(ports, &decision).await? {
        Outcome::Expired(approval) => Ok(Some(*approval)),
        _ => Ok(None),
    }
}
