//! Ends or suspends a run. The end and its follow-up work (reply, report to the parent, next run of the conversation)
//! are committed first and then done. A redelivery repeats only the follow-up work.

use alfred_core::ports::Write;
use alfred_core::{Failure, Result, WorkerOutput};
use jiff::SignedDuration;
use serde_json::Value;
use std::time::Duration;

use crate::approval::pending::withdraw;
use crate::calls::context::RunContext;
use crate::history::ledger::Ledger;
use crate::history::{self, actions};
use crate::model::{
    Exchange, NewStep, OpenQuestion, ROW_VERSION, Run, RunState, Session, StepKind, UsageSnapshot,
};
use crate::slack::respond::{self, ANSWER_REFUSED, Delivery};
use crate::slack::{connect, home, options, show, undo};
use crate::store::ports::Ending;
use crate::store::race::Race;
use crate::store::timer::{self, Timer};
use crate::store::{dispatch, usage};

/// Waits up to this long happen in the process. Longer ones park the run.
const SHORT_WAIT: Duration = Duration::from_secs(20);

pub async fn end(cx: &mut RunContext<'_>, steps: Vec<NewStep>, output: WorkerOutput) -> Result<()> {
    let ledger = Ledger::at_end(&cx.loaded.run.id, &cx.loaded.steps);
    end_with(cx, steps, output, &ledger).await
}

pub async fn fail(cx: &mut RunContext<'_>, reason: impl Into<String>) -> Result<()> {
    let mut output = WorkerOutput::failed(reason, actions(&cx.loaded.steps));
    if cx.run().parent.is_some() {
        output.partial = history::partial(&cx.loaded.steps);
    }
    end(cx, vec![], output).await
}

/// Ends the run and replies; a team's run ends without a reply, and the hook of `alfred-teams` reports its outcome. For
/// a run with teams, the ledger includes the effects of their runs.
pub async fn end_with(
    cx: &mut RunContext<'_>,
    steps: Vec<NewStep>,
    mut output: WorkerOutput,
    ledger: &Ledger,
) -> Result<()> {
    output.effects = ledger.effects();
    if output.success {
        output.sources.extend(history::sources(&cx.loaded.steps));
    }
    let replies = cx.run().parent.is_none();
    // Replies after text from mail or the web are made harmless. The row doesn't know yet what these steps read.
    let mut read = cx.run().clone();
    steps.iter().for_each(|step| read.absorb(&step.did));
    let live = cx.live.close().await;
    let below = if replies { buttons(cx).await? } else { vec![] };
    let mut race = Race::over("an approval of the run");
    loop {
        let run = cx.run();
        let (mut beside, notes) = beside_end(cx, &steps, &output).await?;
        let mut watch_at = run.watch_at;
        let state = if replies {
            if matches!(run.state, RunState::Asking { .. }) {
                // While it waited for its owner, no timer checked it for a lost worker. From here on one does again.
                let (at, watch) = timer::watch_again(run, cx.now())?;
                watch_at = at;
                beside.push(watch);
            }
            let notes = notes.into_iter().map(respond::context);
            let below = below.iter().cloned().chain(notes).collect();
            let pictures = respond::pictures::timelines(&cx.loaded.steps);
            let mut reply = respond::render(&read, &output, ledger, pictures, below);
            reply.live.clone_from(&live);
            let output = output.clone();
            RunState::Replying { output, reply }
        } else {
            let spent = usage::load(&*cx.ports.store, run).await?;
            beside.extend(closing(cx, &spent)?);
            let output = output.clone();
            RunState::Done { output }
        };
        let withdrawn = withdraw(cx.ports, cx.loaded).await?;
        beside.extend(withdrawn.writes.iter().cloned());
        let ended = move |run: &mut Run| (run.watch_at, run.state) = (watch_at, state);
        if race.won(cx.commit(steps.clone(), beside, ended).await)? {
            show::tell_withdrawn(cx.ports, &withdrawn).await;
            if replies {
                cx.status.settle().await;
                return reply_and_close(cx, true).await;
            }
            cx.run().log_end(cx.now());
            for hook in &*cx.ports.hooks {
                hook.after_end(cx.ports, cx.loaded).await?;
            }
            return Ok(());
        }
    }
}

fn closing(cx: &RunContext<'_>, spent: &UsageSnapshot) -> Result<[Write; 2]> {
    let run = cx.run();
    let watch = Timer::watch(&run.team, &run.id);
    let watch = timer::disarm(run.watch_at, &watch);
    Ok([usage::spend(run, spent, cx.now())?, watch])
}

async fn beside_end(
    cx: &RunContext<'_>,
    steps: &[NewStep],
    output: &WorkerOutput,
) -> Result<(Vec<Write>, Vec<&'static str>)> {
    let ending = Ending {
        loaded: cx.loaded,
        steps,
        output,
    };
    let (mut writes, mut notes) = (Vec::new(), Vec::new());
    for hook in &*cx.ports.hooks {
        let beside = hook.beside_end(cx.ports, &ending).await?;
        writes.extend(beside.writes);
        notes.extend(beside.note);
    }
    Ok((writes, notes))
}

async fn buttons(cx: &RunContext<'_>) -> Result<Vec<Value>> {
    let steps = &cx.loaded.steps;
    let left = options::left(cx.ports, cx.loaded).await?;
    let choice = left.and_then(|(_, left)| options::buttons(cx.run(), &left));
    let providers = cx.ports.accounts.connect.providers();
    let lacked = connect::lacked(steps);
    let mut connect = connect::button(providers, &lacked);
    if connect.is_none() && !lacked.is_empty() {
        connect = Some(connect::none_offered(cx.run().input.user().role));
    }
    Ok(choice.into_iter().chain(connect).collect())
}

/// Sends the run to its queue. A classification that isn't committed yet goes along in the message.
pub(crate) async fn hand_on(cx: &RunContext<'_>, pending: &[NewStep]) -> Result<()> {
    let classified = pending.iter().find_map(|step| match &step.did {
        StepKind::Classified(found) => Some(found.clone()),
        _ => None,
    });
    let (queue, hops) = (cx.run().queue(), cx.loaded.hops + 1);
    dispatch::send(cx.ports, cx.run(), queue, hops, classified).await
}

/// Posts the reply and closes the run. `fresh` means that nobody can have posted the reply yet.
pub async fn reply_and_close(cx: &mut RunContext<'_>, mut fresh: bool) -> Result<()> {
    loop {
        let RunState::Replying { output, reply } = cx.run().state.clone() else {
            return Ok(());
        };
        if reply.next_untried && !fresh {
            // Several workers may know that the next part isn't posted. The one whose commit succeeds posts it.
            let tried = |run: &mut Run| {
                if let RunState::Replying { reply, .. } = &mut run.state {
                    reply.next_untried = false;
                }
            };
            cx.commit(vec![], vec![], tried).await?;
        }
        match respond::deliver(cx.ports, cx.run(), &reply, fresh).await {
            Delivery::Posted { question } => {
                let question = question.map(|at| OpenQuestion {
                    run: cx.run().id.clone(),
                    thread_ts: reply.parts.first().and_then(|part| part.thread_ts.clone()),
                    channel: at.channel,
                    ts: at.ts,
                });
                // Slack removes the status for new messages only.
                let parts = reply.live.map_or(&reply.parts[..], |_| &[]);
                cx.status.clear(cx.ports, &cx.loaded.run, parts).await;
                return close(cx, output, question).await;
            }
            Delivery::Refused { code } => {
                tracing::error!(run.id = %cx.run().id, slack.error = code, "Slack refuses the reply in every form and place");
                let effects = output.effects;
                let failed = WorkerOutput::failed(ANSWER_REFUSED, output.actions_taken);
                cx.loaded.run.progress.refused_reply = Some(code);
                cx.status.clear(cx.ports, &cx.loaded.run, &[]).await;
                return close(cx, WorkerOutput { effects, ..failed }, None).await;
            }
            Delivery::Later { after, missed } => {
                let now = cx.now();
                let look = move |run: &mut Run| {
                    if let RunState::Replying { reply, .. } = &mut run.state {
                        let missed_at = reply.missed_at.or(Some(now));
                        reply.missed_at = missed_at.filter(|_| missed);
                        reply.next_untried = !missed;
                    }
                };
                if after > SHORT_WAIT || !cx.deadline.allows(now, after + SHORT_WAIT) {
                    return wake_after(cx, vec![], after, look).await;
                }
                cx.commit(vec![], vec![], look).await?;
                cx.ports.clock.sleep(after).await;
                fresh = false;
            }
        }
    }
}

pub async fn wake_after(
    cx: &mut RunContext<'_>,
    steps: Vec<NewStep>,
    after: Duration,
    change: impl FnOnce(&mut Run) + Send,
) -> Result<()> {
    let after = SignedDuration::try_from(after).unwrap_or(SignedDuration::MAX);
    let at = cx.now().saturating_add(after).map_err(Failure::bug)?;
    let run = cx.run();
    let wake = timer::arm(at, &Timer::wake(&run.team, &run.id).for_run(run))?;
    let waits = move |run: &mut Run| {
        run.progress.wake_at = Some(at);
        change(run);
    };
    Ok(cx.commit(steps, vec![wake], waits).await?)
}

/// Closes the run: stores its request and answer in the conversation, and starts the conversation's next run.
/// `question` is the posted reply, if it has buttons to choose from.
pub(crate) async fn close(
    cx: &mut RunContext<'_>,
    output: WorkerOutput,
    question: Option<OpenQuestion>,
) -> Result<()> {
    cx.live.remove_left().await;
    let run = cx.run();
    let answer = output.result.clone().or_else(|| output.error.clone());
    let exchange = Exchange {
        request: run.input.prompt().to_owned(),
        answer: respond::without_marks(&answer.unwrap_or_default()),
        taint: run.taint.clone(),
        // A scheduled job's request was written by a model, so it can't authorize anything as the owner's own words.
        quotes: run.input.carried().contains(&"quote") || run.job.is_some(),
        run: Some(run.id.clone()),
    };
    // If a chat's run ended before its first model call, the model never saw the request: the chat doesn't keep it.
    let unsaid = run.before.chat.is_some() && run.progress.iterations == 0;
    let silent = unsaid || (run.job.is_some() && exchange.answer.is_empty());
    let exchange = (!silent).then_some(exchange);
    // The row, if nobody changed it since this run began. Guessing it saves a read; a wrong guess conflicts.
    let mut session = Session {
        v: ROW_VERSION,
        memory: run.before.history.clone(),
        chat: run.before.chat.clone(),
        active: Some(run.id.clone()),
        waiting: Vec::new(),
        answered: true,
        version: run.before.session_version,
        ..Session::default()
    };
    let mut spent = run.before.spent;
    let store = &*cx.ports.store;
    let mut race = Race::over("the conversation's row");
    loop {
        let run = cx.run();
        let next = session.finish(&run.id, exchange.clone());
        session.question = question.clone().filter(|_| next.is_none());
        let mut beside = session.write(&run.team, &run.user, &run.session)?;
        beside.extend(closing(cx, &spent)?);
        let outcome = output.clone();
        let done = move |run: &mut Run| run.state = RunState::Done { output: outcome };
        if race.won(cx.commit(vec![], beside, done).await)? {
            cx.run().log_end(cx.now());
            home::changed(cx.ports, cx.run(), "ended").await;
            show::tell_outcomes(cx.ports, cx.loaded).await;
            undo::settle_buttons(cx.ports, cx.loaded).await;
            cx.status.settle().await;
            return match next {
                Some(next) => dispatch::start_waiting(cx.ports, cx.run(), next).await,
                None => Ok(()),
            };
        }
        let run = cx.run();
        session = Session::load(store, &run.team, &run.user, &run.session).await?;
        run.give_back(&mut session);
        spent = usage::load(store, run).await?;
    }
}
