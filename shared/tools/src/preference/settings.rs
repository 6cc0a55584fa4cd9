//! All preferences of a person, flat, under the names that tools use.

use alfred_core::user::{DayPreferences, Verbosity};
use alfred_core::{Preferences, User};
use serde::Serialize;

/// Times are `HH:MM`, lengths minutes.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Settings {
    /// IANA name.
    pub timezone: String,
    pub personality: String,
    /// Kept while another personality is chosen.
    pub personality_text: Option<String>,
    pub verbosity: Verbosity,
    pub proactive_notifications: bool,
    #[serde(flatten)]
    pub day: DayPreferences,
}

impl Settings {
    pub fn from_user(user: &User) -> Self {
        let preferences = user.preferences.clone();
        Self {
            timezone: user.timezone.clone(),
            personality: preferences.personality,
            personality_text: preferences.personality_text,
            verbosity: preferences.verbosity,
            proactive_notifications: preferences.proactive_notifications,
            day: preferences.day,
        }
    }

    pub fn store_in(self, user: &mut User) {
        user.timezone = self.timezone;
        user.preferences = Preferences {
            personality: self.personality,
            personality_text: self.personality_text,
            personality_tainted: user.preferences.personality_tainted,
            email_tone: user.preferences.email_tone.take(),
            verbosity: self.verbosity,
            proactive_notifications: self.proactive_notifications,
            day: self.day,
        };
    }
}
