//! The blocks of a plan with their reasons, and what is to be noted.

use super::compose::Day;
use super::fixed::Standing;
use super::layout::{Placed, Step};
use super::outcome::{Change, Note, PlannedBlock, Why};
use super::place::Layout;
use super::timeline::Timeline;
use crate::block::BlockType;
use crate::clock_time::ClockTime;
use crate::gaps;
use crate::span::Span;
use crate::wish::{Wish, is_meant};

/// What new focus blocks are called.
pub(super) const FOCUS_TITLE: &str = "Focus work";

/// Minutes that are left of a day on which it is worth noting that there is no time for e-mail.
const WORTH_NOTING: u32 = 120;

/// All blocks of the day, in order.
pub(super) fn blocks(day: &Day<'_>, layout: Option<&Layout>) -> Vec<PlannedBlock> {
    let mut blocks: Vec<PlannedBlock> = day
        .present
        .standing
        .iter()
        .map(|block| stands(day, block))
        .collect();
    if let Some(layout) = layout {
        let new = layout
            .placed
            .iter()
            .filter_map(|placed| new_block(day, layout, placed));
        blocks.extend(new);
    }
    blocks.sort_by(|a, b| (a.span, &a.title, &a.id).cmp(&(b.span, &b.title, &b.id)));
    blocks
}

fn stands(day: &Day<'_>, block: &Standing) -> PlannedBlock {
    PlannedBlock {
        id: block.id.clone(),
        event_id: block.event_id.clone(),
        kind: block.kind,
        title: block.title.clone(),
        span: block.span,
        minutes: day.clock.minutes(block.span),
        change: block.change,
        tasks: Vec::new(),
        why: block.why.clone(),
        tainted: block.tainted,
    }
}

fn new_block(day: &Day<'_>, layout: &Layout, placed: &Placed) -> Option<PlannedBlock> {
    let span = layout.time.span(placed.from, placed.to)?;
    let (kind, title, was, why) = match placed.step {
        Step::Work => (
            BlockType::Work,
            FOCUS_TITLE,
            None,
            why_work(day, layout, placed),
        ),
        Step::Lunch => (
            BlockType::Break,
            "Lunch",
            day.present.lunch.as_ref(),
            why_lunch(day, span),
        ),
        Step::Break => {
            let minutes = worked_before(day, layout, placed);
            (BlockType::Break, "Break", None, Why::BreakAfter { minutes })
        }
        Step::Email => (
            BlockType::Email,
            "E-mail",
            day.present.email.as_ref(),
            why_email(day, span),
        ),
        Step::Idle => return None,
    };
    let change = match was {
        Some(was) if was.span == span => Change::Kept,
        Some(was) => Change::Moved { from: was.span },
        None => Change::New,
    };
    Some(PlannedBlock {
        id: was.and_then(|was| was.id.clone()),
        event_id: None,
        kind,
        title: was.map_or_else(|| title.to_owned(), |was| was.title.clone()),
        span,
        minutes: layout.time.minutes(placed.from, placed.to),
        change,
        tasks: Vec::new(),
        why,
        tainted: was.is_some_and(|was| was.tainted),
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
        Some(Step::Work | Step::Idle) | None => {}
    }
    let end = layout.time.marks[placed.to].time;
    let unfocused = layout
        .time
        .pieces
        .get(placed.to)
        .filter(|next| next.unfocused && next.is_free());
    if unfocused.is_some()
        && let Some(next) = layout.time.span(placed.to, placed.to + 1)
        && let Some(wish) = day.rules.forbids_focus(next)
    {
        return Why::FocusFor(wish);
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
fn near(time: &Timeline, end: ClockTime, next: &Standing, buffer: u32) -> bool {
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
    let blocker = day
        .present
        .standing
        .iter()
        .find(|block| usual.is_some_and(|usual| usual.overlaps(block.span)));
    let kept = usual.and_then(|usual| day.rules.keeps_free(usual));
    let late = day.window.is_some_and(|window| window.start() > lunch.at);
    let because = match (blocker, kept) {
        (Some(block), _) => format!("\"{}\" is in the way", block.title),
        (None, Some(wish)) => wish.to_string(),
        (None, None) if late => "it is later already".to_owned(),
        (None, None) => "there is no room".to_owned(),
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
        (
            span,
            matches!(placed.step, Step::Work),
            matches!(placed.step, Step::Email),
        )
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
    match day
        .rules
        .email
        .as_ref()
        .and_then(|email| email.wish.as_ref())
    {
        Some((at, wish)) if *at == span.start() => Why::Wished(wish.clone()),
        _ => Why::Email,
    }
}

/// Adds what is to be said beside the blocks.
pub(super) fn notes(day: &mut Day<'_>, layout: Option<&Layout>) {
    let mut notes = std::mem::take(&mut day.present.notes);
    notes.extend(day.present.overlaps());
    if let Some(layout) = layout {
        let wanted = day.wanted();
        let has = |step: Step| layout.placed.iter().any(|placed| placed.step == step);
        let away = day
            .present
            .standing
            .iter()
            .any(|block| block.why == Why::AllDay);
        let long = day
            .window
            .is_some_and(|window| day.clock.minutes(window) >= WORTH_NOTING);
        if wanted.lunch && !has(Step::Lunch) && !away {
            notes.push(Note::NoRoomForLunch);
        }
        if wanted.email && !has(Step::Email) && !away && long {
            notes.push(Note::NoRoomForEmail);
        }
    }
    for wish in &day.request.wishes {
        notes.extend(meetings_against(day, wish));
        if !is_met(day, wish, layout) {
            notes.push(Note::NotMet(wish.clone()));
        }
    }
    day.notes.extend(notes);
}

fn meetings_against(day: &Day<'_>, wish: &Wish) -> Vec<Note> {
    let against = |span: Span| match wish {
        Wish::NoMeetingsBefore(time) => span.start() < *time,
        Wish::NoMeetingsAfter(time) => span.end() > *time,
        Wish::KeepFree(kept) => kept.overlaps(span),
        _ => false,
    };
    let meetings = day
        .present
        .standing
        .iter()
        .filter(|b| b.kind == BlockType::Meeting);
    meetings
        .filter(|meeting| against(meeting.span))
        .map(|meeting| Note::MeetingAgainst {
            title: meeting.title.clone(),
            span: meeting.span,
            wish: wish.clone(),
            instead: instead(day, meeting, wish),
        })
        .collect()
}

/// The first time of the working day that has room for a meeting and meets the wish.
fn instead(day: &Day<'_>, meeting: &Standing, wish: &Wish) -> Option<Span> {
    let window = day.window?;
    let allowed = match wish {
        Wish::NoMeetingsBefore(time) => Span::new(window.start().max(*time), window.end()),
        Wish::NoMeetingsAfter(time) => Span::new(window.start(), window.end().min(*time)),
        _ => Some(window),
    }?;
    let busy = day.present.standing.iter().map(|block| block.span);
    let lunch = day.rules.lunch.as_ref().and_then(|lunch| {
        let end = lunch
            .at
            .minutes()
            .checked_add(u16::try_from(lunch.length).ok()?)?;
        Span::new(lunch.at, ClockTime::from_minutes(end)?)
    });
    let busy = gaps::merged(busy.chain(day.rules.kept_free.iter().copied()).chain(lunch));
    let minutes = day.clock.minutes(meeting.span);
    let mut from = allowed.start();
    for next in busy.iter().filter(|span| span.end() > allowed.start()) {
        if day.clock.between(from, next.start()) >= minutes {
            break;
        }
        from = from.max(next.end());
    }
    let until = day.clock.plus(from, minutes)?;
    Span::new(from, until).filter(|span| allowed.holds(*span))
}

/// Whether a wish about a title found it, or one about a time got it.
fn is_met(day: &Day<'_>, wish: &Wish, layout: Option<&Layout>) -> bool {
    let starts = |step: Step, time: ClockTime| {
        layout.is_none_or(|layout| {
            let mut placed = layout.placed.iter().filter(|placed| placed.step == step);
            placed.all(|placed| layout.time.marks[placed.from].time == time)
        })
    };
    let task = |title: &str| {
        let mut tasks = day.request.tasks.iter();
        tasks.any(|task| is_meant(&task.task.title, title))
    };
    let block = |title: &str| {
        let mut blocks = day.request.blocks.iter();
        blocks.any(|block| is_meant(&block.title, title))
    };
    match wish {
        Wish::First(title) => task(title),
        Wish::Drop(title) => {
            let removed = day
                .present
                .removed
                .iter()
                .any(|gone| is_meant(&gone.title, title));
            task(title) || removed
        }
        Wish::Move { title, .. } => block(title),
        Wish::LunchAt(time) => starts(Step::Lunch, *time),
        Wish::EmailAt(time) => starts(Step::Email, *time),
        _ => true,
    }
}
