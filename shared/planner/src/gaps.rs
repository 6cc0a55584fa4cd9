//! The free stretches of a day.

use serde::Serialize;

use crate::block::TimeBlock;
use crate::clock_time::ClockTime;
use crate::day_clock::DayClock;
use crate::span::Span;

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
    let ends = taken.iter().map(|span| span.start());
    let between = starts.zip(ends.chain([within.end()]));
    let gaps = between.filter_map(|(start, end)| Span::new(start, end)?.within(within));
    gaps.collect()
}

/// The same minutes as stretches that don't touch one another, in order.
pub fn merged(spans: impl IntoIterator<Item = Span>) -> Vec<Span> {
    let mut spans: Vec<Span> = spans.into_iter().collect();
    spans.sort();
    let mut out: Vec<Span> = Vec::new();
    for span in spans {
        match out.last_mut() {
            Some(last) if span.start() <= last.end() => {
                if let Some(longer) = Span::new(last.start(), last.end().max(span.end())) {
                    *last = longer;
                }
            }
            _ => out.push(span),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::tests::any_block;
    use crate::day_clock::tests::clock;
    use crate::testing::{blocks, check, span};
    use proptest::prelude::*;

    #[test]
    fn gaps_lie_between_blocks_and_have_their_true_length() {
        let section = "gaps lie between blocks and have their true length";
        check(section, |[day, taken, within]| {
            let clock = clock("Europe/Berlin", day.parse().unwrap());
            let found = find_gaps(&blocks(taken), span(within), 30, &clock);
            let text =
                |gap: &Gap| format!("{}–{} {}, ", gap.start_time, gap.end_time, gap.duration);
            let gaps: String = found.gaps.iter().map(text).collect();
            format!("{gaps}in all {}", found.total_available_minutes)
        });
    }

    proptest! {
        #[test]
        fn a_minute_is_in_a_gap_or_in_a_block(
            blocks in prop::collection::vec(any_block(), 0..12), within in any_block()
        ) {
            let within = within.span;
            let gaps = free(blocks.iter().map(|block| block.span), within);
            for minute in within.start().minutes()..within.end().minutes() {
                let now = |span: Span| (span.start().minutes()..span.end().minutes()).contains(&minute);
                let busy = blocks.iter().any(|block| now(block.span));
                let free = gaps.iter().filter(|gap| now(**gap)).count();
                prop_assert_eq!(free, usize::from(!busy), "{}", minute);
            }
        }
    }
}
