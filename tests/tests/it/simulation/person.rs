//! The owner, who only sees Slack.

use alfred_agent::slack::card::action;
use alfred_core::envelope::{Click, Command, SlackMessage, ViewSubmission};
use alfred_core::ports::{Chat, Clock, QueueName};
use alfred_core::{Envelope, Payload, ReplyAddress, ResponseType, SessionId};
use alfred_testkit::Kept;
use alfred_tests::own_dm;
use serde_json::{Value, json};
use std::time::Duration;

use crate::simulation::rig::Rig;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    Say(&'static str),
    SayAnd(&'static str),
    /// Clicks the first such button not yet clicked.
    Press(&'static str),
    /// Opens an approval's modal and saves another text.
    Edit(&'static str),
    Reason(&'static str),
    Wait(u64),
    Stop,
    /// Opens a chat with this worker. Later words go to its thread.
    Open(&'static str),
}

fn event(rig: &Rig, user: &str, kind: &str, payload: Payload) -> Envelope {
    let number = rig.events.get() + 1;
    rig.events.set(number);
    Envelope {
        received_at: rig.clock.now(),
        ..alfred_tests::event(user, &format!("{kind}:{number}"), payload)
    }
}

/// Where a user writes: the owner in their open chat, if any.
fn place(rig: &Rig, user: &str) -> ReplyAddress {
    let opened = rig.thread.borrow().clone().filter(|_| user == "U1");
    opened.unwrap_or_else(|| own_dm(user))
}

fn at(place: &ReplyAddress, event: Envelope) -> Envelope {
    let thread = place.thread_ts.as_deref();
    let session = SessionId::new(&event.team, &event.user, &place.channel, thread);
    Envelope { session, ..event }
}

pub fn stop(rig: &Rig) -> Envelope {
    let reply_to = place(rig, "U1");
    let stop = Payload::Stop {
        reply_to: reply_to.clone(),
    };
    at(&reply_to, event(rig, "U1", "evt", stop))
}

pub fn click(
    rig: &Rig,
    user: &str,
    action: &str,
    value: &str,
    card: Option<(&Kept, Option<String>)>,
) -> Envelope {
    let (message_ts, view_id) = match card {
        Some((kept, view)) => (Some(kept.ts.clone()), view),
        None => (None, None),
    };
    let click = Click {
        action_id: action.into(),
        value: value.into(),
        message_ts,
        view_id,
        reply_to: own_dm(user),
    };
    event(rig, user, "trg", Payload::Click(click))
}

pub fn says(rig: &Rig, user: &str, text: &str) -> Envelope {
    let ts = format!("1.{}", rig.events.get() + 1);
    let reply_to = place(rig, user);
    let message = SlackMessage {
        text: text.into(),
        files: Vec::new(),
        quotes: false,
        ts,
        mentioned: false,
        reply_to: reply_to.clone(),
    };
    let kind = format!("msg:D{user}");
    let said = event(rig, user, &kind, Payload::Message(message));
    at(&reply_to, said)
}

/// Opens a chat thread and finds it by its message.
async fn open(rig: &Rig, worker: &str) -> Result<(), String> {
    let command = Command {
        command: "/alfred".into(),
        text: format!("chat {worker}"),
        files: Vec::new(),
        reply_to: own_dm("U1"),
    };
    let command = event(rig, "U1", "trg", Payload::Command(command));
    settled(rig, &command).await?;
    let opening = format!("This thread is a conversation with {worker}: ");
    // Two workers on one command may open two threads.
    let mut posted = rig.sim.chat.posted().into_iter();
    let Some(kept) = posted.find(|kept| kept.text.starts_with(&opening)) else {
        return Err(format!("no thread with {worker}"));
    };
    *rig.thread.borrow_mut() = Some(ReplyAddress {
        channel: kept.channel,
        thread_ts: Some(kept.ts),
        response_type: ResponseType::Dm,
    });
    Ok(())
}

pub fn shown(kept: &Kept) -> String {
    alfred_tests::shown(&kept.text, &kept.blocks)
}

/// The first visible button of this kind not yet clicked, with its message.
fn button(rig: &Rig, id: &str) -> Option<(Kept, String)> {
    let clicked = rig.clicked.borrow();
    rig.sim.chat.posted().into_iter().find_map(|kept| {
        let own = kept.channel.as_str() == "DU1" || kept.channel.as_str() == "D1";
        let rows = kept.blocks.iter();
        let elements = rows.filter_map(|block| block["elements"].as_array());
        let buttons = elements.flatten().filter(|one| one["action_id"] == id);
        let mut values = buttons.filter_map(|element| element["value"].as_str());
        let value = values.find(|value| !clicked.contains(*value))?.to_owned();
        own.then_some((kept, value))
    })
}

/// Delivers an event and brings everything to rest.
async fn settled(rig: &Rig, event: &Envelope) -> Result<(), String> {
    rig.deliver_until_done(QueueName::Ingress, event).await;
    rig.settle().await
}

/// Does one act. An act without effect is fine, since the run may have ended. Fails if a run is stuck.
pub async fn act(rig: &Rig, act: Act) -> Result<(), String> {
    rig.trouble();
    match act {
        Act::Say(text) => settled(rig, &says(rig, "U1", text)).await,
        Act::SayAnd(text) => {
            let said = says(rig, "U1", text);
            rig.deliver_until_done(QueueName::Ingress, &said).await;
            Ok(())
        }
        Act::Stop => settled(rig, &stop(rig)).await,
        Act::Wait(minutes) => {
            rig.clock.advance(Duration::from_secs(60 * minutes));
            rig.trouble();
            rig.sim.queue.forget_dedup();
            rig.sweep().await;
            rig.settle().await
        }
        Act::Press(id) => press(rig, id).await,
        Act::Open(worker) => open(rig, worker).await,
        Act::Edit(text) => {
            let values = json!({"text#00": {"value": {"value": text}}});
            submit(rig, action::EDIT, "approval_edit", values).await
        }
        Act::Reason(text) => {
            let values = json!({"reason": {"value": {"value": text}}});
            let callback = "approval_reject_reason";
            submit(rig, action::REJECT_WITH_REASON, callback, values).await
        }
    }
}

async fn press(rig: &Rig, id: &str) -> Result<(), String> {
    let Some((kept, value)) = button(rig, id) else {
        return Ok(());
    };
    rig.clicked.borrow_mut().insert(value.clone());
    if matches!(id, action::APPROVE | action::REPEAT) {
        rig.approved.borrow_mut().push(shown(&kept));
    }
    if id == action::REPEAT {
        rig.repeats.set(rig.repeats.get() + 1);
    }
    let click = click(rig, "U1", id, &value, Some((&kept, None)));
    settled(rig, &click).await
}

async fn submit(rig: &Rig, id: &str, callback: &str, values: Value) -> Result<(), String> {
    let Some((kept, value)) = button(rig, id) else {
        return Ok(());
    };
    // The receiver opens a loading modal while the trigger is valid.
    let view = rig.sim.chat.open_view("trigger", &json!({})).await.unwrap();
    let open = click(rig, "U1", id, &value, Some((&kept, Some(view.clone()))));
    rig.deliver_until_done(QueueName::Ingress, &open).await;
    let filled = rig.sim.chat.view(&view).unwrap_or_default();
    if filled["callback_id"] != callback {
        return Ok(());
    }
    rig.clicked.borrow_mut().insert(value);
    let metadata = filled["private_metadata"].as_str().unwrap_or_default();
    let submission = ViewSubmission {
        callback_id: callback.into(),
        view_id: view,
        private_metadata: metadata.into(),
        values,
    };
    let submitted = event(rig, "U1", "trg", Payload::View(submission));
    settled(rig, &submitted).await
}
