//! The blocks of a plan with their reasons, and what is to be noted.

use super::compose::Day;
use super::fixed;
use super::layout::{Placed, Step};
use super::outcome::{Change, PlannedBlock};
use super::place::Layout;
use super::reason::Why;
use super::timeline::Timeline;
use crate::block::BlockType;
use crate::clock_time::ClockTime;
use crate::gaps;
use crate::span::Span;
use crate::wish::Wish;

/// What new focus blocks are called.
pub(super) const FOCUS_TITLE: &str = "Focus work";
const LUNCH_TITLE: &str = "Lunch";
const BREAK_TITLE: &str = "Break";
const EMAIL_TITLE: &str = "E-mail";
const SHORT_TITLE: &str = "Short tasks";

/// All titles that a plan gives to new blocks.
pub const OWN_TITLES: [&str; 5] = [
    FOCUS_TITLE,
    SHORT_TITLE,
    LUNCH_TITLE,
    BREAK_TITLE,
    EMAIL_TITLE,
];

/// All blocks of the day, in order.
pub(super) fn blocks(day: &Day<'_>, layout: Option<&Layout>) -> Vec<PlannedBlock> {
    let mut blocks = day.present.standing.clone();
    if let Some(layout) = layout {
        let new = layout
            .placed
            .iter()
            .filter_map(|placed| new_block(day, layout, placed));
        blocks.extend(new);
    }
    fixed::sort(&mut blocks);
    blocks
}

fn new_block(day: &Day<'_>, layout: &Layout, placed: &Placed) -> Option<PlannedBlock> {
    let span = layout.time.span(placed.from, placed.to)?;
    let (kind, title, why) = match placed.step {
        Step::Work if layout.time.pieces[placed.from].short => {
            (BlockType::Work, SHORT_TITLE, Why::ShortTasks)
        }
        Step::Work => (BlockType::Work, FOCUS_TITLE, why_work(day, layout, placed)),
        Step::Lunch => (BlockType::Break, LUNCH_TITLE, why_lunch(day, span)),
        Step::Break => {
            let minutes = worked_before(day, layout, placed);
            (BlockType::Break, BREAK_TITLE, Why::BreakAfter { minutes })
        }
        Step::Email => (BlockType::Email, EMAIL_TITLE, why_email(day, span)),
        Step::Idle => return None,
    };
    let was = match placed.step {
        Step::Lunch => day.present.lunch.as_ref(),
        Step::Email => day.present.email.as_ref(),
        Step::Work | Step::Break | Step::Idle => None,
    };
    let change = match was {
        Some(was) if was.span == span => Change::Kept,
        Some(was) => Change::Moved { from: was.span },
        None => Change::New,
    };
    Some(PlannedBlock {
        id: was.and_then(|was| was.id.clone()),
        kind,
        title: was.map_or_else(|| title.to_owned(), |was| was.title.clone()),
        span,
        change,
        tasks: Vec::new(),
        why,
    })
}

fn why_work(day: &Day<'_>, layout: &Layout, placed: &Placed) -> Why {
    let minutes = layout.time.minutes(placed.from, placed.to);
    if minutes == day.rules.focus {
        return Why::FullFocus;
    }
    let follows = layout.placed.iter().find(|other| other.from == placed.to);
    match follows.map(|other| other.step) {
        Some(Step::Break) => return until("the break"),
        Some(Step::Lunch) => return until("lunch"),
        Some(Step::Email) => return until("e-mail"),
        Some(Step::Work) => return until("the next focus block"),
        Some(Step::Idle) | None => {}
    }
    let end = layout.time.marks[placed.to].time;
    let unfocused = layout
        .time
        .pieces
        .get(placed.to)
        .filter(|next| next.unfocused && next.is_free());
    if unfocused.is_some()
        && let Some(next) = layout.time.span(placed.to, placed.to + 1)
    {
        return match day.rules.forbids_focus(next) {
            Some(wish) => Why::FocusFor(wish),
            None => until("the time kept for what comes up"),
        };
    }
    if let Some(wish) = starting_at(end, &day.rules.kept_free) {
        return Why::FocusFor(wish);
    }
    let next = day
        .present
        .standing
        .iter()
        .find(|block| block.span.start() >= end);
    match next {
        Some(next) if near(&layout.time, end, next, day.rules.buffer) => until(&next.title),
        _ => until("the end of the working day"),
    }
}

fn until(next: &str) -> Why {
    let next = next.to_owned();
    Why::FocusUntil { next }
}

fn starting_at(end: ClockTime, kept: &[Span]) -> Option<Wish> {
    let kept = kept.iter().find(|kept| kept.start() == end);
    kept.copied().map(Wish::KeepFree)
}

/// Whether a block starts within a buffer, give or take a step of the grid.
fn near(time: &Timeline, end: ClockTime, next: &PlannedBlock, buffer: u32) -> bool {
    let last = time.marks.last().map_or(end, |mark| mark.time);
    let apart = u32::from(next.span.start().minutes().saturating_sub(end.minutes()));
    next.span.start() < last && apart <= buffer + 30
}

fn why_lunch(day: &Day<'_>, span: Span) -> Why {
    let Some(lunch) = &day.rules.lunch else {
        return Why::Lunch;
    };
    if span.start() == lunch.at && day.clock.minutes(span) == lunch.length {
        return lunch.wish.clone().map_or(Why::Lunch, Why::Wished);
    }
    let usual = day.rules.lunch_time();
    let standing = day.present.standing.iter();
    let blockers = standing.filter(|block| usual.is_some_and(|usual| usual.overlaps(block.span)));
    let blockers: Vec<String> = blockers
        .map(|block| format!("\"{}\"", block.title))
        .collect();
    let kept = usual.and_then(|usual| day.rules.keeps_free(usual));
    let late = day.window.is_some_and(|window| window.start() > lunch.at);
    let because = match (blockers.as_slice(), kept) {
        ([], Some(wish)) => wish.to_string(),
        ([], None) if late => "it is later already".to_owned(),
        ([], None) => "there is no room".to_owned(),
        ([one], _) => format!("{one} is in the way"),
        (several, _) => format!("{} are in the way", several.join(" and ")),
    };
    Why::LunchElsewhere {
        preferred: lunch.at,
        because,
    }
}

/// Minutes of work and meetings since the last rest before a break.
fn worked_before(day: &Day<'_>, layout: &Layout, rest: &Placed) -> u32 {
    let time = &layout.time;
    let new = layout.placed.iter().map(|placed| {
        let span = (time.marks[placed.from].at, time.marks[placed.to].at);
        (span, placed.step == Step::Work, placed.step == Step::Email)
    });
    let kept = day.present.standing.iter().map(|block| {
        let span = (
            day.clock.elapsed(block.span.start()),
            day.clock.elapsed(block.span.end()),
        );
        let works = matches!(block.kind, BlockType::Work | BlockType::Meeting);
        (span, works, block.kind == BlockType::Email)
    });
    let mut before: Vec<_> = new
        .chain(kept)
        .filter(|((_, end), ..)| *end <= time.marks[rest.from].at)
        .collect();
    before.sort_unstable_by_key(|((start, end), ..)| std::cmp::Reverse((*end, *start)));
    let (mut since, mut minutes) = (time.marks[rest.from].at, 0);
    for ((start, end), works, light) in before {
        if since.saturating_sub(end) >= gaps::LEAST_GAP || !(works || light) {
            break;
        }
        if works {
            // Meetings that overlap count once.
            minutes += end.min(since).saturating_sub(start);
        }
        since = since.min(start);
    }
    minutes
}

fn why_email(day: &Day<'_>, span: Span) -> Why {
    let email = day.rules.email.as_ref();
    match email.and_then(|email| email.wish.as_ref()) {
        Some((at, wish)) if *at == span.start() => Why::Wished(wish.clone()),
        _ => Why::Email,
    }
}
