//! When work, meetings and lunch are.

use jiff::civil::Date;
use std::collections::BTreeMap;

use super::Seen;
use super::found::{DayOfWeek, Example, PartOfDay, Pattern, What};
use crate::block::{BlockType, TimeBlock};
use crate::clock_time::ClockTime;

/// Minutes to which starts of focus work are rounded.
const START: u16 = 30;
/// Minutes to which lengths are rounded.
const LENGTH: u32 = 15;

pub(super) fn find(days: &[Seen]) -> Vec<Pattern> {
    let mut found: Vec<Pattern> = Vec::new();
    found.extend(lunch(days));
    found.extend(focus_part(days));
    found.extend(focus_start(days));
    found.extend(focus_length(days));
    found.extend(focus_weekdays(days));
    found.extend(meetings(days));
    found
}

/// Blocks of a kind, without the person's own ones that other people's words may have shaped: what is
/// counted is followed. Times of meetings are other people's to say.
fn of_kind(day: &Seen, kind: BlockType) -> impl Iterator<Item = &TimeBlock> {
    let counts = move |block: &&TimeBlock| !block.tainted || kind == BlockType::Meeting;
    let blocks = day.blocks.iter().filter(move |block| block.kind == kind);
    blocks.filter(counts)
}

fn times(block: &TimeBlock) -> String {
    format!("{}–{}", block.start, block.end)
}

/// Whether a break is the day's lunch.
fn is_lunch(block: &&TimeBlock) -> bool {
    block.title.to_lowercase().contains("lunch")
}

fn lunch(days: &[Seen]) -> Option<Pattern> {
    let observed = days.iter().filter_map(|day| {
        let lunch = of_kind(day, BlockType::Break).find(is_lunch)?;
        Some((lunch.start, Example::own(day.date, times(lunch))))
    });
    Pattern::of_most(observed.collect(), |start| What::LunchAt(*start))
}

/// Where most minutes of focus work of a day are, one observation a day.
fn focus_part(days: &[Seen]) -> Option<Pattern> {
    let observed = days.iter().filter_map(|day| {
        let mut minutes: BTreeMap<PartOfDay, u32> = BTreeMap::new();
        for block in of_kind(day, BlockType::Work) {
            let each = block.start.minutes()..block.end.minutes();
            for time in each.filter_map(ClockTime::from_minutes) {
                *minutes.entry(PartOfDay::at(time)).or_default() += 1;
            }
        }
        // Of equals the earlier part: `max_by_key` takes the last.
        let (part, most) = minutes.into_iter().rev().max_by_key(|(_, most)| *most)?;
        Some((part, Example::own(day.date, format!("{most} min"))))
    });
    Pattern::of_most(observed.collect(), |part| What::FocusIn(*part))
}

fn focus_start(days: &[Seen]) -> Option<Pattern> {
    let observed = days.iter().filter_map(|day| {
        let first = of_kind(day, BlockType::Work).min_by_key(|block| block.start)?;
        let minutes = (first.start.minutes() + START / 2) / START * START;
        let start = ClockTime::from_minutes(minutes)?;
        Some((start, Example::own(day.date, times(first))))
    });
    Pattern::of_most(observed.collect(), |start| What::FocusFrom(*start))
}

fn focus_length(days: &[Seen]) -> Option<Pattern> {
    let blocks = days
        .iter()
        .flat_map(|day| of_kind(day, BlockType::Work).map(|block| (day.date, block)));
    let observed = blocks.map(|(date, block)| {
        let minutes = (block.duration() + LENGTH / 2) / LENGTH * LENGTH;
        (minutes.max(LENGTH), Example::own(date, times(block)))
    });
    Pattern::of_most(observed.collect(), |minutes| What::FocusLength(*minutes))
}

/// The days of the week with focus work: of all days between the first and the
/// last that were seen, planned or not.
fn focus_weekdays(days: &[Seen]) -> Vec<Pattern> {
    let dates = || days.iter().map(|day| day.date);
    let (Some(first), Some(last)) = (dates().min(), dates().max()) else {
        return Vec::new();
    };
    let mut all = [0_usize; DayOfWeek::ALL.len()];
    let every = first.series(jiff::Span::new().days(1));
    for date in every.take_while(|date| *date <= last) {
        all[weekday(date)] += 1;
    }
    let mut with: BTreeMap<usize, Vec<Example>> = BTreeMap::new();
    for day in days {
        let minutes: u32 = of_kind(day, BlockType::Work).map(TimeBlock::duration).sum();
        if minutes > 0 {
            let example = Example::own(day.date, format!("{minutes} min"));
            with.entry(weekday(day.date)).or_default().push(example);
        }
    }
    let pattern = |(day, agreeing): (usize, Vec<Example>)| {
        Pattern::from_examples(What::FocusOn(DayOfWeek::ALL[day]), agreeing, all[day])
    };
    with.into_iter().filter_map(pattern).collect()
}

/// Its place in the week, from 0 for Monday.
fn weekday(date: Date) -> usize {
    usize::try_from(date.weekday().to_monday_zero_offset()).unwrap_or_default()
}

/// Times alone: what a meeting is called, others have written.
fn meetings(days: &[Seen]) -> Option<Pattern> {
    let blocks = days
        .iter()
        .flat_map(|day| of_kind(day, BlockType::Meeting).map(|block| (day.date, block)));
    let observed = blocks.map(|(date, block)| {
        let part = PartOfDay::at(block.start);
        (part, Example::own(date, times(block)))
    });
    Pattern::of_most(observed.collect(), |part| What::MeetingsIn(*part))
}
