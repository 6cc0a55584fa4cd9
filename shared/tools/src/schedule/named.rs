//! Finds blocks by words of their titles: today's first, then those of the next two weeks. Errors carry no
//! taint, so they don't quote tainted titles.

use alfred_core::id::BlockId;
use alfred_planner::TimeBlock;

use super::day::Day;
use super::{label, meetings};
use crate::prelude::*;
use crate::resolve_by_title::{ambiguous, resolve_by_title};

/// Days after today that are searched.
const COMING: i64 = 14;

pub(super) async fn block(
    context: &ToolContext,
    field: &str,
    words: &str,
) -> Result<BlockId, ToolError> {
    if words.trim().is_empty() {
        let problem = "is empty: give a block's id or its title.";
        return Err(refused(field, words, problem));
    }
    let today = today(context);
    let last = today.saturating_add(jiff::Span::new().days(COMING));
    let mut found = resolve_by_title(on(context, today).await?, words, title);
    if found.is_empty() {
        let mut coming = Vec::new();
        let days = today.series(jiff::Span::new().days(1)).skip(1);
        for date in days.take_while(|date| *date <= last) {
            coming.extend(on(context, date).await?);
        }
        found = resolve_by_title(coming, words, title);
    }
    match found.as_slice() {
        [] => Err(none(context, field, words, (today, last)).await),
        [(_, block)] => Ok(block.id.clone()),
        several => {
            let label = |(date, block): &(Date, TimeBlock)| {
                (format!("{} on {date}", label(block)), block.id.to_string())
            };
            let things: Vec<_> = several.iter().map(label).collect();
            let shown = several.iter().map(|(date, block)| {
                let (title, start, end) = (&block.title, block.start, block.end);
                format!("{title}, {date} {start}–{end}")
            });
            Err(ambiguous(field, words, &things).offering(shown))
        }
    }
}

pub(super) fn unknown(field: &str, text: &str) -> ToolError {
    let problem = format!("isn't among the blocks, today or in the coming {COMING} days.");
    refused(field, text, problem).hint("schedule_viewSchedule gives the ids.")
}

/// The error for a meeting that is only in the calendar.
pub fn is_a_meeting(field: &str, text: &str) -> ToolError {
    let error = refused(field, text, "is a meeting of the calendar, and no block.");
    error
        .hint("calendar_rescheduleMeeting changes it, with its eventId from schedule_viewSchedule.")
}

fn title((_, block): &(Date, TimeBlock)) -> &str {
    &block.title
}

async fn on(context: &ToolContext, date: Date) -> Result<Vec<(Date, TimeBlock)>, ToolError> {
    let day = Day::load(context, date).await?;
    Ok(day.blocks.into_iter().map(|block| (date, block)).collect())
}

/// The error for words that match no block. It says so if they match a meeting; without a readable calendar
/// it doesn't.
async fn none(
    context: &ToolContext,
    field: &str,
    words: &str,
    (first, last): (Date, Date),
) -> ToolError {
    let titles: Vec<String> = match meetings::events(context, first, last).await {
        Ok(page) => page.events.into_iter().map(|event| event.title).collect(),
        Err(error) => {
            tracing::warn!(%error, "a block is looked for without the calendar");
            Vec::new()
        }
    };
    match resolve_by_title(titles, words, String::as_str).is_empty() {
        true => unknown(field, words),
        false => is_a_meeting(field, words),
    }
}

#[cfg(test)]
#[path = "named_tests.rs"]
mod tests;
