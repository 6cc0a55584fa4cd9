//! The time at which a meeting is booked, and what speaks against it.

use alfred_core::ports::Span;

use super::busy::Busy;
use super::slots::{self, OVER_BLOCKS, Wanted, at_odd_hours};
use super::{brief, taken};
use crate::prelude::*;

/// Times that are offered instead of one that is taken.
pub const ALTERNATIVES: usize = 3;

/// A time for a meeting.
pub struct Choice {
    pub span: Span,
    /// Whose calendars weren't seen.
    pub unseen: Vec<String>,
    pub against: Vec<String>,
}

/// The best time at which everybody is free.
///
/// # Errors
/// `Failed` when there is none; what calendar and store say.
pub async fn first_free(context: &ToolContext, wanted: &Wanted<'_>) -> Result<Choice, ToolError> {
    let free = slots::find(context, wanted, 1).await?;
    let Some(slot) = free.slots.first() else {
        return Err(ToolError::failed(
            "Within ten days there is no time in your working hours at which everybody is free.",
        ));
    };
    let notes = slot.notes(wanted.clocks, free.buffer);
    let notes = notes
        .iter()
        .map(|note| format!("{note}; no better time within ten days is free"));
    Ok(Choice {
        span: slot.span,
        against: notes.collect(),
        unseen: free.unseen,
    })
}

/// The first of these times at which everybody is free. Whoever names a time knows what is beside it, but
/// may have forgotten a block of their own, or what time it is for others.
///
/// # Errors
/// `Failed` with others where all are taken; what calendar and store say.
pub async fn first_of(
    context: &ToolContext,
    times: &[Span],
    wanted: &Wanted<'_>,
) -> Result<Choice, ToolError> {
    for span in times {
        let busy = Busy::look(context, wanted.addresses, *span, None).await?;
        if busy.is_free(span) {
            let odd = wanted.clocks.odd(span);
            let odd = (!odd.is_empty()).then(|| at_odd_hours(&odd));
            let over = slots::is_over_blocks(context, span).await?;
            let over = over.then(|| OVER_BLOCKS.to_owned());
            return Ok(Choice {
                span: *span,
                unseen: busy.unseen,
                against: odd.into_iter().chain(over).collect(),
            });
        }
    }
    let zone = context.zone();
    let free = slots::find(context, wanted, ALTERNATIVES).await?;
    let times: Vec<String> = times.iter().map(|span| brief(span, &zone)).collect();
    Err(taken("preferredTimes", &times.join(", "), &free, &zone))
}
