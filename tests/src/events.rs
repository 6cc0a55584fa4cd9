//! Envelopes of what people do, as the receiver queues them.

use alfred_core::envelope::{Click, Command, SlackMessage};
use alfred_core::ports::Clock;
use alfred_core::{
    Envelope, Payload, ReplyAddress, ResponseType, SessionId, TeamId, TraceId, UserId,
};
use alfred_testkit::ManualClock;

pub fn team() -> TeamId {
    "T1".into()
}

pub fn own_dm(user: &str) -> ReplyAddress {
    ReplyAddress {
        channel: format!("D{user}").as_str().into(),
        thread_ts: None,
        response_type: ResponseType::Dm,
    }
}

/// An event with this identity in the session of the user's direct message.
pub fn event(user: &str, identity: &str, payload: Payload) -> Envelope {
    let (team, channel) = (team(), own_dm(user).channel);
    let user = UserId::from(user);
    let (_, trigger) = identity.rsplit_once(':').unwrap_or_default();
    Envelope {
        v: 1,
        trace_id: TraceId::derive(&team, identity),
        trigger: format!("Ev{trigger}"),
        identity: identity.to_owned(),
        hops: 0,
        session: SessionId::new(&team, &user, &channel, None),
        team,
        user,
        received_at: ManualClock::default().now(),
        payload,
    }
}

pub fn sweep() -> Envelope {
    event("U1", "sweep", Payload::Sweep {})
}

pub fn dm(user: &str, ts: &str, text: &str) -> Envelope {
    let channel = own_dm(user).channel;
    message(user, channel.as_str(), ts, None, ResponseType::Dm, text)
}

pub fn message(
    user: &str,
    channel: &str,
    ts: &str,
    thread_ts: Option<&str>,
    response_type: ResponseType,
    text: &str,
) -> Envelope {
    let written = SlackMessage {
        text: text.into(),
        files: Vec::new(),
        quotes: false,
        ts: ts.into(),
        mentioned: response_type != ResponseType::Dm,
        reply_to: ReplyAddress {
            channel: channel.into(),
            thread_ts: thread_ts.map(str::to_owned),
            response_type,
        },
    };
    let identity = format!("msg:{channel}:{ts}");
    let session = SessionId::new(&team(), &user.into(), &channel.into(), thread_ts);
    Envelope {
        session,
        ..event(user, &identity, Payload::Message(written))
    }
}

/// Ana starts a thread in C1 by mentioning Alfred.
pub fn mention(ts: &str, text: &str) -> Envelope {
    message("U1", "C1", ts, Some(ts), ResponseType::Channel, text)
}

/// Ana writes in the thread of C1 that starts at `root`.
pub fn in_thread(ts: &str, root: &str, text: &str) -> Envelope {
    message("U1", "C1", ts, Some(root), ResponseType::Thread, text)
}

pub fn click(user: &str, action: &str, value: &str, trigger: &str) -> Envelope {
    let click = Click {
        action_id: action.into(),
        value: value.into(),
        message_ts: None,
        view_id: None,
        reply_to: own_dm(user),
    };
    event(user, &format!("trg:{trigger}"), Payload::Click(click))
}

pub fn command(user: &str, text: &str, trigger: &str) -> Envelope {
    let command = Command {
        command: "/alfred".into(),
        text: text.into(),
        files: Vec::new(),
        reply_to: own_dm(user),
    };
    event(user, &format!("trg:{trigger}"), Payload::Command(command))
}

/// Serializes and reads an envelope, as a queue does.
pub fn on_the_wire(envelope: &Envelope) -> Envelope {
    let text = serde_json::to_string(envelope).unwrap();
    serde_json::from_str(&text).unwrap()
}
