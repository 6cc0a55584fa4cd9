//! The free stretches of a day.

use serde::Serialize;

use crate::{ClockTime, DayClock, Span, TimeBlock};

/// The shortest gap that can be asked for, in minutes.
pub const LEAST_GAP: u32 = 15;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Gap {
    pub start_time: ClockTime,
    pub end_time: ClockTime,
    /// Minutes that pass, which differ from the wall clock's across a clock change.
    pub duration: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Gaps {
    pub gaps: Vec<Gap>,
    pub total_available_minutes: u32,
}

/// The gaps of at least `least` minutes that blocks leave within a stretch.
pub fn find_gaps(blocks: &[TimeBlock], within: Span, least: u32, clock: &DayClock) -> Gaps {
    let taken = blocks.iter().map(|block| block.span);
    let gaps = free(taken, within).into_iter().map(|span| Gap {
        start_time: span.start(),
        end_time: span.end(),
        duration: clock.minutes(span),
    });
    let gaps: Vec<Gap> = gaps.filter(|gap| gap.duration >= least.max(1)).collect();
    Gaps {
        total_available_minutes: gaps.iter().map(|gap| gap.duration).sum(),
        gaps,
    }
}

/// Every stretch of the wall clock that what is taken leaves.
pub fn free(taken: impl IntoIterator<Item = Span>, within: Span) -> Vec<Span> {
    let taken = merged(taken);
    let starts = std::iter::once(within.start()).chain(taken.iter().map(|span| span.end()));
    let between = starts.zip(taken.iter().map(|span| span.start()).chain([within.end()]));
    let gaps = between.filter_map(|(start, end)| Span::new(start, end)?.within(within));
    gaps.collect()
}

/// The same minutes as stretches that don't touch one another, in order.
pub fn merged(spans: impl IntoIterator<Item = Span>) -> Vec<Span> {
    let mut spans: Vec<Span> = spans.into_iter().collect();
    spans.sort();
    let mut out: Vec<Span> = Vec::new();
    for span in spans {
        let last = out.pop_if(|last| span.start() <= last.end());
        let joined = last.and_then(|last| Span::new(last.start(), last.end().max(span.end())));
        out.push(joined.unwrap_or(span));
    }
    out
}
