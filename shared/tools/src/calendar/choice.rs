//! Chooses the time of a meeting, with notes about conflicts.

use alfred_core::ports::Span;

use super::busy::Busy;
use super::slots::{self, OVER_BLOCKS, OVER_EVENTS, Wanted};
use super::{brief, taken};
use crate::prelude::*;

/// Times offered if the wanted one is taken.
pub const ALTERNATIVES: usize = 3;

pub struct Choice {
    pub span: Span,
    /// Owners of calendars that couldn't be seen.
    pub unseen: Vec<String>,
    pub against: Vec<String>,
}

/// Returns the best free time, or fails if there is none within ten days.
pub async fn first_free(context: &ToolContext, wanted: &Wanted<'_>) -> Result<Choice> {
    let free = slots::find(context, wanted, 1).await?;
    let Some(slot) = free.slots.first() else {
        return Err(ToolError::failed(
            "Within ten days there is no time in your working hours at which everybody is free.",
        ));
    };
    let notes = slot.notes(wanted.clocks, free.buffer).into_iter();
    let notes = notes.map(|note| format!("{note}; no better time within ten days is free"));
    Ok(Choice {
        span: slot.span,
        against: notes.collect(),
        unseen: free.unseen,
    })
}

/// Returns the first of these times at which everybody is free, or fails with alternatives. The notes name only
/// what the person may have forgotten: own blocks, and odd hours in other time zones. Without attendees the
/// person's own events are a note too.
pub async fn first_of(
    context: &ToolContext,
    times: &[Span],
    wanted: &Wanted<'_>,
) -> Result<Choice> {
    let mut taken_by_oneself = None;
    for span in times {
        let busy = Busy::look(context, wanted.addresses, *span, None).await?;
        let is_free = busy.is_free(span);
        if !is_free && !wanted.addresses.is_empty() {
            continue;
        }
        let mut against = vec![wanted.clocks.odd_hours(span)];
        if !is_free {
            against.push(OVER_EVENTS.to_owned());
        }
        against.retain(|note| !note.is_empty());
        if slots::is_over_blocks(context, span).await? {
            against.push(OVER_BLOCKS.to_owned());
        }
        let choice = Choice {
            span: *span,
            unseen: busy.unseen,
            against,
        };
        if is_free {
            return Ok(choice);
        }
        taken_by_oneself.get_or_insert(choice);
    }
    if let Some(choice) = taken_by_oneself {
        return Ok(choice);
    }
    let zone = context.zone();
    let free = slots::find(context, wanted, ALTERNATIVES).await?;
    let times: Vec<String> = times.iter().map(|span| brief(span, &zone)).collect();
    Err(taken("preferredTimes", &times.join(", "), &free, &zone))
}
