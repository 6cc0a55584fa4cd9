//! A run asks its owner and lets go: one commit stores exactly what would run
//! and parks it. Waiting holds no compute, no queue message and no place in
//! the conversation.

use alfred_core::ports::Write;
use alfred_core::{ApprovalId, Failure, RunId, keys};
use serde_json::{Value, json};

pub use super::pending::load;
use super::{Approval, Question, Status, pending, withdraw};
use crate::agent::Agent;
use crate::context::AgentLoop;
use crate::delegate;
use crate::dispatch;
use crate::frame;
use crate::gate::{Reason, Recipient};
use crate::journal::CommitError;
use crate::ports::Ports;
use crate::preview::Preview;
use crate::race::Race;
use crate::recipients;
use crate::row::{ROW_VERSION, body};
use crate::run::{Run, RunInput, RunState};
use crate::session::Session;
use crate::step::StepKind;
use crate::timer::{self, Timer};

/// Approvals of one run that may wait at once. More cards would flood their owner, and the commit that ends the run
/// withdraws them all.
pub const MOST_WAITING: usize = 20;
/// Approvals stored by one commit, which takes 100 writes: each needs six, and what its tool adds.
const AT_ONCE: usize = 10;

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
    /// What its tool remembers of being asked about.
    pub beside: Vec<Write>,
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

impl AgentLoop<'_> {
    /// Asks, parks the run, and shows the cards. Without anything new to ask the
    /// run only lets go again: others of its calls still wait.
    ///
    /// # Errors
    /// What the queue's runner must do about it.
    pub async fn park(&mut self, mut asks: Vec<Ask>) -> Result<(), Failure> {
        // Workers in a run may ask for more together; those are asked when one of these is decided.
        let waiting = withdraw::undecided(&self.cx.loaded.steps).len();
        asks.truncate(MOST_WAITING.saturating_sub(waiting));
        let mut fresh = Vec::with_capacity(asks.len());
        loop {
            let rest = asks.split_off(asks.len().min(AT_ONCE));
            fresh.extend(self.store(asks).await?);
            if rest.is_empty() {
                break;
            }
            asks = rest;
        }
        self.cx.status.settle().await;
        self.cx.show_cards(Some(fresh)).await
    }

    /// Stores approvals and parks the run, in one commit.
    async fn store(&mut self, asks: Vec<Ask>) -> Result<Vec<Approval>, Failure> {
        let mut stored = Vec::with_capacity(asks.len());
        for ask in &asks {
            stored.push(self.row(ask).await?);
        }
        let mut race = Race::over("the conversation's row");
        loop {
            let mut beside = Vec::new();
            for (approval, version) in &stored {
                let tool = self
                    .caller(&approval.call_id)
                    .tools
                    .get(&approval.action_type);
                beside.extend(writes(self.cx.ports, approval, *version)?);
                let gone = self.cx.ports.kept_until(approval.created_at)?;
                beside.push(pending::open(approval, tool)?.expiring(gone));
            }
            beside.extend(asks.iter().flat_map(|ask| ask.beside.clone()));
            let next = release(self.cx.ports, self.cx.run(), &mut beside).await?;
            let steps = stored.iter().zip(&asks);
            let steps =
                steps.map(|((approval, _), ask)| asked(self.cx.run(), approval, ask).into());
            let parked = |run: &mut Run| {
                run.state = RunState::Asking { shown: false };
                // The row was given up: whoever closes this run must read it.
                run.session_version = 0;
            };
            let steps = steps.collect();
            match self.cx.commit(steps, beside, parked).await {
                Ok(()) => {
                    if let Some(next) = next {
                        dispatch::start_waiting(self.cx.ports, self.cx.run(), next).await?;
                    }
                    return Ok(stored.into_iter().map(|(approval, _)| approval).collect());
                }
                Err(CommitError::Conflict(_)) => race.lost()?,
                Err(other) => return Err(other.into()),
            }
        }
    }

    /// Whose call it is.
    fn caller(&self, call_id: &str) -> &Agent {
        let steps = &self.cx.loaded.steps;
        let call = frame::call(steps, call_id);
        let agent = call.and_then(|(frame, _)| delegate::agent_in(self.program, steps, frame));
        agent.unwrap_or(self.agent)
    }

    /// From the run's own agent down to whose call it is; empty where it is that one's.
    fn path(&self, call_id: &str) -> Vec<String> {
        let steps = &self.cx.loaded.steps;
        let called = frame::call(steps, call_id).filter(|(frame, _)| !frame.is_own());
        let path = called.map(|(frame, _)| self.program.path(steps, frame));
        let mut path: Vec<String> = path.into_iter().flatten().map(str::to_owned).collect();
        if let (RunInput::Team(input), Some(first)) = (&self.cx.run().input, path.first_mut()) {
            // All managers have one name.
            first.clone_from(&input.team);
        }
        path
    }

    /// The row of an approval, and the version it replaces.
    async fn row(&self, ask: &Ask) -> Result<(Approval, Option<u64>), Failure> {
        let (ports, run, now) = (self.cx.ports, self.cx.run(), self.cx.now());
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
        let expires_at = now.saturating_add(ports.config.approval_expiry);
        let approval = Approval {
            v: ROW_VERSION,
            id,
            revision,
            team: run.team.clone(),
            owner: run.user.clone(),
            run: run.id.clone(),
            call_id: ask.call_id.clone(),
            session: run.session.clone(),
            worker: self.caller(&ask.call_id).name.clone(),
            path: self.path(&ask.call_id),
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
            expires_at: expires_at.map_err(Failure::bug)?,
            resolved_at: None,
            resolved_by: None,
            resolved_trigger: None,
            note: None,
        };
        Ok((approval, version))
    }
}

fn asked(run: &Run, approval: &Approval, ask: &Ask) -> StepKind {
    StepKind::Asked {
        call_id: approval.call_id.clone(),
        approval: approval.id.clone(),
        revision: approval.revision,
        title: approval.preview.in_short(),
        arguments: approval.payload.clone(),
        digest: approval.digest.clone(),
        reasons: approval.reasons.clone(),
        shown: ask.shown.clone(),
        tainted: run.is_tainted(),
        private: ask.private,
    }
}

/// The writes that make an approval wait: its row, its place among its owner's, its end.
fn writes(ports: &Ports, approval: &Approval, version: Option<u64>) -> Result<Vec<Write>, Failure> {
    let key = keys::approval(&approval.team, &approval.id);
    let row = Write::over(key, version.unwrap_or(0), body(approval)?);
    let gone = ports.kept_until(approval.created_at)?;
    let index = keys::pending(&approval.team, &approval.owner, &approval.id);
    let entry = json!({ "run": approval.run, "expires_at": approval.expires_at });
    let timer = Timer {
        user: Some(approval.owner.clone()),
        session: Some(approval.session.clone()),
        ..Timer::expire(&approval.team, &approval.run, &approval.id)
    };
    Ok(vec![
        row.expiring(gone),
        pending::beside(approval, index, entry).expiring(gone),
        timer::arm(approval.expires_at, &timer)?,
    ])
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
