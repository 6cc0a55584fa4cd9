//! Parks a run that needs approvals. One commit stores the approvals and suspends the run. A parked
//! run uses no compute, no queue message and no slot in its conversation.

pub use crate::approval::pending::load;

use alfred_core::ports::{Post, Write};
use alfred_core::{ApprovalId, Failure, RunId, keys};
use serde_json::json;

use crate::approval::ask::{Ask, MOST_WAITING};
use crate::approval::pending::{self, undecided};
use crate::calls::context::{AgentLoop, RunContext};
use crate::calls::recipients;
use crate::history::frame;
use crate::model::approval::{Approval, Status};
use crate::model::input::RunInput;
use crate::model::run::{Run, RunState};
use crate::model::session::Session;
use crate::model::step::{Asked, Step, StepKind};
use crate::model::version::ROW_VERSION;
use crate::runner::finish;
use crate::slack::notice;
use crate::slack::show::show_card;
use crate::store::dispatch;
use crate::store::journal::LoadedRun;
use crate::store::ports::Ports;
use crate::store::race::Race;
use crate::store::row::body;
use crate::store::timer::{self, Timer};
use crate::tool::agent::Agent;

/// Writes of one approval, without those of its tool: row, index, open proposal, timer, step and audit entry.
const WRITES: usize = 6;
/// Writes of approvals in one commit, which takes 100; the run and its conversation need a few.
const WRITES_AT_ONCE: usize = 90;

/// Stores the approvals, parks the run and posts the cards. With no new `asks` it only parks again,
/// because other calls of the run still wait.
pub(crate) async fn park(work: &mut AgentLoop<'_>, mut asks: Vec<Ask>) -> Result<(), Failure> {
    // Workers in a run may ask for more together; those are asked when one of these is decided.
    let waiting = pending::undecided_of(&work.cx.loaded.steps).len();
    asks.truncate(MOST_WAITING.saturating_sub(waiting));
    let mut fresh = Vec::with_capacity(asks.len());
    loop {
        let rest = asks.split_off(at_once(&asks));
        fresh.extend(store(work, asks).await?);
        if rest.is_empty() {
            break;
        }
        asks = rest;
    }
    work.cx.status.settle().await;
    show_cards(&mut work.cx, Some(fresh)).await
}

/// Stores approvals and parks the run, in one commit.
async fn store(work: &mut AgentLoop<'_>, asks: Vec<Ask>) -> Result<Vec<Approval>, Failure> {
    let mut stored = Vec::with_capacity(asks.len());
    for ask in &asks {
        stored.push(row(work, ask).await?);
    }
    let mut race = Race::over("the conversation's row");
    loop {
        let mut beside = Vec::new();
        for (approval, version) in &stored {
            let tools = &caller(work, &approval.call_id).tools;
            let tool = tools.get(&approval.action_type);
            beside.extend(writes(work.cx.ports, approval, *version)?);
            let gone = work.cx.ports.kept_until(approval.created_at)?;
            beside.push(pending::open(approval, tool)?.expiring(gone));
        }
        beside.extend(asks.iter().flat_map(|ask| ask.beside.clone()));
        let next = release(work.cx.ports, work.cx.run(), &mut beside).await?;
        let steps = stored.iter().zip(&asks);
        let steps = steps.map(|((approval, _), ask)| asked(work.cx.run(), approval, ask).into());
        let parked = |run: &mut Run| {
            run.state = RunState::Asking { shown: false };
            // Another run may change the session row now, so this version is stale. 0 forces a reload.
            run.before.session_version = 0;
        };
        let steps = steps.collect();
        if race.won(work.cx.commit(steps, beside, parked).await)? {
            if let Some(next) = next {
                dispatch::start_waiting(work.cx.ports, work.cx.run(), next).await?;
            }
            return Ok(stored.into_iter().map(|(approval, _)| approval).collect());
        }
    }
}

fn caller<'a>(work: &'a AgentLoop<'_>, call_id: &str) -> &'a Agent {
    let steps = &work.cx.loaded.steps;
    let call = frame::call(steps, call_id);
    let agent = call.and_then(|(frame, _)| frame::agent_in(work.program, steps, frame));
    agent.unwrap_or(work.agent)
}

/// Agent names from the run's own agent down to the caller. Empty if the run's own agent calls.
fn path(work: &AgentLoop<'_>, call_id: &str) -> Vec<String> {
    let steps = &work.cx.loaded.steps;
    let called = frame::call(steps, call_id).filter(|(frame, _)| !frame.is_own());
    let path = called.map(|(frame, _)| frame::path(work.program, steps, frame));
    let mut path: Vec<String> = path.into_iter().flatten().map(str::to_owned).collect();
    if let (RunInput::Team(input), Some(first)) = (&work.cx.run().input, path.first_mut()) {
        // Every team manager has the same agent name, so the team's name is used.
        first.clone_from(&input.team);
    }
    path
}

/// Builds the approval, with the version of the row it replaces.
async fn row(work: &AgentLoop<'_>, ask: &Ask) -> Result<(Approval, Option<u64>), Failure> {
    let (ports, run, now) = (work.cx.ports, work.cx.run(), work.cx.now());
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
        worker: caller(work, &ask.call_id).name.clone(),
        path: path(work, &ask.call_id),
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
    let mut session = Session::load(&*ports.store, &run.team, &run.user, &run.session).await?;
    if session.active.as_ref() != Some(holder) {
        return Ok(None);
    }
    let next = session.finish(holder, None);
    beside.extend(session.write(&run.team, &run.user, &run.session)?);
    Ok(next)
}

const CANT_ASK: &str = "This needs your approval, but I can't write to you directly in Slack, so nothing of it was done. Please open a direct message with me and ask me again.";

/// Posts the run's cards, adds a one-line notice in a public channel, and parks the run. `fresh` holds
/// approvals created by this delivery, so no earlier delivery can have posted them. Fails with `Retry` if
/// Slack or the store fails, or if a decision was made meanwhile.
pub async fn show_cards(
    cx: &mut RunContext<'_>,
    fresh: Option<Vec<Approval>>,
) -> Result<(), Failure> {
    let (ports, look) = (cx.ports, fresh.is_none());
    let approvals = match fresh {
        Some(approvals) => approvals,
        None => waiting(ports, cx.loaded).await?,
    };
    for approval in &approvals {
        if !show_card(ports, approval, look).await? {
            return Box::pin(finish::fail(cx, vec![], CANT_ASK)).await;
        }
    }
    if let Some((approval, line)) = line(cx.run(), &approvals) {
        let since = look.then_some(approval.created_at);
        notice::once(ports, &line, since).await?;
    }
    let watch = Timer::watch(&cx.run().team, &cx.run().id);
    let disarmed = timer::disarm(cx.run().watch_at, &watch);
    let shown = |run: &mut Run| run.state = RunState::Asking { shown: true };
    cx.commit(vec![], vec![disarmed], shown).await?;
    if look {
        dispatch::follow_up(ports, cx.run()).await?;
    }
    Ok(())
}

async fn waiting(ports: &Ports, loaded: &LoadedRun) -> Result<Vec<Approval>, Failure> {
    let mut found: Vec<Approval> = Vec::new();
    for asked in loaded.steps.iter().filter_map(Step::asked) {
        let id = &asked.approval;
        if !found.iter().any(|known| known.id == *id) {
            found.extend(undecided(&*ports.store, &loaded.run.team, id).await?);
        }
    }
    Ok(found)
}

/// The one-line notice in a channel, once for all cards. Revisions after the first post no notice.
fn line<'a>(run: &Run, approvals: &'a [Approval]) -> Option<(&'a Approval, Post)> {
    let first = approvals.iter().find(|approval| approval.revision == 1)?;
    let line = Post {
        channel: run.input.slack().channel_id.clone(),
        thread_ts: run.input.slack().thread_ts.clone(),
        text: "I've asked you in our direct message before I do anything.".to_owned(),
        blocks: Vec::new(),
        idempotency_key: format!("{}:line:{}", run.id, run.progress.iterations),
    };
    run.is_public().then_some((first, line))
}
