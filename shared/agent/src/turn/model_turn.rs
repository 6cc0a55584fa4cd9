//! A model turn: its time limits, shortened requests, and handling of failures.

use alfred_core::ports::{Finish, Message, Model, ModelError, Turn, TurnRequest};
use alfred_core::{Deadline, WorkerOutput, text};
use jiff::Timestamp;
use std::sync::Arc;
use std::time::Duration;

use crate::approval::pending::Ask;
use crate::calls::context::AgentLoop;
use crate::history::{actions, frame};
use crate::model::{NOTHING, NewStep, StepKind};
use crate::store::journal::LoadedRun;
use crate::tool::toolsets::{OPEN_TOOL, Toolsets};
use crate::turn::conversation::cut;
use crate::turn::request::{self, TURN_TIMEOUT};
use crate::turn::{attached, conversation, direct};

pub(crate) const UNUSABLE_ANSWER: &str =
    "My language model gave an answer I can't use. Please try again in a moment.";

const MODEL_TIMED_OUT: &str = "The service behind my language model didn't answer in time, which has nothing to do with what you wrote. Please try again in a moment.";
const MODEL_REFUSES: &str = "My language model's provider rejects my requests. The cause is the API key, the credit or the settings, not your message. Please tell an administrator; the log has the details.";
const MODEL_NOT_CONFIGURED: &str = "I have no language model yet: its key or its settings are missing. Please tell an administrator; the log names what to set.";
const MODEL_TAKES_TOO_LITTLE: &str = "My language model's context is too small for this, although your message is short. Please ask an administrator to set a larger one; the log says how much is needed.";
const TOO_MUCH_FOR_MODEL: &str =
    "That is more than my language model can take at once. Please ask for a smaller part of it.";

const MODEL_DECLINES: &str =
    "My language model declined to answer that. Could you put it differently?";
const MODEL_UNREACHABLE: &str =
    "I couldn't reach my language model just now. Please try again in a moment.";

/// Requests up to this size in bytes should fit every usable model.
const SHORT_REQUEST: usize = 4_000;
const SHORT_RESULT_CHARS: usize = 2_000;
const SHORT_ANSWER_TOKENS: u32 = 800;

/// Time reserved to commit a turn and send the run on.
const RESERVE: Duration = Duration::from_secs(10);
const LEAST_TURN: Duration = Duration::from_secs(20);
/// Longest accepted pause; for longer ones the person is notified instead.
const LONGEST_PAUSE: Duration = Duration::from_secs(300);
const MAX_PAUSES: u32 = 5;

pub(crate) fn has_time(deadline: Deadline, now: Timestamp) -> bool {
    deadline.allows(now, LEAST_TURN + RESERVE)
}

pub(crate) fn turn_time(deadline: Deadline, now: Timestamp) -> Duration {
    let left = deadline.remaining(now).unwrap_or(Duration::MAX);
    TURN_TIMEOUT.min(left.saturating_sub(RESERVE))
}

pub(crate) type TurnResult = Result<Turn, ModelError>;

/// Takes a model turn. Retries without files, then with a shorter request, then with fewer tools, if the model needs it.
pub(crate) async fn model_turn(work: &mut AgentLoop<'_>, request: &TurnRequest) -> TurnResult {
    let mut turn = Box::pin(ask_model(work, request)).await;
    if let Err(ModelError::Refused { detail }) = &turn
        && let Some(mut without) = attached::not_shown(request)
    {
        tracing::warn!(run.id = %work.cx.run().id, detail, "the model refuses a request with files; asking without them");
        turn = Box::pin(ask_again(work, &mut without)).await;
    }
    if !is_too_long(work, &turn) {
        return turn;
    }
    let mut short = shortened(request);
    let turn = Box::pin(ask_again(work, &mut short)).await;
    if !is_too_long(work, &turn) || work.agent.tools.get(OPEN_TOOL).is_none() {
        return turn;
    }
    keep_fewer_tools(work, &mut short);
    ask_again(work, &mut short).await
}

async fn ask_again(work: &mut AgentLoop<'_>, request: &mut TurnRequest) -> TurnResult {
    request.timeout = turn_time(work.cx.deadline, work.cx.now());
    ask_model(work, request).await
}

pub(crate) async fn ask_model(work: &mut AgentLoop<'_>, request: &TurnRequest) -> TurnResult {
    let model = model(work)?;
    let cx = &mut work.cx;
    cx.status.keep(cx.ports, &cx.loaded.run);
    model.turn(request, &mut cx.loaded.run.progress.usage).await
}

pub(crate) fn model(work: &AgentLoop<'_>) -> Result<Arc<dyn Model>, ModelError> {
    let model = &work.cx.ports.model;
    let Some(name) = &work.agent.model else {
        return Ok(model.clone());
    };
    model.named(name).ok_or_else(|| ModelError::Refused {
        detail: format!("{} alone answers here, not {name}", model.name()),
    })
}

fn is_too_long(work: &AgentLoop<'_>, turn: &TurnResult) -> bool {
    let Err(ModelError::TooLong { detail }) = turn else {
        return false;
    };
    tracing::warn!(run.id = %work.cx.run().id, detail, "the conversation is too long for the model; asking with less of it");
    true
}

/// Drops earlier exchanges and the model's reasoning, cuts tool results and limits the answer.
fn shortened(asked: &TurnRequest) -> TurnRequest {
    let from = conversation::request(&asked.messages).map_or(0, |(at, _)| at);
    let is_system = |message: &&Message| matches!(message, Message::System { .. });
    let system = asked.messages[..from].iter().filter(is_system);
    let mut messages: Vec<Message> = system.chain(&asked.messages[from..]).cloned().collect();
    for message in &mut messages {
        match message {
            Message::Tool { text, .. } => *text = cut(text, SHORT_RESULT_CHARS).into(),
            Message::Assistant { tool_calls, .. } => {
                let mut calls = tool_calls.to_vec();
                let echoes = calls.iter_mut().filter_map(|call| call.echo.as_mut());
                echoes.for_each(|echo| echo.message.clear());
                *tool_calls = calls.into();
            }
            _ => {}
        }
    }
    TurnRequest {
        messages,
        max_output_tokens: asked.max_output_tokens.min(SHORT_ANSWER_TOKENS),
        ..asked.clone()
    }
}

fn keep_fewer_tools(work: &AgentLoop<'_>, request: &mut TurnRequest) {
    let (agent, role) = (work.agent, work.role());
    let steps = work.cx.loaded.steps.iter().map(|step| &step.did);
    let open = Toolsets::opened_last(steps);
    if let Some(first @ Message::System { .. }) = request.messages.first_mut() {
        let system = (agent.prompt)(work.cx.run(), &agent.tools.defs(role, &open));
        *first = Message::system(system);
    }
    request.tools = request::specs(work, &open, &[]);
}

pub(crate) enum Left {
    /// It has an outcome; these steps must be committed with it.
    Ended(Vec<NewStep>, WorkerOutput),
    Failed(Vec<NewStep>, String),
    /// Its owner must be asked, or was asked already.
    Asking(Vec<Ask>),
    /// The outcome of an effect can be checked after this delay.
    Later(Duration),
    Paused(Vec<NewStep>, Duration),
    OutOfTime(Vec<NewStep>),
}

/// `timeout` is the time that the failed turn had.
pub(crate) fn unanswered(
    work: &mut AgentLoop<'_>,
    pending: Vec<NewStep>,
    error: &ModelError,
    timeout: Duration,
) -> Left {
    let run = work.cx.run();
    tracing::warn!(run.id = %run.id, error = %error, "no model turn");
    let reason = match error {
        ModelError::RateLimited {
            retry_after: Some(after),
            ..
        } if run.progress.pauses < MAX_PAUSES && *after <= LONGEST_PAUSE => {
            work.cx.show_status(text::STATUS_THINKING);
            return Left::Paused(pending, *after);
        }
        ModelError::Timeout { .. } if timeout < TURN_TIMEOUT => return Left::OutOfTime(pending),
        ModelError::RateLimited { retry_after, .. } => too_many_requests(*retry_after),
        ModelError::Timeout { .. } => MODEL_TIMED_OUT.to_owned(),
        ModelError::Unavailable { .. } => MODEL_UNREACHABLE.to_owned(),
        ModelError::Refused { .. } => MODEL_REFUSES.to_owned(),
        ModelError::NotConfigured { .. } => MODEL_NOT_CONFIGURED.to_owned(),
        // So short that the person could not shorten it.
        ModelError::TooLong { .. } if conversation::task(&run.input).len() <= SHORT_REQUEST => {
            MODEL_TAKES_TOO_LITTLE.to_owned()
        }
        ModelError::TooLong { .. } => TOO_MUCH_FOR_MODEL.to_owned(),
        ModelError::Unusable { .. } => UNUSABLE_ANSWER.to_owned(),
    };
    Left::Failed(pending, reason)
}

fn too_many_requests(wait: Option<Duration>) -> String {
    let minutes = wait.map_or(1, |wait| wait.as_secs().div_ceil(60));
    let again = match minutes {
        0 | 1 => "in a minute".into(),
        2..=90 => format!("in {minutes} minutes"),
        91..=2_880 => format!("in {} hours", minutes.div_ceil(60)),
        _ => "later".into(),
    };
    format!(
        "The service behind my language model takes no more requests right now. Please try again {again}."
    )
}

pub(crate) fn ended_by(turn: &Turn, loaded: &LoadedRun) -> WorkerOutput {
    let (is_own, text) = (loaded.frame.is_own(), turn.text.trim().to_owned());
    let done = actions(if is_own { &*loaded.steps } else { &[] });
    if is_own && loaded.run.job.is_some() && text == NOTHING {
        return WorkerOutput::done(String::new(), done);
    }
    match turn.finish {
        _ if is_own && direct::failed(loaded) => WorkerOutput::failed(text, done),
        Finish::Filtered => WorkerOutput::failed(MODEL_DECLINES, done),
        Finish::Stop if turn.refused => WorkerOutput::failed(text, done),
        Finish::Length => WorkerOutput::done(format!("{text} […]"), done),
        Finish::Stop | Finish::ToolCalls => WorkerOutput::done(text, done),
    }
}

/// Whether a turn has neither text nor tool calls; for example, reasoning reached the output limit.
pub(crate) fn is_empty(turn: &Turn) -> bool {
    turn.tool_calls.is_empty() && turn.text.trim().is_empty() && turn.finish != Finish::Filtered
}

pub(crate) fn was_empty(loaded: &LoadedRun) -> bool {
    let last = frame::own(&loaded.steps, &loaded.frame).last();
    matches!(last.map(|step| &step.did), Some(StepKind::Turn(turn)) if is_empty(turn))
}
