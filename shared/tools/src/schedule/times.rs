//! Arguments that are times of a day, and the working day.

use alfred_planner::{ClockTime, DayClock, Habits, InputError, Span, dst};
use jiff::tz::TimeZone;

use crate::prelude::*;
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

/// Refuses what was over when the person asked: nothing is planned in the past.
pub(super) fn check_ahead(
    context: &ToolContext,
    clock: &DayClock,
    (field, written): (&str, &str),
    end: ClockTime,
) -> Result<(), InputError> {
    let now = clock.at_or_after(context.began);
    if now.is_some_and(|now| now < end) {
        return Ok(());
    }
    let now = context.began.to_zoned(context.zone());
    let now = now.strftime("%H:%M on %A, %Y-%m-%d");
    let problem = format!("is over on {}: it is {now}.", clock.date());
    Err(InputError::new(field, written, problem))
}

/// When the asking person works.
pub(crate) async fn working(context: &ToolContext) -> Result<Span, ToolError> {
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
