//! Reads the messages of a thread before the request.

use alfred_core::ports::ChatMessage;
use alfred_core::{RunId, UserId};

use crate::model::{NewStep, Run, StepKind, elapsed_ms};
use crate::store::ports::Ports;

const MESSAGES: usize = 30;

/// The thread's messages before the request, without Alfred's answers that the memory has.
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
    let asked = run.asked_ts.as_ref();
    messages.retain(|message| asked.is_none_or(|asked| message.ts < *asked));
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

/// Whether it answers a remembered request. Forged answers are skipped too, since the memory has the real one.
fn is_remembered(run: &Run, message: &ChatMessage) -> bool {
    let key = message.key.as_deref().filter(|_| message.from_app);
    let Some((id, part)) = key.and_then(|key| key.split_once(':')) else {
        return false;
    };
    let is_reply = part.split(':').next() == Some("line") || part.parse::<usize>().is_ok();
    let id = Some(RunId::from(id));
    is_reply && run.before.history.iter().any(|said| said.run == id)
}

fn line(message: &ChatMessage) -> String {
    let user = message.user.as_ref().map(UserId::as_str);
    let user = user.unwrap_or("somebody");
    let who = if message.from_app { "an app" } else { user };
    format!("{who}: {}", message.text)
}
