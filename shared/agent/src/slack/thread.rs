//! Reads the messages of a thread before the request.

use alfred_core::ports::ChatMessage;

use crate::model::run::{Run, elapsed_ms};
use crate::model::step::{NewStep, StepKind};
use crate::store::ports::Ports;

const MESSAGES: usize = 30;

/// The thread's messages before the request, without Alfred's answers that the memory has. The
/// owner's own messages are trusted; all others are untrusted.
pub async fn before(ports: &Ports, run: &Run) -> Option<NewStep> {
    let slack = run.input.slack();
    let thread_ts = slack.thread_ts.as_deref().filter(|_| run.in_thread())?;
    let began = ports.clock.now();
    let read = ports.chat.thread(&slack.channel_id, thread_ts, MESSAGES);
    let mut messages = match read.await {
        Ok(messages) => messages,
        Err(error) => {
            tracing::warn!(run.id = %run.id, error = %error, "answering without the thread's context");
            return None;
        }
    };
    let asked = run.asked_ts.as_deref();
    messages.retain(|message| asked.is_none_or(|asked| message.ts.as_str() < asked));
    messages.retain(|message| !is_remembered(run, message));
    let own = |message: &ChatMessage| {
        message.user.as_ref() == Some(&run.user) && !message.from_app && !message.quotes
    };
    let did = StepKind::Context {
        foreign: !messages.iter().all(own),
        conversation: slack.channel_id.clone(),
        lines: messages.iter().map(line).collect(),
    };
    let ms = elapsed_ms(began, ports.clock.now());
    (!messages.is_empty()).then(|| did.took(ms))
}

/// Whether it is an answer, or a notice instead of one, to a remembered request. Forged ones are
/// skipped too, since the memory has the real answer.
fn is_remembered(run: &Run, message: &ChatMessage) -> bool {
    let Some(key) = message.key.as_deref().filter(|_| message.from_app) else {
        return false;
    };
    let history = run.before.history.iter();
    let mut answered = history.filter_map(|exchange| exchange.run.as_ref());
    answered.any(|id| match key.strip_prefix(id.as_str()) {
        Some(part) => {
            let part = part.strip_prefix(':').unwrap_or_default();
            part == "line" || part.parse::<usize>().is_ok()
        }
        None => {
            let line = key.strip_prefix("line:");
            line.is_some_and(|rest| rest.starts_with(&format!("{id}:")))
        }
    })
}

fn line(message: &ChatMessage) -> String {
    let who = match (&message.user, message.from_app) {
        (_, true) => "an app",
        (Some(user), false) => user.as_str(),
        (None, false) => "somebody",
    };
    format!("{who}: {}", message.text)
}
