//! A model turn: its time limits, shortened requests, and handling of failures.

use alfred_core::Deadline;
use alfred_core::ports::{Message, Model, ModelError, Turn, TurnRequest};
use jiff::Timestamp;
use std::sync::Arc;
use std::time::Duration;

use crate::calls::context::AgentLoop;
use crate::store::journal::LoadedRun;
use crate::tool::toolsets::{OPEN_TOOL, Toolsets};
use crate::turn::request::{self, TURN_TIMEOUT};
use crate::turn::{attached, conversation};

pub(crate) const UNUSABLE_ANSWER: &str =
    "My language model gave an answer I can't use. Please try again in a moment.";

const MODEL_TIMED_OUT: &str = "The service behind my language model didn't answer in time, which has nothing to do with what you wrote. Please try again in a moment.";
const MODEL_REFUSES: &str = "The service behind my language model doesn't take my requests: that has to do with its key, its credit or its settings, and not with what you wrote. The log says why; asking again helps once that is mended.";
const MODEL_TAKES_TOO_LITTLE: &str = "My language model takes less at once than I need for this, though what you wrote is short. The log says how much; asking again helps once the model is set to a larger context.";
const TOO_MUCH_FOR_MODEL: &str =
    "That is more than my language model can take at once. Please ask for a smaller part of it.";

/// Time reserved to commit a turn and send the run on.
const RESERVE: Duration = Duration::from_secs(10);
/// Minimum remaining time to start a turn.
const LEAST_TURN: Duration = Duration::from_secs(20);
/// Longest accepted pause; for longer ones the person is notified instead.
const LONGEST_PAUSE: Duration = Duration::from_secs(300);
const MAX_PAUSES: u32 = 5;

/// Whether there is time for a turn and its commit.
pub(crate) fn has_time(deadline: Deadline, now: Timestamp) -> bool {
    deadline.allows(now, LEAST_TURN + RESERVE)
}

/// The timeout of a turn that starts now.
pub(crate) fn turn_time(deadline: Deadline, now: Timestamp) -> Duration {
    match deadline.remaining(now) {
        Some(left) => TURN_TIMEOUT.min(left.saturating_sub(RESERVE)),
        None => TURN_TIMEOUT,
    }
}

/// Takes a model turn. If the request is too long, tries with a shorter one, then with fewer tools.
pub(crate) async fn model_turn(
    work: &mut AgentLoop<'_>,
    request: &TurnRequest,
) -> Result<Turn, ModelError> {
    let whole = Box::pin(ask_with_files(work, request)).await;
    if !is_too_long(work, &whole) {
        return whole;
    }
    let mut short = conversation::shortened(request);
    short.timeout = turn_time(work.cx.deadline, work.cx.now());
    let shortened = ask_model(work, &short).await;
    if !is_too_long(work, &shortened) || work.agent.tools.get(OPEN_TOOL).is_none() {
        return shortened;
    }
    let fewer = with_fewer_tools(work, short);
    ask_model(work, &fewer).await
}

/// Takes a turn. If the model accepts no files, retries with their names only.
async fn ask_with_files(
    work: &mut AgentLoop<'_>,
    request: &TurnRequest,
) -> Result<Turn, ModelError> {
    match ask_model(work, request).await {
        Err(ModelError::Refused { detail }) if attached::are_shown(&request.messages) => {
            tracing::warn!(run.id = %work.cx.run().id, detail, "the model refuses a request with files; asking without them");
            let mut without = attached::not_shown(request);
            without.timeout = turn_time(work.cx.deadline, work.cx.now());
            ask_model(work, &without).await
        }
        turn => turn,
    }
}

pub(crate) async fn ask_model(
    work: &mut AgentLoop<'_>,
    request: &TurnRequest,
) -> Result<Turn, ModelError> {
    let cx = &mut work.cx;
    cx.status.keep(cx.ports, &cx.loaded.run);
    model(work)?.turn(request, &mut |_| {}).await
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

fn is_too_long(work: &AgentLoop<'_>, turn: &Result<Turn, ModelError>) -> bool {
    let Err(ModelError::TooLong { detail }) = turn else {
        return false;
    };
    tracing::warn!(run.id = %work.cx.run().id, detail, "the conversation is too long for the model; asking with less of it");
    true
}

/// The request with only the toolsets opened last and the tool to open others.
fn with_fewer_tools(work: &AgentLoop<'_>, asked: TurnRequest) -> TurnRequest {
    let (agent, role) = (work.agent, work.role());
    let steps = work.cx.loaded.steps.iter().map(|step| &step.did);
    let open = Toolsets::opened_last(steps);
    let system = (agent.prompt)(work.cx.run(), &agent.tools.defs(role, &open));
    let mut messages = asked.messages;
    if let Some(first @ Message::System { .. }) = messages.first_mut() {
        *first = Message::system(system);
    }
    TurnRequest {
        messages,
        tools: request::specs(work, &open, &[]),
        timeout: turn_time(work.cx.deadline, work.cx.now()),
        ..asked
    }
}

/// Requests up to this size in bytes should fit every usable model.
const SHORT_REQUEST: usize = 4_000;

/// Whether the task is so short that the person could not shorten it.
fn is_short(loaded: &LoadedRun) -> bool {
    conversation::task(&loaded.run.input).len() <= SHORT_REQUEST
}

/// How to continue after a failed turn.
pub(crate) enum Unanswered {
    /// Retry after this delay.
    Pause(Duration),
    /// Retry in another invocation.
    OutOfTime,
    /// End with this message.
    Told(String),
}

/// Decides how to continue after a failed turn. `timeout` is the time that the turn had.
pub(crate) fn unanswered(loaded: &LoadedRun, error: &ModelError, timeout: Duration) -> Unanswered {
    tracing::warn!(run.id = %loaded.run.id, error = %error, "no model turn");
    Unanswered::Told(match error {
        ModelError::RateLimited {
            retry_after: Some(after),
            ..
        } if loaded.run.progress.pauses < MAX_PAUSES && *after <= LONGEST_PAUSE => {
            return Unanswered::Pause(*after);
        }
        ModelError::Timeout { .. } if timeout < TURN_TIMEOUT => return Unanswered::OutOfTime,
        ModelError::RateLimited { retry_after, .. } => too_many_requests(*retry_after),
        ModelError::Timeout { .. } => MODEL_TIMED_OUT.to_owned(),
        ModelError::Unavailable { .. } => {
            "I couldn't reach my language model just now. Please try again in a moment.".to_owned()
        }
        ModelError::Refused { .. } => MODEL_REFUSES.to_owned(),
        ModelError::TooLong { .. } if is_short(loaded) => MODEL_TAKES_TOO_LITTLE.to_owned(),
        ModelError::TooLong { .. } => TOO_MUCH_FOR_MODEL.to_owned(),
        ModelError::Unusable { .. } => UNUSABLE_ANSWER.to_owned(),
    })
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
