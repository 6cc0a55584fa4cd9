//! The loop: a model turn, its tool calls, the next turn, until there is an
//! answer. Each turn and each result is committed before the next begins, so
//! that whoever finds the journal goes on where it stopped.

use alfred_core::ports::{Finish, Message, ModelError, Output, Turn, TurnRequest};
use alfred_core::{Deadline, Failure, WorkerOutput, text};
use jiff::{SignedDuration, Timestamp};
use std::collections::HashSet;

use crate::agent::Agent;
use crate::approval::park::park;
use crate::calls::{self, CallError, Calls};
use crate::claims;
use crate::conversation;
use crate::direct;
use crate::finish::{self, Progress};
use crate::interpret;
use crate::journal::{CommitError, LoadedRun};
use crate::ledger::Ledger;
use crate::ports::Ports;
use crate::run::{RunInput, Step, StepKind, Work, actions, elapsed_ms, open_calls};
use crate::status::StatusLine;
use crate::thread;
use crate::tool::is_part;
use crate::toolsets::Toolsets;
use crate::turn::{TURN_TIMEOUT, Unanswered, has_time, turn_time, unanswered};

/// Works on a run until it has its answer, must wait, or runs out of time.
///
/// `first` are steps that the caller already took and that go into the first
/// commit (the classification).
///
/// # Errors
/// What the queue's runner must do about it.
pub async fn work(
    ports: &Ports,
    agent: &Agent,
    loaded: &mut LoadedRun,
    first: Vec<(u64, StepKind)>,
    deadline: Deadline,
) -> Result<Progress, Failure> {
    let mut status = StatusLine::default();
    let progress = turns(ports, agent, loaded, first, &mut status, deadline).await;
    status.settle().await;
    progress
}

async fn turns(
    ports: &Ports,
    agent: &Agent,
    loaded: &mut LoadedRun,
    first: Vec<(u64, StepKind)>,
    status: &mut StatusLine,
    deadline: Deadline,
) -> Result<Progress, Failure> {
    let mut pending = first;
    if loaded.steps.is_empty() {
        // Stored with the first step: until then nobody was told another time.
        loaded.run.began_at = Some(ports.clock.now());
        pending.extend(thread::before(ports, &loaded.run).await);
    }
    let role = loaded.run.input.user().role;
    let (at_first, mut open) = toolsets(loaded, &pending);
    // What is opened later brings its rules itself: the prompt stays as it was, and with it what a provider cached.
    let system = (agent.prompt)(&loaded.run, &agent.tools.defs(role, &at_first));
    let mut request = TurnRequest {
        messages: start(&system, loaded, &pending),
        tools: agent.tools.specs(role, &open),
        output: Output::Text,
        max_output_tokens: agent.limits.max_output_tokens,
        timeout: TURN_TIMEOUT,
    };
    loop {
        if !open_calls(&loaded.steps).is_empty() {
            let read = interpret::read(ports, agent, loaded, status, deadline).await?;
            if let Some(progress) = read {
                return Ok(progress);
            }
            let known = loaded.steps.len();
            match calls::run_open(ports, agent, loaded, status, deadline).await {
                Ok(Calls::Answered) => {
                    let new = new_messages(&loaded.steps[known..]);
                    request.messages.extend(new);
                    let (_, now_open) = toolsets(loaded, &pending);
                    if now_open != open {
                        request.tools = agent.tools.specs(role, &now_open);
                        open = now_open;
                    }
                }
                Ok(Calls::Asking(asks)) => {
                    return park(ports, agent, loaded, asks, status).await;
                }
                Ok(Calls::Later(after)) => {
                    return finish::wake_after(ports, loaded, vec![], after, |_| {}).await;
                }
                Ok(Calls::OutOfTime) => return finish::hand_on(ports, loaded, &pending).await,
                Err(CallError::Superseded) => return Ok(Progress::Superseded),
                Err(CallError::Stop(failure)) => return Err(failure),
            }
        }
        let now = ports.clock.now();
        if let Some(reason) = exhausted(agent, loaded, now) {
            return finish::with_error(ports, loaded, pending, reason, status, deadline).await;
        }
        if !has_time(deadline, now) {
            return finish::hand_on(ports, loaded, &pending).await;
        }
        let later = conversation::before_turn(&loaded.run, &loaded.steps, now);
        request.messages.extend(later);
        request.timeout = turn_time(deadline, now);
        let turn = match direct::turn(agent, loaded) {
            Some(turn) => Ok(turn),
            None => ports.model.turn(&request, &mut |_| {}).await,
        };
        let ms = elapsed_ms(now, ports.clock.now());
        let turn = match turn {
            Ok(turn) => normalised(turn, loaded),
            Err(error) => {
                return without_turn(ports, loaded, pending, error, &request, status, deadline)
                    .await;
            }
        };
        let mut steps = std::mem::take(&mut pending);
        steps.push((ms, StepKind::Turn(turn.clone())));
        let (last, known) = (turn.tool_calls.is_empty(), loaded.steps.len());
        let empty = last && turn.text.trim().is_empty() && turn.finish != Finish::Filtered;
        if last && !empty {
            let unfounded = is_unfounded(&turn, loaded);
            let sent_back = |step: &Step| step.did == StepKind::Challenged;
            if !unfounded || loaded.steps.iter().any(sent_back) {
                let done = actions(&loaded.steps, false);
                // A team's output goes to no person, and may be a text that somebody is to send.
                let output = if unfounded && loaded.run.parent.is_none() {
                    WorkerOutput::failed(text::claimed_in_vain(turn.text.trim()), done)
                } else if direct::failed(loaded) {
                    WorkerOutput::failed(turn.text, done)
                } else {
                    answer(&turn, done)
                };
                return finish::with_output(ports, loaded, steps, output, status, deadline).await;
            }
            tracing::warn!(run.id = %loaded.run.id, "an answer claimed an effect without a receipt; sent back");
            steps.push((0, StepKind::Challenged));
        }
        match ports.journal().append(loaded, steps).await {
            // Built anew, it ends in a nudge.
            Ok(()) if empty => {
                request.messages = conversation::build(&system, &loaded.run, &loaded.steps);
            }
            Ok(()) => request
                .messages
                .extend(new_messages(&loaded.steps[known..])),
            Err(CommitError::Superseded) => return Ok(Progress::Superseded),
            Err(other) => return Err(other.into()),
        }
    }
}

/// The toolsets a run began with, and those that are open by now.
fn toolsets(loaded: &LoadedRun, pending: &[(u64, StepKind)]) -> (Toolsets, Toolsets) {
    let steps = loaded.steps.iter().map(|step| &step.did);
    let all = steps.chain(pending.iter().map(|(_, did)| did));
    let classified = all
        .clone()
        .filter(|did| matches!(did, StepKind::Classified(_)));
    (
        Toolsets::after(&loaded.run, classified),
        Toolsets::after(&loaded.run, all),
    )
}

/// Whether an answer claims an effect of which there is no receipt. It is sent back once.
fn is_unfounded(turn: &Turn, loaded: &LoadedRun) -> bool {
    loaded.run.work == Work::Agent
        && turn.finish == Finish::Stop
        && !Ledger::from_steps(&loaded.run.id, &loaded.steps).has_effects()
        && claims::claims_effect(&turn.text)
}

fn start(system: &str, loaded: &LoadedRun, pending: &[(u64, StepKind)]) -> Vec<Message> {
    let mut messages = conversation::build(system, &loaded.run, &loaded.steps);
    // Context taken a moment ago isn't in the journal yet; it stands before the request.
    for (_, did) in pending {
        if let StepKind::Context { lines, .. } = did {
            let before_request = messages.len().saturating_sub(1);
            messages.insert(before_request, conversation::thread_context(lines));
        }
    }
    messages
}

fn new_messages(steps: &[Step]) -> impl Iterator<Item = Message> {
    steps
        .iter()
        .filter_map(|step| conversation::message(&step.did))
}

/// Why no further turn may be taken, in words for the person.
fn exhausted(agent: &Agent, loaded: &LoadedRun, now: Timestamp) -> Option<String> {
    let run = &loaded.run;
    if run.iterations >= agent.limits.max_iterations {
        return Some(text::too_many_steps(agent.limits.max_iterations));
    }
    if agent.limits.spent(run) {
        return Some(text::over_budget());
    }
    if let RunInput::Team(input) = &run.input {
        let limit = SignedDuration::from_secs(i64::from(input.team_config.timeout_seconds));
        if worked(&loaded.steps, run.began(), now) >= limit {
            return Some(text::timed_out());
        }
    }
    None
}

/// How long a run has been at it, without the time it waited for its owner.
fn worked(steps: &[Step], began: Timestamp, now: Timestamp) -> SignedDuration {
    let (mut worked, mut last) = (SignedDuration::ZERO, began);
    let mut asked: HashSet<&str> = HashSet::new();
    let end = steps.iter().map(|step| (step.at, Some(&step.did)));
    for (at, did) in end.chain([(now, None)]) {
        if asked.is_empty() {
            worked += at.duration_since(last);
        }
        last = at;
        match did {
            Some(StepKind::Asked { call_id, .. }) => drop(asked.insert(call_id)),
            Some(StepKind::Decided { call_id, .. }) => drop(asked.remove(call_id.as_str())),
            _ => {}
        }
    }
    worked
}

/// What a turn without tool calls says to the person.
fn answer(turn: &Turn, done: Vec<String>) -> WorkerOutput {
    match turn.finish {
        Finish::Filtered => WorkerOutput::failed(text::declined(), done),
        Finish::Stop if turn.refused => WorkerOutput::failed(turn.text.trim().to_owned(), done),
        Finish::Length => WorkerOutput::done(format!("{} […]", turn.text.trim()), done),
        Finish::Stop | Finish::ToolCalls => WorkerOutput::done(turn.text.trim().to_owned(), done),
    }
}

/// Ids of calls are unique within the whole run, whatever the model gave.
fn normalised(mut turn: Turn, loaded: &LoadedRun) -> Turn {
    let earlier = loaded.steps.iter().flat_map(|step| match &step.did {
        StepKind::Turn(turn) => turn.tool_calls.as_slice(),
        StepKind::Classified(_)
        | StepKind::Context { .. }
        | StepKind::Asked { .. }
        | StepKind::Decided { .. }
        | StepKind::Intent { .. }
        | StepKind::NotReached { .. }
        | StepKind::Challenged
        | StepKind::Interpreted { .. }
        | StepKind::ToolResult { .. }
        | StepKind::Planned(_) => &[],
    });
    let mut taken: HashSet<String> = earlier.map(|call| call.id.clone()).collect();
    let number = loaded.run.iterations + 1;
    for (at, call) in turn.tool_calls.iter_mut().enumerate() {
        if call.id.is_empty() || is_part(&call.id) || taken.contains(&call.id) {
            call.id = format!("call_{number}_{}", at + 1);
        }
        while !taken.insert(call.id.clone()) {
            call.id.push('_');
        }
    }
    turn
}

/// A turn that didn't come: wait, hand on, or tell the person.
async fn without_turn(
    ports: &Ports,
    loaded: &mut LoadedRun,
    pending: Vec<(u64, StepKind)>,
    error: ModelError,
    request: &TurnRequest,
    status: &mut StatusLine,
    deadline: Deadline,
) -> Result<Progress, Failure> {
    match unanswered(loaded, &error, request.timeout) {
        Unanswered::Pause(after) => finish::pause(ports, loaded, pending, after).await,
        Unanswered::OutOfTime => finish::hand_on(ports, loaded, &pending).await,
        Unanswered::Told(reason) => {
            finish::with_error(ports, loaded, pending, reason, status, deadline).await
        }
    }
}
