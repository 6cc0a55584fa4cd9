//! Habits of a person: what more than half of their observations agree on, at least three of them. How sure a pattern
//! is follows from the two numbers alone (`confidence`), and each can be shown with dated examples.

mod find;
mod observations;
mod pattern;
#[cfg(test)]
mod tests;

pub use observations::{Asked, Day, Observations, Offer, Offered, RemarkKind};
pub use observations::{Happened, InBlock, TaskEvent};
pub use pattern::{Pattern, SURE, What, confidence};

use jiff::tz::TimeZone;

/// The patterns of a person in that zone, the surest first; of equals by their text. The order of the observations
/// makes no difference.
pub fn patterns(seen: &Observations, zone: &TimeZone) -> Vec<Pattern> {
    let single = [
        find::lunch(&seen.days),
        find::focus_length(&seen.days),
        find::task_lengths(&seen.tasks, zone),
    ];
    let mut found: Vec<Pattern> = single.into_iter().flatten().collect();
    found.extend(find::wishes(&seen.asked));
    found.extend(find::declined(&seen.offers));
    found.sort_by(|a, b| {
        let sure = b.confidence().total_cmp(&a.confidence());
        sure.then_with(|| a.what.to_string().cmp(&b.what.to_string()))
    });
    found
}
