//! Parks a run that needs approvals. One commit stores the approvals and suspends the run. A parked
//! run uses no compute, no queue message and no slot in its conversation.

pub use crate::approval::pending::load;

use alfred_core::ports::Write;
use alfred_core::{ApprovalId, Failure, RunId, keys};
use serde_json::{Value, json};

use crate::approval::{pending, withdraw};
use crate::calls::context::AgentLoop;
use crate::calls::recipients;
use crate::history::frame;
use crate::model::approval::{Approval, Question, Reason, Recipient, Status};
use crate::model::input::RunInput;
use crate::model::preview::Preview;
use crate::model::run::{Run, RunState};
use crate::model::session::Session;
use crate::model::step::{Asked, StepKind};
use crate::model::version::ROW_VERSION;
use crate::store::dispatch;
use crate::store::ports::Ports;
use crate::store::race::Race;
use crate::store::row::body;
use crate::store::timer::{self, Timer};
use crate::tool::agent::Agent;

/// Approvals of one run that may wait at once. More cards would flood their owner, and the commit that ends the run
/// withdraws them all.
pub const MOST_WAITING: usize = 20;
/// Writes of one approval, without those of its tool: row, index, open proposal, timer, step and audit entry.
const WRITES: usize = 6;
/// Writes of approvals in one commit, which takes 100; the run and its conversation need a few.
const WRITES_AT_ONCE: usize = 90;

#[derive(Clone, Debug)]
pub struct Ask {
    pub call_id: String,
    pub tool: String,
    /// Whether the tool reads data only the owner may see, so the preview may reveal it.
    pub private: bool,
    pub question: Question,
    /// The arguments, exactly as they would run.
    pub arguments: Value,
    /// See [`super::digest`].
    pub digest: String,
    /// SHA-256 of the preview, to notice when the preview changes later.
    pub shown: Option<String>,
    pub preview: Preview,
    pub reasons: Vec<Reason>,
    pub recipients: Vec<Recipient>,
    /// Writes of the tool itself, committed with the approval.
    pub beside: Vec<Write>,
    /// Set if this is a new revision of an earlier approval.
    pub revised: Option<Revised>,
}

/// A new revision of an approval, after an edit.
#[derive(Clone, Debug)]
pub struct Revised {
    pub approval: ApprovalId,
    pub revision: u32,
    /// Why the edit couldn't be used.
    pub trouble: Option<String>,
}

impl AgentLoop<'_> {
    /// Stores the approvals, parks the run and posts the cards. With no new `asks` it only parks again,
    /// because other calls of the run still wait.
    pub async fn park(&mut self, mut asks: Vec<Ask>) -> Result<(), Failure> {
        // Workers in a run may ask for more together; those are asked when one of these is decided.
        let waiting = withdraw::undecided(&self.cx.loaded.steps).len();
        asks.truncate(MOST_WAITING.saturating_sub(waiting));
        let mut fresh = Vec::with_capacity(asks.len());
        loop {
            let rest = asks.split_off(at_once(&asks));
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
                let tools = &self.caller(&approval.call_id).tools;
                let tool = tools.get(&approval.action_type);
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
                // Another run may change the session row now, so this version is stale. 0 forces a reload.
                run.session_version = 0;
            };
            let steps = steps.collect();
            if race.won(self.cx.commit(steps, beside, parked).await)? {
                if let Some(next) = next {
                    dispatch::start_waiting(self.cx.ports, self.cx.run(), next).await?;
                }
                return Ok(stored.into_iter().map(|(approval, _)| approval).collect());
            }
        }
    }

    fn caller(&self, call_id: &str) -> &Agent {
        let steps = &self.cx.loaded.steps;
        let call = frame::call(steps, call_id);
        let agent = call.and_then(|(frame, _)| frame::agent_in(self.program, steps, frame));
        agent.unwrap_or(self.agent)
    }

    /// Agent names from the run's own agent down to the caller. Empty if the run's own agent calls.
    fn path(&self, call_id: &str) -> Vec<String> {
        let steps = &self.cx.loaded.steps;
        let called = frame::call(steps, call_id).filter(|(frame, _)| !frame.is_own());
        let path = called.map(|(frame, _)| frame::path(self.program, steps, frame));
        let mut path: Vec<String> = path.into_iter().flatten().map(str::to_owned).collect();
        if let (RunInput::Team(input), Some(first)) = (&self.cx.run().input, path.first_mut()) {
            // Every team manager has the same agent name, so the team's name is used.
            first.clone_from(&input.team);
        }
        path
    }

    /// Builds the approval, with the version of the row it replaces.
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

/// How many of these fit one commit.
fn at_once(asks: &[Ask]) -> usize {
    let mut writes = 0;
    let fits = |ask: &&Ask| {
        writes += WRITES + ask.beside.len();
        writes <= WRITES_AT_ONCE
    };
    asks.iter().take_while(fits).count().max(asks.len().min(1))
}

fn asked(run: &Run, approval: &Approval, ask: &Ask) -> StepKind {
    StepKind::Asked(Asked {
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
    })
}

/// Writes that store a pending approval: its row, its entry in the owner's index, and the expiry timer.
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

/// Frees the run's slot in its conversation. Returns the next run that may start, if any.
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
