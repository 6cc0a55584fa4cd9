//! The agent loop: a model turn, its tool calls, the next turn, until there is an answer. Each turn
//! and result is committed before the next starts, so another worker can continue from the journal.

use alfred_core::ports::{
    Finish, Message, ModelError, Output, ToolCall, ToolSpec, Turn, TurnRequest,
};
use alfred_core::{Failure, Role, WorkerOutput, text};
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use crate::approval::park::Ask;
use crate::calls::Calls;
use crate::calls::context::{AgentLoop, RunContext};
use crate::history::{actions, attached_files, frame, open_calls};
use crate::model::run::elapsed_ms;
use crate::model::step::{NewStep, Step, StepKind};
use crate::slack::thread;
use crate::store::journal::LoadedRun;
use crate::tool::delegate::passing_on;
use crate::tool::is_part;
use crate::tool::program::Program;
use crate::tool::toolsets::{self, Toolsets};
use crate::turn::answer::{ended_by, is_empty, was_empty};
use crate::turn::exhausted::OVER_BUDGET;
use crate::turn::model_turn::{
    TURN_TIMEOUT, UNUSABLE_ANSWER, Unanswered, has_time, turn_time, unanswered,
};
use crate::turn::{attached, conversation, direct};

/// Why an agent stopped.
pub(crate) enum Left {
    /// It has an outcome; these steps must be committed with it.
    Ended(Vec<NewStep>, WorkerOutput),
    /// It failed, with a message for the person.
    Failed(Vec<NewStep>, String),
    /// Its owner must be asked, or was asked already.
    Asking(Vec<Ask>),
    /// The outcome of an effect can be checked after this delay.
    Later(Duration),
    /// The model's provider asked for a pause.
    Paused(Vec<NewStep>, Duration),
    /// This invocation has too little time left.
    OutOfTime(Vec<NewStep>),
}

/// Works on a run until it has an outcome, must wait, or the invocation's time is over. `first` are
/// uncommitted steps, such as the classification; they go into the first commit.
pub(crate) async fn work(
    cx: RunContext<'_>,
    program: &Program,
    first: Vec<NewStep>,
) -> Result<(), Failure> {
    let agent = &program.own;
    let mut work = AgentLoop { program, agent, cx };
    let left = work.turns(first).await;
    let outcome = match left {
        Ok(left) => work.leave(left).await,
        Err(failure) => Err(failure),
    };
    work.cx.status.settle().await;
    outcome
}

impl AgentLoop<'_> {
    /// Ends, parks or hands on the run, depending on why its own agent stopped.
    async fn leave(&mut self, left: Left) -> Result<(), Failure> {
        match left {
            Left::Ended(steps, output) => {
                let output = self.with_status(output);
                self.cx.end(steps, output).await
            }
            Left::Failed(steps, reason) => {
                let output = self.cut_short(reason);
                self.cx.end(steps, output).await
            }
            Left::Asking(asks) => self.park(asks).await,
            Left::Later(after) => self.cx.wake_after(vec![], after, |_| {}).await,
            Left::Paused(steps, after) => self.cx.pause(steps, after).await,
            Left::OutOfTime(pending) => self.cx.hand_on(&pending).await,
        }
    }

    pub(crate) async fn turns(&mut self, first: Vec<NewStep>) -> Result<Left, Failure> {
        let mut pending = first;
        // Rare branches are boxed, because this future is nested once per level of delegation.
        Box::pin(self.begin(&mut pending)).await?;
        if self.cx.loaded.frame.is_own()
            && let Some(left) = Box::pin(self.compact(&mut pending)).await?
        {
            return Ok(left);
        }
        let (system, mut request) = self.first_request(&pending)?;
        let agent = self.agent;
        loop {
            if !self.open_calls().is_empty() {
                if let Some(left) = self.interpret().await? {
                    return Ok(left);
                }
                let known = self.cx.loaded.steps.len();
                match Box::pin(self.run_open()).await? {
                    Calls::Answered => {
                        let new = &self.cx.loaded.steps[known..];
                        let own = frame::own(&self.cx.loaded.steps, &self.cx.loaded.frame);
                        conversation::take_results(&mut request.messages, own);
                        if new.iter().any(|step| toolsets::opens(&step.did)) {
                            let (_, open) = open_toolsets(self.cx.loaded, &pending);
                            request.tools = self.specs(&open, &pending);
                        }
                    }
                    Calls::Asking(asks) => return Ok(Left::Asking(asks)),
                    Calls::Later(after) => return Ok(Left::Later(after)),
                    Calls::Paused(after) => return Ok(Left::Paused(vec![], after)),
                    Calls::OutOfTime => return Ok(Left::OutOfTime(pending)),
                }
            }
            if let Some(output) = self.passed_on() {
                return Ok(Left::Ended(pending, output));
            }
            let now = self.cx.now();
            if let Some(reason) = self.exhausted(now) {
                return Ok(Left::Failed(pending, reason.words()));
            }
            if !has_time(self.cx.deadline, now) {
                return Ok(Left::OutOfTime(pending));
            }
            let later = conversation::before_turn(self.cx.loaded, now);
            request.messages.extend(later);
            let is_last = self.is_last_turn();
            let last_step = is_last.then(conversation::last_step);
            request.messages.extend(last_step);
            request.timeout = turn_time(self.cx.deadline, now);
            let turn = match direct::turn(agent, self.cx.loaded, now) {
                Some(turn) => Ok(turn),
                None => match self.affordable(&request) {
                    Some(affordable) => self.model_turn(&affordable).await,
                    None => return Ok(Left::Failed(pending, OVER_BUDGET.to_owned())),
                },
            };
            let ms = elapsed_ms(now, self.cx.now());
            let turn = match turn {
                Ok(turn) => normalised(turn, self.cx.loaded),
                Err(error) => return Ok(self.without_turn(pending, &error, request.timeout)),
            };
            let mut steps = std::mem::take(&mut pending);
            steps.push(StepKind::Turn(turn.clone()).took(ms));
            let (last, known) = (turn.tool_calls.is_empty(), self.cx.loaded.steps.len());
            let empty = is_empty(&turn);
            if empty && was_empty(self.cx.loaded) {
                return Ok(self.said_nothing(steps));
            }
            if last && !empty {
                return Ok(Left::Ended(steps, ended_by(&turn, self.cx.loaded)));
            }
            if is_last {
                return Ok(Left::Failed(steps, self.out_of_turns().words()));
            }
            self.cx.commit(steps, vec![], |_| {}).await?;
            if empty {
                // Rebuilt messages end with a note about the empty turn.
                request.messages = self.messages(&system, &[])?;
            } else {
                request.messages.extend(self.new_messages(known));
            }
        }
    }

    /// Calls of this agent's last turn without a result.
    pub(crate) fn open_calls(&self) -> Vec<ToolCall> {
        open_calls(&self.cx.loaded.steps, &self.cx.loaded.frame)
    }

    /// The messages of steps after the first `known` ones.
    fn new_messages(&self, known: usize) -> Vec<Message> {
        let loaded = &*self.cx.loaded;
        let new = frame::own(&loaded.steps[known..], &loaded.frame);
        new.filter_map(|step| conversation::message(&step.did))
            .collect()
    }

    fn messages(&self, system: &str, pending: &[NewStep]) -> Result<Vec<Message>, Failure> {
        let LoadedRun {
            run, steps, frame, ..
        } = &*self.cx.loaded;
        if frame.is_own() {
            return Ok(start(system, &self.cx, pending));
        }
        let task = frame::task(steps, frame).ok_or_else(|| Failure::bug("no task"))?;
        let own = frame::own(steps, frame);
        let opened = &self.cx.opened;
        Ok(conversation::delegated(system, task, run, own, opened))
    }

    /// The outcome after repeated empty turns. For a scheduled run it means nothing to report.
    fn said_nothing(&self, steps: Vec<NewStep>) -> Left {
        let loaded = &*self.cx.loaded;
        if loaded.run.job.is_some() && loaded.frame.is_own() {
            let nothing = WorkerOutput::done(String::new(), actions(&loaded.steps));
            return Left::Ended(steps, nothing);
        }
        Left::Failed(steps, UNUSABLE_ANSWER.to_owned())
    }

    /// Prepares a run's first step: start time, thread context and files.
    async fn begin(&mut self, pending: &mut Vec<NewStep>) -> Result<(), Failure> {
        if self.cx.loaded.steps.is_empty() {
            // Stored with the first step, so that every later prompt gives the same time.
            self.cx.loaded.run.began_at = Some(self.cx.now());
            pending.extend(thread::before(self.cx.ports, self.cx.run()).await);
            let policy = &self.agent.attachments;
            pending.extend(attached::open(self.cx.ports, self.cx.run(), policy).await?);
        }
        let did = attached::kinds(self.cx.loaded, pending);
        self.cx.opened = attached::load(self.cx.ports, self.cx.run(), did).await?;
        Ok(())
    }

    /// The system prompt and the first turn's request of this invocation.
    fn first_request(&mut self, pending: &[NewStep]) -> Result<(String, TurnRequest), Failure> {
        let (agent, role) = (self.agent, self.role());
        // Stored with the turn that was shown them.
        let strangers = agent.tools.described_by_others();
        self.cx.loaded.run.taint.untrusted.extend(strangers);
        let (at_first, open) = open_toolsets(self.cx.loaded, pending);
        // Toolsets opened later bring their rules in the result. The prompt stays unchanged, so the
        // provider's cache stays valid.
        let system = (agent.prompt)(self.cx.run(), &agent.tools.defs(role, &at_first));
        let request = TurnRequest {
            messages: self.messages(&system, pending)?,
            tools: self.specs(&open, pending),
            output: Output::Text,
            max_output_tokens: agent.limits.max_output_tokens,
            timeout: TURN_TIMEOUT,
        };
        Ok((system, request))
    }

    /// The open tools as this agent's model sees them.
    pub(crate) fn specs(&self, open: &Toolsets, pending: &[NewStep]) -> Arc<[ToolSpec]> {
        let tools = &self.agent.tools;
        let specs = tools.specs(self.role(), open);
        let did = attached::kinds(self.cx.loaded, pending);
        let mut files = did.flat_map(attached_files);
        match files.any(|file| file.opened().is_some()) {
            true => passing_on(tools, &specs),
            false => specs,
        }
    }

    pub(crate) fn role(&self) -> Role {
        self.cx.run().input.user().role
    }

    /// Handles a failed turn: pause, hand on or end.
    fn without_turn(
        &mut self,
        pending: Vec<NewStep>,
        error: &ModelError,
        timeout: Duration,
    ) -> Left {
        match unanswered(self.cx.loaded, error, timeout) {
            Unanswered::Pause(after) => {
                self.cx.show_status(text::STATUS_THINKING);
                Left::Paused(pending, after)
            }
            Unanswered::OutOfTime => Left::OutOfTime(pending),
            Unanswered::Told(reason) => Left::Failed(pending, reason),
        }
    }
}

/// The toolsets of the run at its start and now.
fn open_toolsets(loaded: &LoadedRun, pending: &[NewStep]) -> (Toolsets, Toolsets) {
    if !loaded.frame.is_own() {
        return (Toolsets::All, Toolsets::All);
    }
    let steps = loaded.steps.iter().map(|step| &step.did);
    let all = steps.chain(pending.iter().map(|step| &step.did));
    let is_classified = |did: &&StepKind| matches!(did, StepKind::Classified(_));
    let classified = all.clone().filter(is_classified);
    (
        Toolsets::after(&loaded.run, classified),
        Toolsets::after(&loaded.run, all),
    )
}

fn start(system: &str, cx: &RunContext<'_>, pending: &[NewStep]) -> Vec<Message> {
    let (run, steps) = (&cx.loaded.run, &cx.loaded.steps);
    let mut messages = conversation::build(system, run, steps, &cx.opened);
    // Uncommitted thread context goes before the request.
    for step in pending {
        if let StepKind::Context { lines, .. } = &step.did {
            let before_request = messages.len().saturating_sub(1);
            messages.insert(before_request, conversation::thread_context(lines));
        }
    }
    let opened = pending.iter().map(|step| &step.did);
    messages.extend(attached::shown(opened, &cx.opened));
    messages
}

/// Makes call ids unique within the run. A call cut off before its arguments gets invalid ones, so
/// that it fails.
fn normalised(mut turn: Turn, loaded: &LoadedRun) -> Turn {
    let last = turn.tool_calls.last_mut();
    if let Some(call) = last.filter(|_| turn.finish == Finish::Length)
        && call.arguments.trim().is_empty()
    {
        call.arguments = "{".into();
    }
    let earlier = loaded.steps.iter().filter_map(Step::turn);
    let earlier = earlier.flat_map(|turn| &turn.tool_calls);
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
