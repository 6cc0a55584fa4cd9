//! Arguments that are times of a day, and the working day.

use alfred_agent::tool::{ToolContext, ToolError};
use alfred_planner::{Habits, InputError, Span, dst};
use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::user::day_preferences;

/// A stretch of a day between two times that exist on it; each argument is a field's name and its text.
pub(super) fn span(
    date: Date,
    zone: &TimeZone,
    start: (&str, &str),
    end: (&str, &str),
) -> Result<Span, InputError> {
    let span = Span::parse(start, end)?;
    dst::check_start(start.0, date, span.start(), zone)?;
    dst::check_end(end.0, date, span.end(), zone)?;
    Ok(span)
}

/// When the asking person works.
pub(super) async fn working(context: &ToolContext) -> Result<Span, ToolError> {
    Ok(habits(context).await?.working)
}

/// How the asking person's day is by preferences.
pub(super) async fn habits(context: &ToolContext) -> Result<Habits, ToolError> {
    Habits::read(&day_preferences(context).await?).map_err(|error| {
        let words = format!("A preference can't be used. {error}");
        let say = format!("One of your preferences can't be used: {}", error.problem);
        let error = ToolError::failed(words).say(say);
        error.hint("preference_updatePreferences changes it.")
    })
}
