//! People Alfred knows (annex 1, "Users").

use jiff::Timestamp;
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::UserId;
use crate::ports::ChatUser;
use crate::tone::Tone;

/// A registered person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct User {
    /// Their Slack id, unique.
    pub slack_user_id: UserId,
    /// Their handle in Slack.
    pub slack_username: String,
    /// From Slack's `users.info`; empty when it has none.
    pub email: String,
    /// From Slack's `users.info`.
    pub name: String,
    /// What they may do.
    pub role: Role,
    /// IANA zone: their own choice, else Slack's, else the configured default.
    pub timezone: String,
    /// An inactive person is answered like an unknown one.
    pub is_active: bool,
    /// What they may edit themselves.
    #[serde(default)]
    pub preferences: Preferences,
    /// When they were registered.
    pub created_at: Timestamp,
    /// When this row last changed.
    pub updated_at: Timestamp,
}

impl User {
    /// A person as Slack knows them, registered now. Without a usable zone of
    /// their own they get the default one.
    pub fn register(person: ChatUser, role: Role, default_zone: &str, now: Timestamp) -> Self {
        let zone = person.timezone.filter(|zone| TimeZone::get(zone).is_ok());
        Self {
            slack_user_id: person.id,
            slack_username: person.username,
            email: person.email,
            name: person.name,
            role,
            timezone: zone.unwrap_or_else(|| default_zone.to_owned()),
            is_active: true,
            preferences: Preferences::default(),
            created_at: now,
            updated_at: now,
        }
    }

    /// Registered again, under this role; what they had stays.
    pub fn registered_again(self, role: Role, now: Timestamp) -> Self {
        Self {
            role,
            is_active: true,
            updated_at: now,
            ..self
        }
    }
}

/// What a person may do. A guest reads and searches; a member does everything
/// of their own but deleting mail and administration; an admin also manages users.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Manages users too.
    Admin,
    /// Everything of their own.
    #[default]
    Member,
    /// Read-only.
    Guest,
}

/// What a person may change about how Alfred serves them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Preferences {
    /// alfred, jarvis, donna, dwight, jim, custom; unknown ones act as alfred.
    pub personality: String,
    /// The own text of a custom personality.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub personality_text: Option<String>,
    /// Whether words its owner didn't write may have shaped that text.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub personality_tainted: bool,
    /// How they write their mail, once they let it be kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email_tone: Option<Tone>,
    /// How much Alfred says.
    pub verbosity: Verbosity,
    /// Whether Alfred may write first.
    pub proactive_notifications: bool,
    /// The working day and its habits.
    pub day: DayPreferences,
}

impl Preferences {
    /// Whether words of others may guide what Alfred says: whoever runs under these has read them.
    pub fn others_guide(&self) -> bool {
        self.personality_tainted && self.personality == "custom"
    }
}

impl Default for Preferences {
    fn default() -> Self {
        Self {
            personality: "alfred".into(),
            personality_text: None,
            personality_tainted: false,
            email_tone: None,
            verbosity: Verbosity::Concise,
            proactive_notifications: true,
            day: DayPreferences::default(),
        }
    }
}

/// How much Alfred says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verbosity {
    /// A sentence or two.
    #[default]
    Concise,
    /// With background and detail.
    Detailed,
}

/// The working day (annex 2, "Preferences"). Times are `HH:MM`, lengths minutes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct DayPreferences {
    /// When work starts.
    pub work_start_time: String,
    /// When work ends.
    pub work_end_time: String,
    /// When lunch starts.
    pub lunch_time: String,
    /// Minutes of lunch.
    pub lunch_duration: u32,
    /// Minutes of one focus block.
    pub focus_block_duration: u32,
    /// Minutes of work after which a break is due.
    pub break_frequency: u32,
    /// Minutes of one e-mail block.
    pub email_batch_size: u32,
    /// Minutes kept free around meetings.
    pub meeting_buffer: u32,
    /// Percent of a working day that stays free for what comes up.
    pub slack_percent: u32,
}

impl Default for DayPreferences {
    fn default() -> Self {
        Self {
            work_start_time: "09:00".into(),
            work_end_time: "17:00".into(),
            lunch_time: "12:00".into(),
            lunch_duration: 60,
            focus_block_duration: 90,
            break_frequency: 90,
            email_batch_size: 30,
            meeting_buffer: 15,
            slack_percent: 15,
        }
    }
}
