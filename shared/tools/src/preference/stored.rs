//! A person's preferences, flat, under the names that tools use. They are a part of the person's row.

use alfred_agent::store::users::{self, StoredUser};

use crate::entity::{Field, Noun};
use crate::prelude::*;

impl Entity for StoredUser {
    const NOUN: Noun = Noun {
        name: "preferences",
        label: "",
        argument: "",
        id_prefix: "",
        empty: "",
        unknown: "",
        hint: "",
        create: "",
        update: "preference_updatePreferences",
        delete: "",
    };

    fn id(&self) -> &str {
        self.user.slack_user_id.as_str()
    }

    fn title(&self) -> &'static str {
        "Your preferences"
    }

    /// Times are `HH:MM`, lengths minutes.
    fn fields(&self, _: &ToolContext) -> Vec<Field> {
        let preferences = &self.user.preferences;
        let may_write_unasked = preferences.proactive_notifications;
        let day = &preferences.day;
        vec![
            Field::argument("timezone", &self.user.timezone),
            Field::argument("personality", &preferences.personality),
            // Kept while another personality is chosen.
            Field::argument("personalityText", &preferences.personality_text),
            Field::argument("verbosity", preferences.verbosity),
            Field::argument("proactiveNotifications", may_write_unasked),
            Field::argument("workStartTime", &day.work_start_time),
            Field::argument("workEndTime", &day.work_end_time),
            Field::argument("lunchTime", &day.lunch_time),
            Field::argument("lunchDuration", day.lunch_duration),
            Field::argument("focusBlockDuration", day.focus_block_duration),
            Field::argument("breakFrequency", day.break_frequency),
            Field::argument("emailBatchSize", day.email_batch_size),
            Field::argument("meetingBuffer", day.meeting_buffer),
            Field::argument("slackPercent", day.slack_percent),
        ]
    }

    fn view(&self, context: &ToolContext) -> Value {
        self.left(context)
    }

    fn is_tainted(&self) -> bool {
        self.user.preferences.personality_tainted
    }

    /// Only the text of a personality can hold other people's words; the tool that changes it says so.
    fn absorb_taint(&mut self, _: &ToolContext) {}

    fn writes(context: &ToolContext, old: Option<&Self>, new: Option<&Self>) -> Result<Vec<Write>> {
        let Some(new) = new else {
            return Ok(Vec::new());
        };
        let mut user = new.user.clone();
        user.updated_at = context.now;
        let version = old.map(|old| old.version);
        Ok(vec![users::write(&context.team, &user, version)?])
    }

    /// A text can be replaced but not removed, and only with the personality that it is for.
    fn restoring(&self, changed: &[Field]) -> Option<Value> {
        let mut call = json!({});
        for field in changed {
            if field.name == "personalityText" {
                let is_custom = self.user.preferences.personality == "custom";
                if field.value.is_null() || !is_custom || self.is_tainted() {
                    return None;
                }
            }
            call[field.name] = field.value.clone();
        }
        Some(call)
    }
}
