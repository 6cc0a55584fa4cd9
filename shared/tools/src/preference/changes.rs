use alfred_core::user::Verbosity;
use alfred_planner::plan::habits::{BREAKS, BUFFER, EMAIL, FOCUS, LUNCH, SLACK};
use alfred_planner::{ClockTime, InputError};
use schemars::{Schema, SchemaGenerator, json_schema};

use super::settings::Settings;
use crate::fields::NOTHING_WOULD_CHANGE;
use crate::prelude::*;
use crate::time::zone::parse_zone;

const PERSONALITIES: [&str; 6] = ["alfred", "jarvis", "donna", "dwight", "jim", "custom"];
/// In characters.
const MAX_PERSONALITY: usize = 2_000;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Arguments {
    /// IANA time zone or city.
    timezone: Option<String>,
    /// Whom Alfred acts as. "custom" needs personalityText.
    #[serde(default)]
    #[schemars(schema_with = "personality_schema")]
    personality: Option<String>,
    /// The text of the custom personality.
    personality_text: Option<String>,
    /// How much Alfred says.
    #[serde(default)]
    #[schemars(schema_with = "verbosity_schema")]
    verbosity: Option<Verbosity>,
    /// Whether Alfred may write unasked.
    proactive_notifications: Option<bool>,
    /// When work starts: "09:00".
    work_start_time: Option<String>,
    /// When work ends: "17:00".
    work_end_time: Option<String>,
    /// When lunch starts: "12:00".
    lunch_time: Option<String>,
    /// Minutes of lunch.
    lunch_duration: Option<i64>,
    /// Minutes of one focus block.
    focus_block_duration: Option<i64>,
    /// Minutes of work after which a break is due.
    break_frequency: Option<i64>,
    /// Minutes of one e-mail block.
    email_batch_size: Option<i64>,
    /// Minutes kept free around meetings.
    meeting_buffer: Option<i64>,
    /// Percent of the working day that plans leave free.
    slack_percent: Option<i64>,
}

fn personality_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "string",
        "enum": PERSONALITIES,
    })
}

fn verbosity_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "enum": ["concise", "detailed"] })
}

impl Arguments {
    /// Every argument, and whether it is given.
    fn all(&self) -> [(&'static str, bool); 14] {
        [
            ("timezone", self.timezone.is_some()),
            ("personality", self.personality.is_some()),
            ("personalityText", self.personality_text.is_some()),
            ("verbosity", self.verbosity.is_some()),
            (
                "proactiveNotifications",
                self.proactive_notifications.is_some(),
            ),
            ("workStartTime", self.work_start_time.is_some()),
            ("workEndTime", self.work_end_time.is_some()),
            ("lunchTime", self.lunch_time.is_some()),
            ("lunchDuration", self.lunch_duration.is_some()),
            ("focusBlockDuration", self.focus_block_duration.is_some()),
            ("breakFrequency", self.break_frequency.is_some()),
            ("emailBatchSize", self.email_batch_size.is_some()),
            ("meetingBuffer", self.meeting_buffer.is_some()),
            ("slackPercent", self.slack_percent.is_some()),
        ]
    }

    pub(super) fn given(&self) -> Vec<&'static str> {
        self.all()
            .into_iter()
            .filter(|(_, given)| *given)
            .map(|(name, _)| name)
            .collect()
    }

    /// The preferences with these changes. The error lists every bad field.
    pub(super) fn applied(&self, before: &Settings) -> Result<Settings, ToolError> {
        if self.given().is_empty() {
            let names = self.all().map(|(name, _)| name).join(", ");
            let error = format!("nothing to change: give at least one of {names}.");
            return Err(ToolError::failed(error).say(NOTHING_WOULD_CHANGE));
        }
        let mut after = before.clone();
        let mut errors = Vec::new();
        self.apply_style(&mut after, &mut errors);
        self.apply_times(&mut after, &mut errors);
        self.apply_lengths(&mut after, &mut errors);
        if errors.is_empty() {
            return Ok(after);
        }
        let lines: Vec<String> = errors.iter().map(InputError::to_string).collect();
        let said = errors.into_iter().filter_map(|error| match invalid(error) {
            ToolError::Failed(why) => Some(why.said()),
            ToolError::Unknown(_) | ToolError::Stop(_) => None,
        });
        let said: Vec<String> = said.collect();
        Err(ToolError::failed(lines.join("\n")).say(said.join("\n")))
    }

    fn apply_style(&self, after: &mut Settings, errors: &mut Vec<InputError>) {
        let zone = |text: &String| {
            let zone = parse_zone("timezone", text)?;
            zone.iana_name().map(str::to_owned).ok_or_else(|| {
                let problem = "can't be kept, since no zone has it all year. Name a city there.";
                InputError::new("timezone", text, problem)
            })
        };
        keep(
            self.timezone.as_ref().map(zone),
            &mut after.timezone,
            errors,
        );
        let chosen = self.personality.as_deref().map(personality);
        keep(chosen, &mut after.personality, errors);
        if let Some(text) = &self.personality_text {
            match personality_text(text, &after.personality) {
                Ok(text) => after.personality_text = Some(text),
                Err(error) => errors.push(error),
            }
        } else if self.personality.is_some()
            && after.personality == "custom"
            && after.personality_text.is_none()
        {
            let problem = "needs a text: give personalityText too.";
            errors.push(InputError::new("personality", "custom", problem));
        }
        after.verbosity = self.verbosity.unwrap_or(after.verbosity);
        after.proactive_notifications = self
            .proactive_notifications
            .unwrap_or(after.proactive_notifications);
    }

    fn apply_times(&self, after: &mut Settings, errors: &mut Vec<InputError>) {
        let start = |field: &'static str| {
            move |text: &String| ClockTime::parse(field, text).map(|time| time.to_string())
        };
        let end = |text: &String| ClockTime::parse_end("workEndTime", text).map(|t| t.to_string());
        let day = &mut after.day;
        let known = errors.len();
        let starts = self.work_start_time.as_ref().map(start("workStartTime"));
        keep(starts, &mut day.work_start_time, errors);
        let ends = self.work_end_time.as_ref().map(end);
        keep(ends, &mut day.work_end_time, errors);
        if errors.len() == known
            && let Err(error) = in_order(self, &day.work_start_time, &day.work_end_time)
        {
            errors.push(error);
        }
        let lunch = self.lunch_time.as_ref().map(start("lunchTime"));
        keep(lunch, &mut day.lunch_time, errors);
    }

    fn apply_lengths(&self, after: &mut Settings, errors: &mut Vec<InputError>) {
        let day = &mut after.day;
        let mut keep = |field, given: Option<i64>, range, target| {
            keep(
                given.map(|given| within(field, given, &range)),
                target,
                errors,
            );
        };
        keep(
            "lunchDuration",
            self.lunch_duration,
            LUNCH,
            &mut day.lunch_duration,
        );
        let focus = self.focus_block_duration;
        keep(
            "focusBlockDuration",
            focus,
            FOCUS,
            &mut day.focus_block_duration,
        );
        keep(
            "breakFrequency",
            self.break_frequency,
            BREAKS,
            &mut day.break_frequency,
        );
        keep(
            "emailBatchSize",
            self.email_batch_size,
            EMAIL,
            &mut day.email_batch_size,
        );
        keep(
            "meetingBuffer",
            self.meeting_buffer,
            BUFFER,
            &mut day.meeting_buffer,
        );
        keep(
            "slackPercent",
            self.slack_percent,
            SLACK,
            &mut day.slack_percent,
        );
    }
}

/// Takes over a given value, or adds its error.
fn keep<T>(given: Option<Result<T, InputError>>, target: &mut T, errors: &mut Vec<InputError>) {
    match given {
        Some(Ok(value)) => *target = value,
        Some(Err(error)) => errors.push(error),
        None => {}
    }
}

fn personality(text: &str) -> Result<String, InputError> {
    let name = text.trim().to_lowercase();
    if PERSONALITIES.contains(&name.as_str()) {
        return Ok(name);
    }
    let problem = format!("is none I know. One of {}.", PERSONALITIES.join(", "));
    Err(InputError::new("personality", text, problem))
}

fn personality_text(text: &str, personality: &str) -> Result<String, InputError> {
    let field = "personalityText";
    let text = text_up_to(field, text, MAX_PERSONALITY)?;
    if text.is_empty() {
        let problem = "is empty. Describe the personality.";
        return Err(InputError::new(field, &text, problem));
    }
    if personality != "custom" {
        let problem =
            format!("is only used with personality custom, not with {personality}. Give both.");
        return Err(InputError::new(field, &text, problem));
    }
    Ok(text)
}

fn in_order(args: &Arguments, start: &str, end: &str) -> Result<(), InputError> {
    let (first, last) = (
        ClockTime::parse("workStartTime", start)?,
        ClockTime::parse_end("workEndTime", end)?,
    );
    if first < last {
        return Ok(());
    }
    if args.work_end_time.is_some() {
        let problem = format!("is not after workStartTime, {start}.");
        Err(InputError::new("workEndTime", end, problem))
    } else if args.work_start_time.is_some() {
        let problem = format!("is not before workEndTime, {end}.");
        Err(InputError::new("workStartTime", start, problem))
    } else {
        Ok(())
    }
}
