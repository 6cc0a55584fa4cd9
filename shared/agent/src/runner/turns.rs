//! The agent loop: a model turn, its tool calls, the next turn, until there is an answer. Each turn is committed
//! before its calls start, and each change with its result, so another worker can continue from the journal.

use alfred_core::ports::{Finish, Turn};
use alfred_core::{Failure, Result, WorkerOutput};
use std::collections::HashSet;

use crate::calls::context::{AgentLoop, RunContext};
use crate::calls::{self, Ready, result};
use crate::history::actions;
use crate::model::{NewStep, Run, Step, StepKind, elapsed_ms};
use crate::runner::{delegate, finish, handed_on, park};
use crate::slack::thread;
use crate::tool::program::Program;
use crate::tool::{is_part, toolsets};
use crate::turn::exhausted::{self, OVER_BUDGET};
use crate::turn::model_turn::{
    self, Left, UNUSABLE_ANSWER, ended_by, has_time, is_empty, turn_time, unanswered, was_empty,
};
use crate::turn::request::{first_request, messages, new_messages, open_toolsets, specs};
use crate::turn::{attached, chat, conversation, direct};

/// Works on a run until it has an outcome, must wait, or the invocation's time is over. `first` are
/// uncommitted steps, such as the classification; they go into the first commit.
pub(crate) async fn work(cx: RunContext<'_>, program: &Program, first: Vec<NewStep>) -> Result<()> {
    let agent = &program.own;
    let mut work = AgentLoop { program, agent, cx };
    let left = turns(&mut work, first).await;
    let outcome = match left {
        Ok(left) => leave(&mut work, left).await,
        Err(failure) => {
            // No commit names it yet.
            work.cx.live.discard().await;
            Err(failure)
        }
    };
    if outcome.is_err() {
        let (ports, run) = (work.cx.ports, &work.cx.loaded.run);
        work.cx.status.clear(ports, run, &[]).await;
    }
    work.cx.status.settle().await;
    outcome
}

/// Ends, parks or hands on the run, depending on why its own agent stopped.
async fn leave(work: &mut AgentLoop<'_>, left: Left) -> Result<()> {
    if !matches!(left, Left::Ended(..) | Left::Failed(..)) {
        work.cx.live.discard().await;
    }
    // Handing on commits nothing, and the commits that park may be full already. All others take the held results along.
    match left {
        Left::Asking(_) => work.cx.save().await?,
        // Also the cost of a turn that ran out of time.
        Left::OutOfTime(_) => work.cx.commit(vec![], vec![], |_| {}).await?,
        // What a lost delivery left in Slack may be deleted only after a commit.
        Left::Later(_) | Left::Paused(..) if work.cx.live.unsure => {
            work.cx.commit(vec![], vec![], |_| {}).await?;
        }
        _ => {}
    }
    if matches!(left, Left::Later(_) | Left::Paused(..) | Left::OutOfTime(_)) {
        work.cx.live.remove_left().await;
    }
    match left {
        Left::Ended(steps, output) => {
            let output = delegate::with_status(work, output);
            finish::end(&mut work.cx, steps, output).await
        }
        Left::Failed(steps, reason) => {
            let output = delegate::cut_short(work, reason);
            finish::end(&mut work.cx, steps, output).await
        }
        Left::Asking(asks) => park::park(&mut work.cx, asks).await,
        Left::Later(after) => finish::wake_after(&mut work.cx, vec![], after, |_| {}).await,
        Left::Paused(steps, after) => {
            let count = |run: &mut Run| run.progress.pauses += 1;
            finish::wake_after(&mut work.cx, steps, after, count).await
        }
        Left::OutOfTime(pending) => finish::hand_on(&work.cx, &pending).await,
    }
}

async fn turns(work: &mut AgentLoop<'_>, first: Vec<NewStep>) -> Result<Left> {
    let mut pending = first;
    // Rare branches are boxed, because this future is nested once per level of delegation.
    Box::pin(begin(work, &mut pending)).await?;
    if work.cx.loaded.frame.is_own()
        && let Some(left) = Box::pin(chat::compact(work, &mut pending)).await?
    {
        return Ok(left);
    }
    let (system, mut request) = first_request(work, &pending)?;
    loop {
        if !work.open_calls().is_empty() {
            let known = work.cx.loaded.steps.len();
            if let Some(left) = Box::pin(run_calls(work)).await? {
                return Ok(left);
            }
            let new = &work.cx.loaded.steps[known..];
            conversation::take_results(&mut request.messages, work.cx.loaded);
            if new.iter().any(|step| toolsets::opens(&step.did)) {
                let (_, open) = open_toolsets(work.cx.loaded, &pending);
                request.tools = specs(work, &open, &pending);
            }
        }
        if let Some(output) = delegate::passed_on(work) {
            return Ok(Left::Ended(pending, output));
        }
        let now = work.cx.now();
        if let Some(reason) = exhausted::exhausted(work, now) {
            return Ok(Left::Failed(pending, reason.words()));
        }
        if !has_time(work.cx.deadline, now) {
            return Ok(Left::OutOfTime(pending));
        }
        let later = conversation::before_turn(work.cx.loaded, now);
        request.messages.extend(later);
        let is_last = exhausted::is_last_turn(work);
        let last_step = is_last.then(conversation::last_step);
        request.messages.extend(last_step);
        request.timeout = turn_time(work.cx.deadline, now);
        if work.cx.loaded.frame.is_own() {
            request.sink = work.cx.live.sink(work.cx.run());
        }
        let turn = match direct::turn(work.cx.loaded, now) {
            Some(turn) => Ok(turn),
            None => match exhausted::affordable(work, &request) {
                Some(affordable) => model_turn::model_turn(work, &affordable).await,
                None => return Ok(Left::Failed(pending, OVER_BUDGET.to_owned())),
            },
        };
        let ms = elapsed_ms(now, work.cx.now());
        let turn = match turn {
            Ok(turn) => normalised(turn, work),
            Err(error) => return Ok(unanswered(work, pending, &error, request.timeout)),
        };
        let mut steps = std::mem::take(&mut pending);
        steps.push(StepKind::Turn(turn.clone()).took(ms));
        let (last, known) = (turn.tool_calls.is_empty(), work.cx.loaded.steps.len());
        let empty = is_empty(&turn);
        if empty && was_empty(work.cx.loaded) {
            return Ok(said_nothing(work, steps));
        }
        if last && !empty {
            return Ok(Left::Ended(steps, ended_by(&turn, work.cx.loaded)));
        }
        if is_last {
            return Ok(Left::Failed(steps, exhausted::out_of_turns(work).words()));
        }
        let mut journal = work.cx.ports.journal();
        // A power cut may lose the turn: a call that changes something outside makes a synced commit first.
        journal.defers_sync = true;
        let turn = journal.commit(work.cx.loaded, steps, vec![], |_| {});
        turn.await?;
        if empty {
            // Rebuilt messages end with a note about the empty turn.
            request.messages = messages(work, &system, &[])?;
        } else {
            request.messages.extend(new_messages(work, known));
        }
    }
}

/// The outcome after repeated empty turns. For a scheduled run it means nothing to report.
fn said_nothing(work: &AgentLoop<'_>, steps: Vec<NewStep>) -> Left {
    let loaded = &*work.cx.loaded;
    if loaded.run.job.is_some() && loaded.frame.is_own() {
        let nothing = WorkerOutput::done(String::new(), actions(&loaded.steps));
        return Left::Ended(steps, nothing);
    }
    Left::Failed(steps, UNUSABLE_ANSWER.to_owned())
}

/// Prepares a run's first step: start time, thread context and files.
async fn begin(work: &mut AgentLoop<'_>, pending: &mut Vec<NewStep>) -> Result<()> {
    if work.cx.loaded.steps.is_empty() {
        // Stored with the first step, so that every later prompt gives the same time.
        work.cx.loaded.run.progress.began_at = Some(work.cx.now());
        pending.extend(thread::before(work.cx.ports, work.cx.run()).await);
        let policy = &work.agent.attachments;
        pending.extend(attached::open(work.cx.ports, work.cx.run(), policy).await?);
    }
    work.cx.opened = attached::load(work.cx.ports, work.cx.loaded, pending).await?;
    Ok(())
}

/// Makes call ids unique within the run and names arguments as in the schema. A call cut off before its arguments gets
/// invalid ones, so that it fails.
fn normalised(mut turn: Turn, work: &AgentLoop<'_>) -> Turn {
    let loaded = &*work.cx.loaded;
    let last = turn.tool_calls.last_mut();
    if let Some(call) = last.filter(|_| turn.finish == Finish::Length)
        && call.arguments.trim().is_empty()
    {
        call.arguments = "{".into();
    }
    let earlier = loaded.steps.iter().filter_map(Step::turn);
    let earlier = earlier.flat_map(|turn| &turn.tool_calls);
    let mut taken: HashSet<String> = earlier.map(|call| call.id.clone()).collect();
    let number = loaded.run.progress.iterations + 1;
    for (at, call) in turn.tool_calls.iter_mut().enumerate() {
        work.agent.tools.rename_arguments(call);
        if call.id.is_empty() || is_part(&call.id) || taken.contains(&call.id) {
            call.id = format!("call_{number}_{}", at + 1);
        }
        while !taken.insert(call.id.clone()) {
            call.id.push('_');
        }
    }
    turn
}

/// Runs the open calls. `None` once all have a result.
async fn run_calls(work: &mut AgentLoop<'_>) -> Result<Option<Left>> {
    let mut open = calls::run_open(work).await?;
    if open.out_of_time {
        return Ok(Some(Left::OutOfTime(vec![])));
    }
    for ready in std::mem::take(&mut open.delegations) {
        match delegated(work, &ready).await? {
            None => {}
            Some(Left::Asking(more)) => {
                open.asks.extend(more);
                return Ok(Some(Left::Asking(open.asks)));
            }
            Some(Left::Paused(_, after)) => return Ok(Some(Left::Paused(vec![], after))),
            Some(Left::OutOfTime(_)) => return Ok(Some(Left::OutOfTime(vec![]))),
            // Open asks are posted later, when the delegated worker needs the owner too.
            Some(left) => return Ok(Some(left)),
        }
    }
    Ok(match open.later {
        Some(after) if open.asks.is_empty() => Some(Left::Later(after)),
        None if open.asks.is_empty() && open.waiting == 0 => None,
        _ => Some(Left::Asking(open.asks)),
    })
}

/// Runs a worker in its own frame until it has a result or the run must wait.
async fn delegated(work: &mut AgentLoop<'_>, ready: &Ready) -> Result<Option<Left>> {
    let (call, caller) = (&ready.call, work.cx.loaded.frame.clone());
    let frame = caller.called(&call.id);
    let worker = work.program.workers.get(&call.name);
    let agent = worker.ok_or_else(|| Failure::bug(format!("no worker {}", call.name)))?;
    if !handed_on::is_handed_on(work, ready, agent).await? {
        return Ok(None);
    }
    let calling = std::mem::replace(&mut work.agent, agent);
    let shown = std::mem::take(&mut work.cx.opened);
    work.cx.loaded.frame.clone_from(&frame);
    let left = Box::pin(turns(work, Vec::new())).await;
    (work.agent, work.cx.loaded.frame) = (calling, caller);
    work.cx.opened = shown;
    let (steps, output) = match left? {
        Left::Ended(steps, output) => (steps, output),
        Left::Failed(steps, reason) => (steps, WorkerOutput::failed(reason, Vec::new())),
        waits => return Ok(Some(waits)),
    };
    // One commit: otherwise a crash would leave the worker's last turn without a result, and it
    // would take another turn.
    let mut steps: Vec<NewStep> = steps.into_iter().map(|step| step.of(&frame)).collect();
    let output = delegate::worker_output(output, &work.cx.loaded.steps, &frame);
    steps.push(result::given(call, ready.def(), output).into());
    work.cx.commit(steps, vec![], |_| {}).await?;
    Ok(None)
}
