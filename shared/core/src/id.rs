//! Identifiers: Slack's, and our own, which are a prefix and a UUIDv7 and so sort by creation time.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

use crate::ports::Ids;

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(
            Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
        )]
        #[serde(transparent)]
        pub struct $name(pub String);

        impl $name {
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text)
            }
        }
    };
}

macro_rules! own_id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        text_id!($(#[$doc])* $name);

        impl $name {
            pub fn new(ids: &dyn Ids) -> Self {
                Self(format!(concat!($prefix, "_{}"), ids.uuid().simple()))
            }

            /// The creation time to the millisecond; `None` if the id contains no UUIDv7.
            pub fn made_at(&self) -> Option<jiff::Timestamp> {
                let hex = self.0.strip_prefix(concat!($prefix, "_"))?;
                let uuid = uuid::Uuid::try_parse(hex).ok()?;
                let (seconds, nanos) = uuid.get_timestamp()?.to_unix();
                let seconds = i64::try_from(seconds).ok()?;
                jiff::Timestamp::new(seconds, i32::try_from(nanos).ok()?).ok()
            }
        }
    };
}

text_id!(
    /// A Slack workspace, `T…`.
    TeamId
);
text_id!(
    /// A Slack user, `U…` or `W…`.
    UserId
);
text_id!(
    /// A Slack conversation: channel `C…`, group `G…` or direct message `D…`.
    ChannelId
);
text_id!(
    /// A conversation of one person with Alfred: `TEAM/USER/CHANNEL` for a direct
    /// message outside a thread, else `TEAM/USER/CHANNEL/THREAD_TS`.
    SessionId
);
text_id!(
    /// Follows one request through every function: 32 hex digits, derived from
    /// what identifies the event, so that a redelivery has the same one.
    TraceId
);
text_id!(
    /// A mail, as its provider names it; the same while it goes from state to state.
    MailId
);
text_id!(
    /// One occurrence of a calendar's event, as its provider names it.
    EventId
);
text_id!(
    /// A document, as its provider names it; the same while it is written to.
    DocumentId
);
text_id!(
    /// A sheet, as its provider names it; the same while it is written to.
    SheetId
);
text_id!(
    /// A file in Slack, `F…`.
    FileId
);
impl SessionId {
    /// The session of a person in a channel or thread.
    pub fn new(team: &TeamId, user: &UserId, channel: &ChannelId, thread_ts: Option<&str>) -> Self {
        match thread_ts {
            Some(thread) => Self(format!("{team}/{user}/{channel}/{thread}")),
            None => Self(format!("{team}/{user}/{channel}")),
        }
    }
}

own_id!(
    /// A run: one agent's work on one request.
    RunId,
    "run"
);
own_id!(
    /// A block of time in somebody's day.
    BlockId,
    "blk"
);
own_id!(
    /// A call that waits for its owner's approval.
    ApprovalId,
    "apr"
);
own_id!(TaskId, "tsk");
own_id!(
    /// A reminder or scheduled job.
    ScheduleId,
    "sch"
);

impl TraceId {
    /// The trace of an event, given what identifies it.
    pub fn derive(team: &TeamId, identity: &str) -> Self {
        let digest = crate::digest::sha256_hex(format!("{team}\n{identity}").as_bytes());
        Self(digest[..32].to_owned())
    }
}
