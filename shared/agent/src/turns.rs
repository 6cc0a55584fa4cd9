//! The loop: a model turn, its tool calls, the next turn, until there is an
//! answer. Each turn and each result is committed before the next begins, so
//! that whoever finds the journal goes on where it stopped.

use alfred_core::ports::{Finish, Message, ModelError, Output, Turn, TurnRequest};
use alfred_core::{Failure, Role, WorkerOutput, text};
use jiff::{SignedDuration, Timestamp};
use std::collections::HashSet;
use std::time::Duration;

use crate::agent::Agent;
use crate::calls::Calls;
use crate::claims;
use crate::context::{AgentLoop, RunContext};
use crate::conversation;
use crate::direct;
use crate::journal::LoadedRun;
use crate::ledger::Ledger;
use crate::run::{NewStep, RunInput, Step, StepKind, Work, actions, elapsed_ms, open_calls};
use crate::schedule::NOTHING;
use crate::thread;
use crate::tool::is_part;
use crate::toolsets::{self, Toolsets};
use crate::turn::{TURN_TIMEOUT, Unanswered, has_time, turn_time, unanswered};

/// Works on a run until it has its answer, must wait, or runs out of time.
///
/// `first` are steps that the caller already took and that go into the first
/// commit (the classification).
///
/// # Errors
/// What the queue's runner must do about it.
pub(crate) async fn work(
    cx: RunContext<'_>,
    agent: &Agent,
    first: Vec<NewStep>,
) -> Result<(), Failure> {
    let mut work = AgentLoop { agent, cx };
    let outcome = work.turns(first).await;
    work.cx.status.settle().await;
    outcome
}

impl AgentLoop<'_> {
    async fn turns(&mut self, first: Vec<NewStep>) -> Result<(), Failure> {
        let mut pending = first;
        let (system, mut request) = self.first_request(&mut pending).await;
        let agent = self.agent;
        loop {
            if !open_calls(&self.cx.loaded.steps).is_empty() {
                if !self.interpret().await? {
                    return Ok(());
                }
                let known = self.cx.loaded.steps.len();
                match self.run_open().await? {
                    Calls::Answered => {
                        let new = &self.cx.loaded.steps[known..];
                        request.messages.extend(new_messages(new));
                        if new.iter().any(|step| toolsets::opens(&step.did)) {
                            let (_, open) = open_toolsets(self.cx.loaded, &pending);
                            request.tools = agent.tools.specs(self.role(), &open);
                        }
                    }
                    Calls::Asking(asks) => return self.park(asks).await,
                    Calls::Later(after) => return self.cx.wake_after(vec![], after, |_| {}).await,
                    Calls::OutOfTime => return self.cx.hand_on(&pending).await,
                }
            }
            let now = self.cx.now();
            if let Some(reason) = exhausted(agent, self.cx.loaded, now) {
                return self.cx.fail(pending, reason).await;
            }
            if !has_time(self.cx.deadline, now) {
                return self.cx.hand_on(&pending).await;
            }
            let loaded = &*self.cx.loaded;
            let later = conversation::before_turn(&loaded.run, &loaded.steps, now);
            request.messages.extend(later);
            request.timeout = turn_time(self.cx.deadline, now);
            let turn = match direct::turn(agent, loaded, now) {
                Some(turn) => Ok(turn),
                None => self.model_turn(&request).await,
            };
            let ms = elapsed_ms(now, self.cx.now());
            let turn = match turn {
                Ok(turn) => normalised(turn, self.cx.loaded),
                Err(error) => return self.without_turn(pending, &error, request.timeout).await,
            };
            let mut steps = std::mem::take(&mut pending);
            steps.push(StepKind::Turn(turn.clone()).took(ms));
            let (last, known) = (turn.tool_calls.is_empty(), self.cx.loaded.steps.len());
            let empty = is_empty(&turn);
            if empty && was_empty(self.cx.loaded) {
                if self.cx.run().job.is_some() {
                    let nothing = WorkerOutput::done(String::new(), actions(&self.cx.loaded.steps));
                    return self.cx.end(steps, nothing).await;
                }
                return self.cx.fail(steps, text::unusable_answer()).await;
            }
            if last && !empty {
                if let Some(output) = ended_by(&turn, self.cx.loaded) {
                    return self.cx.end(steps, output).await;
                }
                tracing::warn!(run.id = %self.cx.run().id, "an answer claimed an effect without a receipt; sent back");
                steps.push(StepKind::Challenged.into());
            }
            self.cx.commit(steps, vec![], |_| {}).await?;
            let loaded = &*self.cx.loaded;
            if empty {
                // Built anew, it ends in a nudge.
                request.messages = conversation::build(&system, &loaded.run, &loaded.steps);
            } else {
                request
                    .messages
                    .extend(new_messages(&loaded.steps[known..]));
            }
        }
    }

    /// What the first turn of this invocation is asked, and the system prompt of all of them.
    async fn first_request(&mut self, pending: &mut Vec<NewStep>) -> (String, TurnRequest) {
        if self.cx.loaded.steps.is_empty() {
            // Stored with the first step: until then nobody was told another time.
            self.cx.loaded.run.began_at = Some(self.cx.now());
            pending.extend(thread::before(self.cx.ports, self.cx.run()).await);
        }
        let (agent, role) = (self.agent, self.role());
        let (at_first, open) = open_toolsets(self.cx.loaded, pending);
        // What is opened later brings its rules itself: the prompt stays as it was, and with it what a provider cached.
        let system = (agent.prompt)(self.cx.run(), &agent.tools.defs(role, &at_first));
        let request = TurnRequest {
            messages: start(&system, self.cx.loaded, pending),
            tools: agent.tools.specs(role, &open),
            output: Output::Text,
            max_output_tokens: agent.limits.max_output_tokens,
            timeout: TURN_TIMEOUT,
        };
        (system, request)
    }

    pub(crate) fn role(&self) -> Role {
        self.cx.run().input.user().role
    }

    /// A turn that didn't come: wait, hand on, or tell the person.
    async fn without_turn(
        &mut self,
        pending: Vec<NewStep>,
        error: &ModelError,
        timeout: Duration,
    ) -> Result<(), Failure> {
        match unanswered(self.cx.loaded, error, timeout) {
            Unanswered::Pause(after) => {
                self.cx.show_status(text::status_thinking());
                self.cx.pause(pending, after).await
            }
            Unanswered::OutOfTime => self.cx.hand_on(&pending).await,
            Unanswered::Told(reason) => self.cx.fail(pending, reason).await,
        }
    }
}

/// The outcome that a turn without tool calls is; `None` for an answer that is sent back.
fn ended_by(turn: &Turn, loaded: &LoadedRun) -> Option<WorkerOutput> {
    let unfounded = is_unfounded(turn, loaded);
    let sent_back = |step: &Step| step.did == StepKind::Challenged;
    if unfounded && !loaded.steps.iter().any(sent_back) {
        return None;
    }
    let done = actions(&loaded.steps);
    if loaded.run.job.is_some() && turn.text.trim() == NOTHING {
        return Some(WorkerOutput::done(String::new(), done));
    }
    // A team's output goes to no person, and may be a text that somebody is to send.
    Some(if unfounded && loaded.run.parent.is_none() {
        WorkerOutput::failed(text::claimed_in_vain(turn.text.trim()), done)
    } else if direct::failed(loaded) {
        WorkerOutput::failed(turn.text.clone(), done)
    } else {
        answer(turn, done)
    })
}

/// The toolsets a run began with, and those that are open by now.
fn open_toolsets(loaded: &LoadedRun, pending: &[NewStep]) -> (Toolsets, Toolsets) {
    let steps = loaded.steps.iter().map(|step| &step.did);
    let all = steps.chain(pending.iter().map(|step| &step.did));
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

fn start(system: &str, loaded: &LoadedRun, pending: &[NewStep]) -> Vec<Message> {
    let mut messages = conversation::build(system, &loaded.run, &loaded.steps);
    // Context taken a moment ago isn't in the journal yet; it stands before the request.
    for step in pending {
        if let StepKind::Context { lines, .. } = &step.did {
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

/// Whether a turn says nothing and calls nothing; one that thinks until its limit does.
fn is_empty(turn: &Turn) -> bool {
    turn.tool_calls.is_empty() && turn.text.trim().is_empty() && turn.finish != Finish::Filtered
}

/// Whether the turn before was such a one: asking again didn't help.
fn was_empty(loaded: &LoadedRun) -> bool {
    let last = loaded.steps.last().map(|step| &step.did);
    matches!(last, Some(StepKind::Turn(turn)) if is_empty(turn))
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

/// Ids of calls are unique within the whole run, whatever the model gave, and a call that was cut is none
/// without arguments.
fn normalised(mut turn: Turn, loaded: &LoadedRun) -> Turn {
    let last = turn.tool_calls.last_mut();
    if let Some(call) = last.filter(|_| turn.finish == Finish::Length)
        && call.arguments.trim().is_empty()
    {
        call.arguments = "{".into();
    }
    let earlier = loaded.steps.iter().flat_map(|step| match &step.did {
        StepKind::Turn(turn) => turn.tool_calls.as_slice(),
        _ => &[],
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
