//! What is to be said beside the blocks.

use alfred_core::id::TaskId;

use super::compose::Day;
use super::layout::Step;
use super::outcome::{Note, PlannedBlock};
use super::place::Layout;
use crate::block::BlockType;
use crate::clock_time::ClockTime;
use crate::gaps;
use crate::span::Span;
use crate::wish::{Wish, is_meant};
use jiff::civil::Weekday;

/// Minutes that are left of a day on which it is worth noting that there is no time for e-mail.
const WORTH_NOTING: u32 = 120;

/// Adds what is to be said beside the blocks.
pub(super) fn add(day: &mut Day<'_>, layout: Option<&Layout>) {
    let mut notes = day.present.overlaps();
    let mut standing = day.present.standing.iter();
    let weekday = day.request.date.weekday();
    if let Some(whole) = standing.find(|block| block.takes_the_day()) {
        let title = whole.title.clone();
        notes.push(Note::WholeDay { title });
    } else if matches!(weekday, Weekday::Saturday | Weekday::Sunday) && day.window.is_some() {
        notes.push(Note::Weekend {
            date: day.request.date,
            named: day.request.named,
        });
    }
    notes.extend(day.given_up());
    if let Some(layout) = layout {
        let wanted = day.wanted();
        let has = |step: Step| layout.placed.iter().any(|placed| placed.step == step);
        let away = day.present.standing.iter().any(PlannedBlock::takes_the_day);
        let long = day
            .window
            .is_some_and(|window| day.clock.minutes(window) >= WORTH_NOTING);
        if has(Step::Work) && day.tasks.is_empty() {
            notes.push(Note::NoOpenTask);
        }
        if wanted.lunch && !has(Step::Lunch) && !away {
            notes.push(Note::NoRoomForLunch);
        }
        if wanted.email && !has(Step::Email) && !away && long {
            notes.push(Note::NoRoomForEmail);
        }
    }
    for wish in &day.request.wishes {
        notes.extend(meetings_against(day, wish));
        if let Some(title) = unknown_title(day, wish) {
            notes.push(Note::NothingFits(title.to_owned()));
        } else if !is_met(day, wish, layout) {
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
fn instead(day: &Day<'_>, meeting: &PlannedBlock, wish: &Wish) -> Option<Span> {
    let window = day.window?;
    let allowed = match wish {
        Wish::NoMeetingsBefore(time) => Span::new(window.start().max(*time), window.end()),
        Wish::NoMeetingsAfter(time) => Span::new(window.start(), window.end().min(*time)),
        _ => Some(window),
    }?;
    let busy = day.present.standing.iter().map(|block| block.span);
    let kept_free = day.rules.kept_free.iter().copied();
    let busy = gaps::merged(busy.chain(kept_free).chain(day.rules.lunch_time()));
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

/// The words of a wish that no task, or block of one's own, has in its title.
fn unknown_title<'a>(day: &Day<'_>, wish: &'a Wish) -> Option<&'a str> {
    let task = |title: &str| {
        let mut tasks = day.request.tasks.iter();
        tasks.any(|task| is_meant(&task.task.title, title))
    };
    let block = |title: &str| {
        let mut blocks = day.request.blocks.iter();
        blocks.any(|block| is_meant(&block.title, title))
    };
    match wish {
        Wish::First(title) => (!task(title)).then_some(title),
        Wish::Drop(title) | Wish::Move { title, .. } => {
            (!task(title) && !block(title)).then_some(title)
        }
        _ => None,
    }
}

/// Whether a wish about a title or a time got it. No new block means that the old one stands, or that there is
/// a note that there is no room.
fn is_met(day: &Day<'_>, wish: &Wish, layout: Option<&Layout>) -> bool {
    let starts = |step: Step, kind: BlockType| {
        let new = layout.iter().flat_map(|layout| {
            let placed = layout.placed.iter().filter(|placed| placed.step == step);
            placed.map(|placed| layout.time.marks[placed.from].time)
        });
        let standing = day.present.standing.iter();
        let kept = standing.filter(|block| block.kind == kind);
        let mut starts: Vec<ClockTime> = new.chain(kept.map(|block| block.span.start())).collect();
        starts.sort();
        starts
    };
    match wish {
        Wish::Drop(title) => {
            let is_it = |found: &str| is_meant(found, title);
            let removed = day.present.removed.iter().any(|gone| is_it(&gone.title));
            removed || day.request.tasks.iter().any(|task| is_it(&task.task.title))
        }
        // A block that stays has a note of its own.
        Wish::Move { title, .. } => {
            let mut blocks = day.request.blocks.iter();
            let placed = |(_, id): &(Span, TaskId)| {
                let mut tasks = day.request.tasks.iter();
                tasks.any(|task| task.task.id == *id && is_meant(&task.task.title, title))
            };
            blocks.any(|block| is_meant(&block.title, title)) || day.placed.iter().any(placed)
        }
        Wish::LunchAt(time) => starts(Step::Lunch, BlockType::Break).contains(time),
        Wish::EmailAt(time) => starts(Step::Email, BlockType::Email).contains(time),
        Wish::EmailFirst => {
            let email = starts(Step::Email, BlockType::Email);
            let work = starts(Step::Work, BlockType::Work);
            !email.is_empty() && work.first().is_none_or(|work| email[0] < *work)
        }
        _ => true,
    }
}
