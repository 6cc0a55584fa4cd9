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
            _ => trace_id.to_string(),
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

/// Where the answer goes. `ts` is the message's own timestamp.
pub fn place(channel: &ChannelId, is_dm: bool, ts: &str, thread_ts: Option<&str>) -> ReplyAddress {
    let thread = thread_ts.filter(|thread| *thread != ts);
    let (thread_ts, response_type) = match (is_dm, thread) {
        (true, thread) => (thread, ResponseType::Dm),
        (false, Some(thread)) => (Some(thread), ResponseType::Thread),
        (false, None) => (Some(ts), ResponseType::Channel),
    };
    ReplyAddress {
        channel: channel.clone(),
        thread_ts: thread_ts.map(str::to_owned),
        response_type,
    }
}

pub fn session(team: &TeamId, user: &UserId, place: &ReplyAddress) -> SessionId {
    SessionId::new(team, user, &place.channel, place.thread_ts.as_deref())
}

pub fn is_dm(channel: &str, channel_type: Option<&str>) -> bool {
    channel_type == Some("im") || channel.starts_with('D')
}

/// Checks an id or timestamp of Slack's. Keys and sessions contain them, so a separator is refused.
pub fn slack_id(id: Option<String>, missing: &'static str) -> Result<String, Refusal> {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"._-".contains(&b);
    let fits = |id: &String| (1..=255).contains(&id.len()) && id.bytes().all(plain);
    id.filter(fits).ok_or(Refusal::Malformed(missing))
}
