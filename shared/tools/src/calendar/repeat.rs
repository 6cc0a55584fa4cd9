//! A meeting that repeats: its rule as an argument, and what its later dates meet.

use alfred_core::ports::{Recurrence, Span};
use alfred_planner::dst;
use jiff::civil::Weekday;

use super::busy::Busy;
use super::clocks::Clocks;
use super::slots::at_odd_hours;
use crate::prelude::*;

const CANT_REPEAT_SO: &str = "I can repeat a meeting every day, on days of the week or every month, or every few of those, until a day or for so many times.";

const FIELD: &str = "repeat";
/// How far ahead people's calendars are looked at; providers answer about two months at once.
const AHEAD: SignedDuration = SignedDuration::from_hours(8 * 7 * 24);

/// Reads a rule.
///
/// # Errors
/// `Failed`, naming the part that is none.
pub fn rule(text: Option<&str>) -> Result<Option<Recurrence>, ToolError> {
    let read = |said: &str| {
        let rule = said.parse::<Recurrence>();
        rule.map_err(|problem| refused(FIELD, said, problem.to_string()).say(CANT_REPEAT_SO))
    };
    text.map(read).transpose()
}

/// Days of the week on which it can begin; empty for any.
pub fn weekdays(rule: Option<&Recurrence>) -> &[Weekday] {
    rule.map_or(&[], |rule| &rule.days)
}

/// Makes sure that it can begin at these times.
///
/// # Errors
/// `Failed` when the rule leaves out the day of one.
pub fn begins(
    context: &ToolContext,
    rule: Option<&Recurrence>,
    starts: &[Span],
) -> Result<(), ToolError> {
    let Some(rule) = rule else { return Ok(()) };
    for span in starts {
        let day = dst::date_at(span.start, &context.zone());
        if !rule.takes(day) {
            let problem = format!("leaves out {}, its first day.", day.strftime("%A %Y-%m-%d"));
            let say = format!("“{}” {problem}", text::repeats(rule));
            return Err(refused(FIELD, &rule.to_string(), problem).say(say));
        }
    }
    Ok(())
}

/// What the dates of the coming eight weeks meet, in words.
pub struct Later {
    /// On which of them people are known to be busy.
    pub dates: String,
    /// The first that is at night or on a weekend for somebody, where the first of all isn't.
    pub odd: Option<String>,
}

/// Looks at the dates behind the first.
///
/// # Errors
/// What the calendar says.
pub async fn look(
    context: &ToolContext,
    rule: &Recurrence,
    first: Span,
    (addresses, clocks): (&[String], &Clocks),
) -> Result<Later, ToolError> {
    let zone = context.zone();
    let horizon = first.start.saturating_add(AHEAD).unwrap_or(first.start);
    let spans = rule.spans(first, zone.clone());
    let spans: Vec<Span> = spans.take_while(|span| span.start < horizon).collect();
    let last = spans.last().copied().unwrap_or(first);
    let window = Span {
        start: first.start,
        end: last.end,
    };
    let busy = Busy::look(context, addresses, window, None).await?;
    let date = |span: &Span| dst::date_at(span.start, &zone).to_string();
    let taken = spans.iter().filter(|span| !busy.is_free(span));
    let taken: Vec<String> = taken.map(date).collect();
    let decent = !clocks.is_odd(&first);
    let odd = spans.iter().find(|span| decent && clocks.is_odd(span));
    Ok(Later {
        dates: dates_ahead(spans.len(), &date(&last), &taken),
        odd: odd.map(|span| format!("from {} on {}", date(span), at_odd_hours(&clocks.odd(span)))),
    })
}

fn dates_ahead(dates: usize, last: &str, taken: &[String]) -> String {
    match taken {
        [] => format!("nobody is known to be busy on the {dates} dates until {last}"),
        taken => format!(
            "of the {dates} dates until {last} taken: {}",
            taken.join(", ")
        ),
    }
}

#[cfg(test)]
#[path = "repeat_tests.rs"]
mod tests;
