//! Parses times of a day, and reads the working day.

use alfred_agent::model::in_words;
use alfred_core::id::BlockId;
use alfred_planner::{BlockType, ClockTime, DayClock, Habits, InputError, Span, TimeBlock};

use crate::fields::{bad, title};
use crate::prelude::*;
use crate::user::day_preferences;

/// Parses a span of times that exist on that day. Each argument is a field's name and its text.
pub fn span(clock: &DayClock, start: (&str, &str), end: (&str, &str)) -> Result<Span, InputError> {
    let span = Span::parse(start, end)?;
    clock.check_start(start.0, span.start())?;
    clock.check_end(end.0, span.end())?;
    Ok(span)
}

// No doc comment: it would become a part of the schema.
#[derive(Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct NewBlock {
    /// What the block is for.
    #[serde(rename = "type")]
    pub kind: BlockType,
    /// What it is called.
    pub title: String,
    /// When it starts: "09:00", "9am".
    pub start_time: String,
    /// When it ends: "10:30", "2:30 pm", "24:00".
    pub end_time: String,
}

impl NewBlock {
    /// Refuses times that don't exist on that day, or that were over when the request began.
    pub fn on(&self, context: &ToolContext, clock: &DayClock) -> Result<TimeBlock, InputError> {
        let (start, end) = (&*self.start_time, &*self.end_time);
        let span = span(clock, ("startTime", start), ("endTime", end))?;
        check_ahead(context, clock, "startTime", start, span.end())?;
        let (id, title) = (BlockId::new(&*context.ids), title("title", &self.title)?);
        Ok(TimeBlock {
            tainted: context.tainted,
            ..TimeBlock::new(id, self.kind, &title, span)
        })
    }
}

/// Refuses a time that was over when the request began.
pub(super) fn check_ahead(
    context: &ToolContext,
    clock: &DayClock,
    field: &str,
    written: &str,
    end: ClockTime,
) -> Result<(), InputError> {
    let now = clock.at_or_after(context.began);
    if now.is_some_and(|now| now < end) {
        return Ok(());
    }
    let now = context.began.to_zoned(context.zone());
    let now = now.strftime("%H:%M on %a %-d %b");
    let problem = format!("is over on {}: it is {now}.", short_date(clock.date()));
    Err(InputError::new(field, written, problem))
}

pub(crate) async fn working(context: &ToolContext) -> Result<Span> {
    Ok(habits(context).await?.working)
}

pub(super) async fn habits(context: &ToolContext) -> Result<Habits> {
    Habits::read(&day_preferences(context).await?).map_err(|error| {
        let words = format!("A preference can't be used. {error}");
        let name = in_words(&error.field).to_lowercase();
        let say = format!("Your {name} can't be used: {}", bad(&error).say);
        let error = ToolError::failed(words).say(say);
        error.hint("preference_updatePreferences changes it.")
    })
}
