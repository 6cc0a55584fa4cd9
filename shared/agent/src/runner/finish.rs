//! Ends or suspends a run: with an answer, with an error, sent to the next invocation, or waiting
//! for a time. The end and its follow-up work (reply, report to the parent, next run of the
//! conversation) are committed first and then done. A redelivery repeats only the follow-up work.

use alfred_core::ports::{Account, Write};
use alfred_core::{Failure, WorkerOutput};
use jiff::SignedDuration;
use serde_json::Value;
use std::time::Duration;

use crate::approval::pending::withdraw;
use crate::calls::context::RunContext;
use crate::history::ledger::Ledger;
use crate::history::{self, actions};
use crate::model::chat::Exchange;
use crate::model::run::{Run, RunState};
use crate::model::session::{OpenQuestion, Session};
use crate::model::step::{NewStep, StepKind};
use crate::model::version::ROW_VERSION;
use crate::slack::respond::{self, ANSWER_REFUSED, Delivery};
use crate::slack::{connect, options, show, undo};
use crate::store::ports::Ending;
use crate::store::race::Race;
use crate::store::timer::{self, Timer};
use crate::store::{dispatch, usage};

/// Waits up to this long happen in the process. Longer ones park the run.
const SHORT_WAIT: Duration = Duration::from_secs(20);

/// Ends the run with its outcome and replies.
pub async fn end(
    cx: &mut RunContext<'_>,
    steps: Vec<NewStep>,
    output: WorkerOutput,
) -> Result<(), Failure> {
    let ledger = Ledger::at_end(&cx.loaded.run.id, &cx.loaded.steps);
    end_with(cx, steps, output, &ledger).await
}

/// Ends the run with an error message for the person.
pub async fn fail(
    cx: &mut RunContext<'_>,
    steps: Vec<NewStep>,
    reason: impl Into<String>,
) -> Result<(), Failure> {
    let done = actions(&cx.loaded.steps);
    let mut output = WorkerOutput::failed(reason, done);
    if cx.run().parent.is_some() {
        output.partial = history::partial(&cx.loaded.steps);
    }
    end(cx, steps, output).await
}

/// Ends the run with an outcome. The ledger under the reply lists the given effects. For a run with teams, the caller
/// includes the effects of the teams' runs.
pub async fn end_with(
    cx: &mut RunContext<'_>,
    steps: Vec<NewStep>,
    mut output: WorkerOutput,
    ledger: &Ledger,
) -> Result<(), Failure> {
    output.effects = ledger.effects();
    if output.success {
        output.sources.extend(history::sources(&cx.loaded.steps));
    }
    if cx.run().parent.is_some() {
        return end_child(cx, steps, output).await;
    }
    let pictures = respond::pictures::timelines(&cx.loaded.steps);
    // An answer in one turn has its steps in this commit, so their taint is added for the reply.
    let mut read = cx.run().clone();
    steps.iter().for_each(|step| read.absorb(&step.did));
    let buttons = buttons(cx).await?;
    let mut watch_at = cx.run().watch_at;
    let mut watched = None;
    if matches!(cx.run().state, RunState::Asking { .. }) {
        // While the run waited for its owner, no timer checked it for a lost worker. From here on one does again.
        let (at, watch) = timer::watch_again(cx.run(), cx.now())?;
        (watch_at, watched) = (at, Some(watch));
    }
    let mut race = Race::over("an approval of the run");
    loop {
        let (writes, notes) = beside_end(cx, &steps, &output).await?;
        let mut behind = buttons.clone();
        behind.extend(notes.into_iter().map(respond::context));
        let reply = respond::render(&read, &output, ledger, pictures.clone(), behind);
        let output = output.clone();
        let replying = move |run: &mut Run| {
            run.watch_at = watch_at;
            run.state = RunState::Replying { output, reply };
        };
        let withdrawn = withdraw(cx.ports, cx.loaded).await?;
        let mut beside = withdrawn.writes.clone();
        beside.extend(watched.clone());
        beside.extend(writes);
        if race.won(cx.commit(steps.clone(), beside, replying).await)? {
            show::tell_withdrawn(cx.ports, &withdrawn).await;
            cx.status.settle().await;
            return reply_and_close(cx, true).await;
        }
    }
}

/// Ends the run of a team without a reply. The hook of `alfred-teams` reports the outcome to the run that waits for
/// the team.
async fn end_child(
    cx: &mut RunContext<'_>,
    steps: Vec<NewStep>,
    output: WorkerOutput,
) -> Result<(), Failure> {
    let mut race = Race::over("the join row");
    loop {
        let (mut beside, _) = beside_end(cx, &steps, &output).await?;
        let run = cx.run();
        let spent = usage::load(&*cx.ports.store, run).await?;
        let withdrawn = withdraw(cx.ports, cx.loaded).await?;
        beside.push(usage::spend(run, &spent, cx.now())?);
        let watch = Timer::watch(&run.team, &run.id);
        beside.push(timer::disarm(run.watch_at, &watch));
        beside.extend(withdrawn.writes.iter().cloned());
        let outcome = output.clone();
        let done = move |run: &mut Run| run.state = RunState::Done { output: outcome };
        if race.won(cx.commit(steps.clone(), beside, done).await)? {
            cx.run().log_end(cx.now());
            show::tell_withdrawn(cx.ports, &withdrawn).await;
            for hook in &*cx.ports.hooks {
                hook.after_end(cx.ports, cx.loaded).await?;
            }
            return Ok(());
        }
    }
}

/// What the hooks add: writes and lines for the reply.
async fn beside_end(
    cx: &RunContext<'_>,
    steps: &[NewStep],
    output: &WorkerOutput,
) -> Result<(Vec<Write>, Vec<&'static str>), Failure> {
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

/// The buttons under the reply: choices that a tool offered, "Connect" for accounts that a tool lacked, and a file
/// picker for a file that wasn't found.
async fn buttons(cx: &RunContext<'_>) -> Result<Vec<Value>, Failure> {
    let steps = &cx.loaded.steps;
    let left = options::left(cx.ports, cx.loaded).await?;
    let choice = left.and_then(|(_, left)| options::buttons(cx.run(), &left));
    let providers = cx.ports.accounts.connect.providers();
    let connect = connect::button(providers, &connect::lacked(steps));
    let pick = pick_button(cx).await;
    Ok(choice.into_iter().chain(connect).chain(pick).collect())
}

/// The button that opens the provider's file picker, if a file wasn't found. Some accounts show Alfred only the files
/// that their owner picked.
async fn pick_button(cx: &RunContext<'_>) -> Option<Value> {
    if !connect::missed_a_file(&cx.loaded.steps) {
        return None;
    }
    let run = cx.run();
    let owner = Account::of(&run.team, &run.user);
    let known = cx.ports.accounts.connect.connections(&owner);
    let known = known.await.inspect_err(|error| {
        tracing::warn!(%error, "a reply goes without the button for files");
    });
    let mut known = known.ok()?.into_iter();
    let connection = known.find(|one| !one.ended && !one.delegated)?;
    connect::pick_button(connection.provider)
}

/// Sends the run to its queue, because this invocation is out of time. A classification that
/// isn't committed yet goes along in the message.
pub(crate) async fn hand_on(cx: &RunContext<'_>, pending: &[NewStep]) -> Result<(), Failure> {
    let classified = pending.iter().find_map(|step| match &step.did {
        StepKind::Classified(found) => Some(found.clone()),
        _ => None,
    });
    let (queue, hops) = (cx.run().queue(), cx.loaded.hops + 1);
    dispatch::send(cx.ports, cx.run(), queue, hops, classified).await
}

/// Parks the run, because the model's provider asked for a pause.
pub async fn pause(
    cx: &mut RunContext<'_>,
    steps: Vec<NewStep>,
    after: Duration,
) -> Result<(), Failure> {
    let count = |run: &mut Run| run.progress.pauses += 1;
    wake_after(cx, steps, after, count).await
}

/// Posts the reply and closes the run. Closing stores the exchange, starts the conversation's next run
/// and removes the watchdog. `fresh` means that nobody can have posted the reply yet.
pub async fn reply_and_close(cx: &mut RunContext<'_>, mut fresh: bool) -> Result<(), Failure> {
    loop {
        let RunState::Replying { output, reply } = cx.run().state.clone() else {
            return Ok(());
        };
        if reply.next_untried && !fresh {
            // Several workers may know that the next part of the reply isn't posted. The one whose commit succeeds
            // posts it.
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
                return close(cx, output, question).await;
            }
            Delivery::Refused { code } => {
                tracing::error!(run.id = %cx.run().id, slack.error = code, "Slack refuses the reply in every form and place");
                let effects = output.effects;
                let failed = WorkerOutput::failed(ANSWER_REFUSED, output.actions_taken);
                cx.loaded.run.progress.refused_reply = Some(code);
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

/// Parks the run and sets a timer to wake it.
pub(crate) async fn wake_after(
    cx: &mut RunContext<'_>,
    steps: Vec<NewStep>,
    after: Duration,
    change: impl FnOnce(&mut Run) + Send,
) -> Result<(), Failure> {
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

/// Closes a run after its reply: stores the exchange in the conversation and starts the conversation's next run.
/// `question` is the posted message with choice buttons, if there is one.
pub(crate) async fn close(
    cx: &mut RunContext<'_>,
    output: WorkerOutput,
    question: Option<OpenQuestion>,
) -> Result<(), Failure> {
    let run = cx.run();
    let answer = output.result.clone().or_else(|| output.error.clone());
    let exchange = Exchange {
        request: run.input.prompt().to_owned(),
        answer: respond::without_marks(&answer.unwrap_or_default()),
        taint: run.taint.clone(),
        // A request written by a model for a job doesn't count as the owner's words.
        quotes: run.input.carried().contains(&"quote") || run.job.is_some(),
        run: Some(run.id.clone()),
    };
    // In a chat with one agent, only what its model was shown belongs to the conversation.
    let unsaid = run.before.chat.is_some() && run.progress.iterations == 0;
    let silent = unsaid || (run.job.is_some() && exchange.answer.is_empty());
    let exchange = (!silent).then_some(exchange);
    // The expected row, if nobody changed it since this run began. Guessing it saves a read; a
    // wrong guess conflicts.
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
    let (store, now) = (&*cx.ports.store, cx.now());
    let mut race = Race::over("the conversation's row");
    loop {
        let run = cx.run();
        let next = session.finish(&run.id, exchange.clone());
        session.question = question.clone().filter(|_| next.is_none());
        let watch = Timer::watch(&run.team, &run.id);
        let mut beside = session.write(&run.team, &run.user, &run.session)?;
        beside.push(usage::spend(run, &spent, now)?);
        beside.push(timer::disarm(run.watch_at, &watch));
        let outcome = output.clone();
        let done = move |run: &mut Run| run.state = RunState::Done { output: outcome };
        if race.won(cx.commit(vec![], beside, done).await)? {
            cx.run().log_end(cx.now());
            show::tell_outcomes(cx.ports, cx.loaded).await;
            undo::settle_buttons(cx.ports, cx.loaded).await;
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

fn tried(run: &mut Run) {
    if let RunState::Replying { reply, .. } = &mut run.state {
        reply.next_untried = false;
    }
}
