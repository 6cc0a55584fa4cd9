//! How a day is used: its hours, how full it is, and what could be better. The planner judges its proposals by the same
//! rules as the analyser judges a day.

use displaydoc::Display;
use serde::{Serialize, Serializer};

use crate::{BlockType, DayClock, Span, TimeBlock, gaps};

/// Minutes of a full day, which is a utilization of 100 %.
const FULL_DAY: u32 = 480;
/// A gap shorter than this many minutes is a fragment.
const FRAGMENT: u32 = 30;
/// More than this many percent of a working day are too full, whatever slack is wanted.
const FULL: u32 = 90;
/// Less than this many percent leave room, unless more slack is wanted.
const ROOMY: u32 = 70;

/// Sums over the blocks of a day, in hours to two decimals of the wall clock. Blocks that overlap count each; a block
/// that marks the whole day doesn't count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DayStats {
    pub total_hours: f64,
    pub focus_hours: f64,
    pub meeting_hours: f64,
    /// Minutes of all blocks in percent of 8 hours, rounded; may exceed 100.
    pub utilization: u32,
}

impl DayStats {
    pub fn from_blocks(blocks: &[TimeBlock]) -> Self {
        let minutes = |kind| minutes_of(blocks, kind, |span| span.wall_minutes().into());
        let hours = |minutes| (f64::from(minutes) / 60.0 * 100.0).round() / 100.0;
        Self {
            total_hours: hours(minutes(None)),
            focus_hours: hours(minutes(Some(BlockType::Work))),
            meeting_hours: hours(minutes(Some(BlockType::Meeting))),
            utilization: percent(minutes(None), FULL_DAY).unwrap_or(0),
        }
    }
}

/// The blocks without those that mark a whole day.
fn timed(blocks: &[TimeBlock]) -> impl Iterator<Item = &TimeBlock> {
    let all = blocks.iter();
    all.filter(|block| !block.kind.takes_the_day(block.span))
}

/// The sum of these blocks, of one kind or of all. A block that marks the whole day doesn't count.
fn minutes_of(blocks: &[TimeBlock], kind: Option<BlockType>, length: impl Fn(Span) -> u32) -> u32 {
    let is_asked = |block: &&TimeBlock| kind.is_none_or(|kind| block.kind == kind);
    let asked = timed(blocks).filter(is_asked);
    asked.map(|block| length(block.span)).sum()
}

/// A length of time in words, such as "1 h 30 min".
pub fn hours(minutes: u32) -> String {
    match (minutes / 60, minutes % 60) {
        (0, rest) => format!("{rest} min"),
        (hours, 0) => format!("{hours} h"),
        (hours, rest) => format!("{hours} h {rest} min"),
    }
}

/// `part` of `whole` in percent, rounded half up; `None` of 0.
pub(crate) fn percent(part: u32, whole: u32) -> Option<u32> {
    (part.saturating_mul(100) + whole / 2).checked_div(whole)
}

/// What could be better about a day. The doc comments are what a person reads.
#[derive(Clone, Copy, Debug, Display, PartialEq, Eq)]
pub enum Suggestion {
    /// Only {0} % of the day is planned: there is room for more.
    RoomForMore(u32),
    /// {0} % of the day is planned, so little is left for the unexpected.
    TooFull(u32),
    /// Only {0} minutes of focus time: aim for three hours.
    LittleFocus(u32),
    /// Only {0} minutes of breaks: plan at least half an hour.
    FewBreaks(u32),
    /// {0} minutes are lost in gaps of less than half an hour: move blocks together.
    Fragmented(u32),
    /// More time in meetings ({meetings} minutes) than in focus ({focus}): decline or shorten one.
    MoreMeetingsThanFocus { meetings: u32, focus: u32 },
    /// No time for e-mail is planned: add a block for it.
    NoEmailBlock,
}

impl Serialize for Suggestion {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Utilization {
    /// Minutes of all blocks in percent of 8 hours, rounded; may exceed 100.
    pub utilization: u32,
    /// Minutes of work blocks.
    pub focus_time: u32,
    /// Minutes in gaps shorter than 30 within the working day, its edges included.
    pub fragmented_time: u32,
    pub suggestions: Vec<Suggestion>,
}

impl Utilization {
    /// Analyses a day whose owner wants so many percent of slack. Lengths are minutes that pass.
    pub fn from_blocks(blocks: &[TimeBlock], working: Span, slack: u32, clock: &DayClock) -> Self {
        let minutes = |kind| minutes_of(blocks, kind, |span| clock.minutes(span));
        let focus = minutes(Some(BlockType::Work));
        let meetings = minutes(Some(BlockType::Meeting));
        let breaks = minutes(Some(BlockType::Break));
        let free = gaps::free(blocks.iter().map(|block| block.span), working);
        let fragments = free.iter().map(|gap| clock.minutes(*gap));
        let fragmented_time = fragments.filter(|minutes| *minutes < FRAGMENT).sum();
        let no_email = !blocks.iter().any(|block| block.kind == BlockType::Email);
        let suggestions = [
            fullness(blocks, working, slack, clock),
            (focus < 180).then_some(Suggestion::LittleFocus(focus)),
            (breaks < 30).then_some(Suggestion::FewBreaks(breaks)),
            (fragmented_time > 60).then_some(Suggestion::Fragmented(fragmented_time)),
            (meetings > focus).then_some(Suggestion::MoreMeetingsThanFocus { meetings, focus }),
            no_email.then_some(Suggestion::NoEmailBlock),
        ];
        // A day off needs no improvement.
        let mut all = blocks.iter();
        let off = all.any(|block| block.kind.takes_the_day(block.span));
        let suggestions = suggestions.into_iter().flatten().filter(|_| !off);
        Self {
            utilization: percent(minutes(None), FULL_DAY).unwrap_or(0),
            focus_time: focus,
            fragmented_time,
            suggestions: suggestions.collect(),
        }
    }
}

/// Judges how full the working day is, for someone who wants `slack` percent of it free. Work and mail outside the hours
/// count too. Meetings and blocked time can't be freed, so too full is judged by the rest.
fn fullness(blocks: &[TimeBlock], works: Span, slack: u32, clock: &DayClock) -> Option<Suggestion> {
    let minutes = |kinds: &[BlockType], within: Span| -> u32 {
        let asked = timed(blocks).filter(|block| kinds.contains(&block.kind));
        let spans = gaps::merged(asked.map(|block| block.span));
        let inside = spans.iter().filter_map(|span| span.within(within));
        inside.map(|span| clock.minutes(span)).sum()
    };
    let own = [BlockType::Work, BlockType::Email];
    let outside = minutes(&own, Span::WHOLE_DAY) - minutes(&own, works);
    let planned = minutes(BlockType::ALL, works) + outside;
    let fixed = minutes(&[BlockType::Meeting, BlockType::Blocked], works);
    let hours = clock.minutes(works);
    let of_day = percent(planned, hours)?;
    let of_rest = percent(planned - fixed, hours - fixed);
    let left = 100 - slack.min(100);
    if of_rest.is_none_or(|percent| percent > FULL.max(left)) {
        Some(Suggestion::TooFull(of_day))
    } else {
        (of_day < ROOMY.min(left)).then_some(Suggestion::RoomForMore(of_day))
    }
}
