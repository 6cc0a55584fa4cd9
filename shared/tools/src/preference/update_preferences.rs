use alfred_agent::store::users::{self, StoredUser};
use alfred_core::user::Verbosity;
use alfred_planner::Span;
use alfred_planner::plan::habits::{BREAKS, BUFFER, EMAIL, FOCUS, LUNCH, SLACK};

use super::TOOLSET;
use crate::args::EndClock;
use crate::fields::{NOTHING_WOULD_CHANGE, becomes};
use crate::prelude::*;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// IANA time zone or city.
    timezone: Option<NamedZone>,
    /// Whom Alfred acts as. "custom" needs personalityText.
    #[schemars(extend("enum" = ["alfred", "jarvis", "donna", "dwight", "jim", "custom"]))]
    personality: Option<String>,
    /// The text of the custom personality.
    personality_text: Option<Words<2_000>>,
    /// How much Alfred says.
    #[schemars(with = "Option<String>", extend("enum" = ["concise", "detailed"]))]
    verbosity: Option<Verbosity>,
    /// Whether Alfred may write unasked.
    proactive_notifications: Option<bool>,
    /// When work starts: "09:00".
    work_start_time: Option<Clock>,
    /// When work ends: "17:00".
    work_end_time: Option<EndClock>,
    /// When lunch starts: "12:00".
    lunch_time: Option<Clock>,
    /// Minutes of lunch.
    lunch_duration: Option<Number<{ *LUNCH.start() }, { *LUNCH.end() }>>,
    /// Minutes of one focus block.
    focus_block_duration: Option<Number<{ *FOCUS.start() }, { *FOCUS.end() }>>,
    /// Minutes of work after which a break is due.
    break_frequency: Option<Number<{ *BREAKS.start() }, { *BREAKS.end() }>>,
    /// Minutes of one e-mail block.
    email_batch_size: Option<Number<{ *EMAIL.start() }, { *EMAIL.end() }>>,
    /// Minutes kept free around meetings.
    meeting_buffer: Option<Number<{ *BUFFER.start() }, { *BUFFER.end() }>>,
    /// Percent of the working day that plans leave free.
    slack_percent: Option<Number<{ *SLACK.start() }, { *SLACK.end() }>>,
}

pub fn tool() -> SharedTool {
    let description = "Changes the person's preferences; those left out stay.";
    let def = ToolDef::new(TOOLSET, "preference_updatePreferences", description)
        // The text of a custom personality goes into prompts.
        .flow(Flow::PRIVATE.steering())
        .effect(Effect::ReversibleWrite);
    edit::tool(def, update)
}

async fn update(context: ToolContext, args: Arguments) -> Result<Edit<StoredUser>> {
    let stored = users::get(context.store.as_ref(), &context.team, context.user_id()).await?;
    let stored = stored.filter(|stored| stored.user.is_active);
    let before = stored.ok_or_else(|| {
        ToolError::failed("you aren't registered. Ask an administrator to register you.")
    })?;
    let mut after = StoredUser {
        user: before.user.clone(),
        version: before.version,
    };
    args.apply(&context, &mut after)?;
    let edit = Edit::change("Change your preferences", before, after);
    let (from, to) = edit.changed(&context);
    if to.is_empty() {
        let error = ToolError::failed("nothing to change: give a preference with a new value.");
        return Err(error.say(NOTHING_WOULD_CHANGE));
    }
    let (mut parts, mut changed) = (Vec::new(), json!({}));
    for (from, to) in from.iter().zip(&to) {
        parts.push(match to.name {
            "verbosity" => format!("{} answers", to.text),
            "proactiveNotifications" if to.value == json!(true) => "I may write unasked".into(),
            "proactiveNotifications" => "I only write when asked".into(),
            name => becomes(name, &to.value, &to.text),
        });
        changed[to.name] = json!({"from": from.value, "to": to.value});
    }
    let edit = edit.data("changed", changed);
    Ok(edit.receipt(format!("Updated preferences: {}", parts.join(", "))))
}

impl Arguments {
    fn apply(self, context: &ToolContext, stored: &mut StoredUser) -> Result<()> {
        let user = &mut stored.user;
        set(&mut user.timezone, self.timezone.map(|zone| zone.value.0));
        let preferences = &mut user.preferences;
        let is_chosen = self.personality.is_some();
        set(&mut preferences.personality, self.personality);
        let is_custom = preferences.personality == "custom";
        match self.personality_text {
            Some(text) if !is_custom => {
                let problem = format!(
                    "is only used with personality custom, not with {}. Give both.",
                    preferences.personality
                );
                return Err(refused("personalityText", &text, problem));
            }
            Some(text) if preferences.personality_text.as_ref() != Some(&text.value) => {
                preferences.personality_text = Some(text.value);
                preferences.personality_tainted = context.tainted;
            }
            None if is_chosen && is_custom && preferences.personality_text.is_none() => {
                let problem = "needs a text: give personalityText too.";
                return Err(refused("personality", "custom", problem));
            }
            Some(_) | None => {}
        }
        set(&mut preferences.verbosity, self.verbosity);
        let unasked = &mut preferences.proactive_notifications;
        set(unasked, self.proactive_notifications);
        let day = &mut preferences.day;
        let hours_given = self.work_end_time.is_some() || self.work_start_time.is_some();
        let starts = self.work_start_time.map(|time| time.to_string());
        set(&mut day.work_start_time, starts);
        let ends = self.work_end_time.map(|time| time.to_string());
        set(&mut day.work_end_time, ends);
        if hours_given {
            let starts = ("workStartTime", &*day.work_start_time);
            Span::parse(starts, ("workEndTime", &day.work_end_time)).map_err(invalid)?;
        }
        let lunch = self.lunch_time.map(|time| time.to_string());
        set(&mut day.lunch_time, lunch);
        set(&mut day.lunch_duration, self.lunch_duration.map(|n| *n));
        let focus = self.focus_block_duration.map(|n| *n);
        set(&mut day.focus_block_duration, focus);
        set(&mut day.break_frequency, self.break_frequency.map(|n| *n));
        set(&mut day.email_batch_size, self.email_batch_size.map(|n| *n));
        set(&mut day.meeting_buffer, self.meeting_buffer.map(|n| *n));
        set(&mut day.slack_percent, self.slack_percent.map(|n| *n));
        Ok(())
    }
}

fn set<T>(field: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *field = value;
    }
}
