use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use crate::id::UserId;
use crate::ports::ChatUser;
use crate::tone::Tone;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct User {
    /// Their Slack id, unique.
    pub slack_user_id: UserId,
    pub slack_username: String,
    /// Mail address from Slack; empty if Slack has none.
    pub email: String,
    pub name: String,
    pub role: Role,
    /// IANA time zone: their own choice, else Slack's, else the configured default.
    pub timezone: String,
    /// Inactive people are treated like unknown ones.
    pub is_active: bool,
    /// Settings that they may change themselves.
    #[serde(default)]
    pub preferences: Preferences,
    /// Whether they ever opened Alfred's Home tab. From then on, what changes on it is published.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub opened_home: bool,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl User {
    /// A newly registered person with data from Slack. Gets the default time zone if Slack has no valid one.
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
            opened_home: false,
            created_at: now,
            updated_at: now,
        }
    }

    /// Registers a known person again with this role; other data stays.
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Preferences {
    /// alfred, jarvis, donna, dwight, jim or custom. Unknown names mean alfred.
    pub personality: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub personality_text: Option<String>,
    /// Whether a tainted run may have shaped that text.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub personality_tainted: bool,
    /// How they write their mail, if they allowed storing it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email_tone: Option<Tone>,
    pub verbosity: Verbosity,
    /// Whether Alfred may send messages without a request.
    pub proactive_notifications: bool,
    pub day: DayPreferences,
}

impl Preferences {
    /// Whether a custom personality may contain other people's text. It then taints every run.
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

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verbosity {
    /// A sentence or two.
    #[default]
    Concise,
    /// With background and detail.
    Detailed,
}

/// The working day. Times are `HH:MM`, durations are minutes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct DayPreferences {
    pub work_start_time: String,
    pub work_end_time: String,
    pub lunch_time: String,
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
