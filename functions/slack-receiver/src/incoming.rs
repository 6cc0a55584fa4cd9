use alfred_core::envelope::ENVELOPE_VERSION;
use alfred_core::ports::{Outgoing, QueueName};
use alfred_core::{
    ChannelId, Envelope, Payload, ReplyAddress, ResponseType, SessionId, TeamId, TraceId, UserId,
};
use jiff::Timestamp;

#[derive(Clone, Debug, PartialEq)]
pub struct Incoming {
    pub team: TeamId,
    pub user: UserId,
    /// `msg:CHANNEL:TS`, `evt:EVENT_ID` or `trg:TRIGGER_ID`.
    pub identity: String,
    pub trigger: String,
    pub session: SessionId,
    pub payload: Payload,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Answered with 400.
    Malformed(&'static str),
    /// Answered with 200, since Slack would retry anything else.
    Unserved(&'static str),
}

impl Incoming {
    /// Messages are grouped by session and handled in order; everything else has its own group.
    pub fn into_outgoing(self, received_at: Timestamp) -> Outgoing {
        let trace_id = TraceId::derive(&self.team, &self.identity);
        let group = match &self.payload {
            Payload::Message(_) => self.session.to_string(),
            Payload::Click(_)
            | Payload::Command(_)
            | Payload::View(_)
            | Payload::Stop { .. }
            | Payload::Run { .. }
            | Payload::Sweep {} => trace_id.to_string(),
        };
        let envelope = Envelope {
            v: ENVELOPE_VERSION,
            identity: self.identity,
            trigger: self.trigger,
            trace_id: trace_id.clone(),
            hops: 0,
            team: self.team,
            user: self.user,
            session: self.session,
            received_at,
            payload: self.payload,
        };
        Outgoing::new(QueueName::Ingress, envelope, group, trace_id.0)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub session_thread: Option<String>,
    pub reply_to: ReplyAddress,
}

impl Place {
    /// `ts` is the message's own timestamp.
    pub fn new(channel: &ChannelId, is_dm: bool, ts: &str, thread_ts: Option<&str>) -> Self {
        let thread = thread_ts.filter(|thread| *thread != ts);
        let (thread_ts, response_type) = match (is_dm, thread) {
            (true, thread) => (thread, ResponseType::Dm),
            (false, Some(thread)) => (Some(thread), ResponseType::Thread),
            (false, None) => (Some(ts), ResponseType::Channel),
        };
        Self {
            session_thread: thread_ts.map(str::to_owned),
            reply_to: ReplyAddress {
                channel: channel.clone(),
                thread_ts: thread_ts.map(str::to_owned),
                response_type,
            },
        }
    }

    /// Slack opens the direct message by the user's id.
    pub fn direct(user: &UserId) -> Self {
        Self {
            session_thread: None,
            reply_to: ReplyAddress::direct(user),
        }
    }

    pub fn session(&self, team: &TeamId, user: &UserId) -> SessionId {
        SessionId::new(
            team,
            user,
            &self.reply_to.channel,
            self.session_thread.as_deref(),
        )
    }
}

pub fn is_dm(channel: &str, channel_type: Option<&str>) -> bool {
    channel_type == Some("im") || channel.starts_with('D')
}

/// Checks an id or timestamp of Slack's. Keys and sessions contain them, so a separator is refused.
pub fn slack_id(id: Option<String>, missing: &'static str) -> Result<String, Refusal> {
    let fits = |id: &String| {
        (1..=255).contains(&id.len())
            && id
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))
    };
    id.filter(fits).ok_or(Refusal::Malformed(missing))
}
