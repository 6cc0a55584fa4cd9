//! A run asks its owner and lets go: one commit stores exactly what would run
//! and parks it. Waiting holds no compute, no queue message and no place in
//! the conversation.

use alfred_core::ports::{Store, Write};
use alfred_core::{ApprovalId, Failure, RunId, keys};
use serde_json::{Value, json};

use super::pending::OpenProposal;
use super::{Approval, Question, Status, show};
use crate::agent::Agent;
use crate::dispatch;
use crate::finish::Progress;
use crate::gate::{Reason, Recipient};
use crate::journal::{CommitError, LoadedRun};
use crate::ports::Ports;
use crate::preview::Preview;
use crate::recipients;
use crate::row::{body, read};
use crate::run::{RUN_VERSION, Run, RunState};
use crate::session::Session;
use crate::status::StatusLine;
use crate::step::StepKind;
use crate::timer::{self, Timer};

/// Times a lost race over the conversation's row is tried again.
const MAX_CONFLICT_RETRIES: u32 = 20;

/// A call about which its owner is to be asked.
#[derive(Clone, Debug)]
pub struct Ask {
    /// Which call.
    pub call_id: String,
    /// The tool.
    pub tool: String,
    /// Whether its tool reads what only the owner may see, and so the preview may tell it.
    pub private: bool,
    /// What is asked.
    pub question: Question,
    /// The arguments, exactly as they would run.
    pub arguments: Value,
    /// Of exactly what would run.
    pub digest: String,
    /// SHA-256 of the preview.
    pub shown: Option<String>,
    /// What its owner sees.
    pub preview: Preview,
    /// Why it is asked.
    pub reasons: Vec<Reason>,
    /// To whom it reaches.
    pub recipients: Vec<Recipient>,
    /// What it replaces, if it was edited.
    pub revised: Option<Revised>,
}

/// An edit of something that was asked before.
#[derive(Clone, Debug)]
pub struct Revised {
    /// What waits.
    pub approval: ApprovalId,
    /// The new revision.
    pub revision: u32,
    /// Why the edit could not be used, if it couldn't.
    pub trouble: Option<String>,
}

/// Asks, parks the run, and shows the cards. Without anything new to ask the
/// run only lets go again: others of its calls still wait.
///
/// # Errors
/// What the queue's runner must do about it.
pub async fn park(
    ports: &Ports,
    agent: &Agent,
    loaded: &mut LoadedRun,
    asks: Vec<Ask>,
    status: &mut StatusLine,
) -> Result<Progress, Failure> {
    let mut approvals = Vec::with_capacity(asks.len());
    let mut versions = Vec::with_capacity(asks.len());
    for ask in &asks {
        let (approval, version) = row(ports, agent, &loaded.run, ask).await?;
        approvals.push(approval);
        versions.push(version);
    }
    for _ in 0..MAX_CONFLICT_RETRIES {
        let mut beside = Vec::new();
        for (approval, version) in approvals.iter().zip(&versions) {
            beside.extend(writes(ports, approval, *version)?);
        }
        let next = release(ports, &loaded.run, &mut beside).await?;
        let steps: Vec<(u64, StepKind)> = approvals
            .iter()
            .zip(&asks)
            .map(|(approval, ask)| (0, asked(&loaded.run, approval, ask)))
            .collect();
        let parked = |run: &mut Run| {
            run.state = RunState::Asking { shown: false };
            // The row was given up: whoever closes this run must read it.
            run.session_version = 0;
        };
        match ports.journal().commit(loaded, steps, beside, parked).await {
            Ok(()) => {
                if let Some(next) = next {
                    dispatch::start_waiting(ports, &loaded.run, next).await?;
                }
                status.settle().await;
                return show::show(ports, loaded, Some(approvals)).await;
            }
            Err(CommitError::Superseded) => return Ok(Progress::Superseded),
            Err(CommitError::Conflict(_)) => {}
            Err(other) => return Err(other.into()),
        }
    }
    Err(Failure::retry("the conversation's row is contended"))
}

fn asked(run: &Run, approval: &Approval, ask: &Ask) -> StepKind {
    StepKind::Asked {
        call_id: approval.call_id.clone(),
        approval: approval.id.clone(),
        revision: approval.revision,
        title: approval.preview.title.clone(),
        arguments: approval.payload.clone(),
        digest: approval.digest.clone(),
        reasons: approval.reasons.clone(),
        shown: ask.shown.clone(),
        tainted: Some(run.is_tainted()),
        private: ask.private,
    }
}

/// The row of an approval, and the version it replaces.
async fn row(
    ports: &Ports,
    agent: &Agent,
    run: &Run,
    ask: &Ask,
) -> Result<(Approval, Option<u64>), Failure> {
    let now = ports.clock.now();
    let (id, revision, trouble, version) = match &ask.revised {
        None => (ApprovalId::new(&*ports.ids), 1, None, None),
        Some(revised) => {
            let stored = load(&*ports.store, &run.team, &revised.approval).await?;
            let (_, version) =
                stored.ok_or_else(|| Failure::bug("an edited approval is missing"))?;
            let (id, trouble) = (revised.approval.clone(), revised.trouble.clone());
            (id, revised.revision, trouble, Some(version))
        }
    };
    let expires_at = now
        .saturating_add(ports.config.approval_expiry)
        .map_err(Failure::bug)?;
    let approval = Approval {
        v: RUN_VERSION,
        id,
        revision,
        team: run.team.clone(),
        owner: run.user.clone(),
        run: run.id.clone(),
        call_id: ask.call_id.clone(),
        session: run.session.clone(),
        worker: agent.name.clone(),
        question: ask.question,
        action_type: ask.tool.clone(),
        payload: ask.arguments.clone(),
        digest: ask.digest.clone(),
        preview: ask.preview.clone(),
        trouble,
        reasons: ask.reasons.clone(),
        recipients: ask.recipients.clone(),
        outside: recipients::outside(&*ports.store, run, &ask.preview).await?,
        taint: run.taint.clone(),
        asked_in: run.input.slack().clone(),
        status: Status::Pending,
        created_at: now,
        expires_at,
        resolved_at: None,
        resolved_by: None,
        resolved_trigger: None,
        note: None,
    };
    Ok((approval, version))
}

/// The writes that make an approval wait: its row, its place among its owner's, its end.
fn writes(ports: &Ports, approval: &Approval, version: Option<u64>) -> Result<Vec<Write>, Failure> {
    let key = keys::approval(&approval.team, &approval.id);
    let row = match version {
        None => Write::create(key, body(approval)?),
        Some(version) => Write::replace(key, version, body(approval)?),
    };
    let gone = ports.kept_until(approval.created_at)?;
    let index = keys::pending(&approval.team, &approval.owner, &approval.id);
    let entry = json!({ "run": approval.run, "expires_at": approval.expires_at });
    let timer = Timer {
        user: Some(approval.owner.clone()),
        session: Some(approval.session.clone()),
        ..Timer::expire(&approval.team, &approval.run, &approval.id)
    };
    let mut writes = vec![
        row.expiring(gone),
        Write::put(index, None, entry).expiring(gone),
        timer::arm(approval.expires_at, &timer)?,
    ];
    writes.extend(OpenProposal::write(approval, gone)?);
    Ok(writes)
}

/// Gives up the run's place in its conversation, and gives the run that may start now.
async fn release(
    ports: &Ports,
    run: &Run,
    beside: &mut Vec<Write>,
) -> Result<Option<RunId>, Failure> {
    let holder = run.parent.as_ref().unwrap_or(&run.id);
    let (mut session, version) =
        Session::load(&*ports.store, &run.team, &run.user, &run.session).await?;
    if session.active.as_ref() != Some(holder) {
        return Ok(None);
    }
    let next = session.finish(holder, None);
    beside.extend(session.write(&run.team, &run.user, &run.session, version)?);
    Ok(next)
}

/// An approval as it is stored, with the version of its row.
///
/// # Errors
/// When the store doesn't answer or the row can't be read.
pub async fn load(
    store: &dyn Store,
    team: &alfred_core::TeamId,
    id: &ApprovalId,
) -> Result<Option<(Approval, u64)>, Failure> {
    match store.get(&keys::approval(team, id)).await? {
        Some(item) => Ok(Some((read(item.body)?, item.version))),
        None => Ok(None),
    }
}
