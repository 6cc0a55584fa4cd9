//! Recurring meetings: parses the rule and checks the later dates.

use alfred_core::ports::{Recurrence, Span};

use super::busy::Busy;
use super::slots::Wanted;
use crate::prelude::*;

const CANT_REPEAT_SO: &str = "I can repeat a meeting daily, weekly or monthly, or every few days, weeks or months. It can end on a date or after a number of times.";

const FIELD: &str = "repeat";
/// How far ahead calendars are checked; providers answer about two months per request.
const AHEAD: SignedDuration = SignedDuration::from_hours(8 * 7 * 24);

pub fn rule(text: Option<&str>) -> Result<Option<Recurrence>> {
    let read = |said: &str| {
        let rule = said.parse::<Recurrence>();
        rule.map_err(|problem| refused(FIELD, said, problem.to_string()).say(CANT_REPEAT_SO))
    };
    text.map(read).transpose()
}

/// Fails if the rule excludes the day of one of these starts.
pub fn begins(context: &ToolContext, rule: Option<&Recurrence>, starts: &[Span]) -> Result<()> {
    let Some(rule) = rule else { return Ok(()) };
    for span in starts {
        let day = dst::date_at(span.start, &context.zone());
        if !rule.takes(day) {
            let problem = format!("leaves out {}, its first day.", short_date(day));
            let say = format!("“{}” {problem}", text::repeats(rule));
            return Err(refused(FIELD, &rule.to_string(), problem).say(say));
        }
    }
    Ok(())
}

/// Notes about the dates of the next eight weeks.
pub struct Later {
    /// Dates on which people are known to be busy.
    pub dates: String,
    /// The first date at night or on a weekend for somebody; `None` if the first meeting already is.
    pub odd: Option<String>,
}

pub async fn look(
    context: &ToolContext,
    rule: &Recurrence,
    first: Span,
    wanted: &Wanted<'_>,
) -> Result<Later> {
    let (zone, clocks) = (context.zone(), wanted.clocks);
    let horizon = first.start.saturating_add(AHEAD).unwrap_or(first.start);
    let spans = rule.spans(first, zone.clone());
    let spans: Vec<Span> = spans.take_while(|span| span.start < horizon).collect();
    let last = spans.last().copied().unwrap_or(first);
    let window = Span {
        end: last.end,
        ..first
    };
    let busy = Busy::look(context, wanted.addresses, window, None).await?;
    let date = |span: &Span| short_date(dst::date_at(span.start, &zone));
    let taken = spans.iter().filter(|span| !busy.is_free(span));
    let taken = taken.map(date).collect::<Vec<_>>().join(", ");
    let decent = !clocks.is_odd(&first);
    let free = if wanted.addresses.is_empty() {
        "nothing else is in your calendar"
    } else {
        "nobody is known to be busy"
    };
    let odd = spans.iter().find(|span| decent && clocks.is_odd(span));
    let (dates, last) = (spans.len(), date(&last));
    Ok(Later {
        dates: match taken.as_str() {
            "" => format!("{free} on the {dates} dates until {last}"),
            taken => format!("of the {dates} dates until {last} taken: {taken}"),
        },
        odd: odd.map(|span| format!("from {} on {}", date(span), clocks.odd_hours(span))),
    })
}
