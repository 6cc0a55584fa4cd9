//! Parks a run that needs approvals. It then uses no compute, no queue message and no slot in its conversation.

use alfred_core::ports::Write;
use alfred_core::{Failure, Result, RunId, keys};
use serde_json::json;

use crate::approval::pending::{self, Ask, MOST_WAITING, undecided};
use crate::calls::context::RunContext;
use crate::model::{Approval, Asked, Run, RunState, Session, Step, StepKind};
use crate::runner::finish;
use crate::slack::show::show_card;
use crate::slack::{home, notice};
use crate::store::dispatch;
use crate::store::journal::LoadedRun;
use crate::store::ports::Ports;
use crate::store::race::Race;
use crate::store::row::body;
use crate::store::timer::{self, Timer};

/// Writes of one approval, without those of its tool: row, index, open proposal, timer, step and audit entry.
const WRITES: usize = 6;
/// Writes of approvals in one commit, which takes 100; the run and its conversation need a few.
const WRITES_AT_ONCE: usize = 90;

/// With no new `asks` it only parks again, because other calls of the run still wait.
pub(crate) async fn park(cx: &mut RunContext<'_>, mut asks: Vec<Ask>) -> Result<()> {
    // Workers in a run may ask for more together; those are asked when one of these is decided.
    let waiting = pending::undecided_of(&cx.loaded.steps).len();
    asks.truncate(MOST_WAITING.saturating_sub(waiting));
    let mut fresh = Vec::with_capacity(asks.len());
    loop {
        let rest = asks.split_off(at_once(&asks));
        fresh.extend(store(cx, asks).await?);
        if rest.is_empty() {
            break;
        }
        asks = rest;
    }
    show_cards(cx, Some(fresh)).await
}

async fn store(cx: &mut RunContext<'_>, mut asks: Vec<Ask>) -> Result<Vec<Approval>> {
    let ports = cx.ports;
    let (now, run) = (cx.now(), cx.run());
    let expires_at = now.saturating_add(ports.config.approval_expiry);
    let expires_at = expires_at.map_err(Failure::bug)?;
    for Ask { approval, .. } in &mut asks {
        approval.taint = run.taint.clone();
        (approval.created_at, approval.expires_at) = (now, expires_at);
    }
    let mut race = Race::over("the conversation's row");
    loop {
        let mut beside = Vec::new();
        for ask in &asks {
            beside.extend(writes(ports, ask)?);
        }
        let next = release(ports, cx.run(), &mut beside).await?;
        let steps = asks.iter().map(|ask| asked(cx.run(), ask).into()).collect();
        let parked = |run: &mut Run| {
            run.state = RunState::Asking { shown: false };
            // Another run may change the session row now, so this version is stale. 0 forces a reload.
            run.before.session_version = 0;
        };
        if race.won(cx.commit(steps, beside, parked).await)? {
            if let Some(next) = next {
                dispatch::start_waiting(ports, cx.run(), next).await?;
            }
            return Ok(asks.into_iter().map(|ask| ask.approval).collect());
        }
    }
}

fn at_once(asks: &[Ask]) -> usize {
    let mut writes = 0;
    let fits = |ask: &&Ask| {
        writes += WRITES + ask.beside.len();
        writes <= WRITES_AT_ONCE
    };
    asks.iter().take_while(fits).count().max(asks.len().min(1))
}

fn asked(run: &Run, ask: &Ask) -> StepKind {
    let approval = &ask.approval;
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

fn writes(ports: &Ports, ask: &Ask) -> Result<Vec<Write>> {
    let approval = &ask.approval;
    let key = keys::approval(&approval.team, &approval.id);
    let row = Write::over(key, ask.version.unwrap_or(0), body(approval)?);
    let index = keys::pending(&approval.team, &approval.owner, &approval.id);
    let entry = json!({ "run": approval.run, "expires_at": approval.expires_at });
    let timer = Timer {
        user: Some(approval.owner.clone()),
        session: Some(approval.session.clone()),
        ..Timer::expire(&approval.team, &approval.run, &approval.id)
    };
    let gone = ports.kept_until(approval.created_at)?;
    let mut writes = vec![
        row.expiring(gone),
        pending::beside(approval, index, entry).expiring(gone),
        pending::open(approval, ask.tool.as_ref())?.expiring(gone),
        timer::arm(approval.expires_at, &timer)?,
    ];
    writes.extend(ask.beside.iter().cloned());
    Ok(writes)
}

async fn release(ports: &Ports, run: &Run, beside: &mut Vec<Write>) -> Result<Option<RunId>> {
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

/// Posts the run's cards, and one line in a public channel. `fresh` are approvals created by this delivery, so no
/// earlier delivery can have posted them. Fails with `Retry` if Slack fails, or if a decision was made meanwhile.
pub async fn show_cards(cx: &mut RunContext<'_>, fresh: Option<Vec<Approval>>) -> Result<()> {
    let (ports, look) = (cx.ports, fresh.is_none());
    // A team's run sets no status, but its request did.
    cx.status.clear(ports, &cx.loaded.run, &[]).await;
    cx.live.remove_left().await;
    let approvals = match fresh {
        Some(approvals) => approvals,
        None => waiting(ports, cx.loaded).await?,
    };
    for approval in &approvals {
        if !show_card(ports, approval, look).await? {
            return Box::pin(finish::fail(cx, CANT_ASK)).await;
        }
    }
    let (run, slack) = (cx.run(), cx.run().input.slack());
    // Later revisions post no notice.
    let first = approvals.iter().find(|approval| approval.revision == 1);
    if let Some(first) = first.filter(|_| run.is_public()) {
        let (channel, thread_ts) = (slack.channel_id.clone(), slack.thread_ts.clone());
        let text = "I've asked you in our direct message before I do anything.".to_owned();
        let key = format!("{}:line:{}", run.id, run.progress.iterations);
        let line = notice::plain(channel, thread_ts, text, key);
        notice::once(ports, &line, look.then_some(first.created_at)).await?;
    }
    let watch = Timer::watch(&cx.run().team, &cx.run().id);
    let disarmed = timer::disarm(cx.run().watch_at, &watch);
    let shown = |run: &mut Run| run.state = RunState::Asking { shown: true };
    cx.commit(vec![], vec![disarmed], shown).await?;
    let asked = format!("asked:{}", cx.run().progress.steps);
    home::changed(ports, cx.run(), &asked).await;
    cx.status.settle().await;
    if look {
        dispatch::follow_up(ports, cx.run()).await?;
    }
    Ok(())
}

async fn waiting(ports: &Ports, loaded: &LoadedRun) -> Result<Vec<Approval>> {
    let mut found: Vec<Approval> = Vec::new();
    for asked in loaded.steps.iter().filter_map(Step::asked) {
        let id = &asked.approval;
        if !found.iter().any(|known| known.id == *id) {
            found.extend(undecided(&*ports.store, &loaded.run.team, id).await?);
        }
    }
    Ok(found)
}
