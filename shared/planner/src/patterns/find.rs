//! Finds each kind of pattern.

use alfred_core::id::{BlockId, TaskId};
use jiff::tz::TimeZone;
use std::collections::BTreeMap;

use super::{
    Asked, Day, Example, Happened, Observations, Offer, Offered, Pattern, TaskEvent, What,
};
use crate::{BlockType, ClockTime, TimeBlock, Wish};

/// Minutes to which lengths of focus blocks are rounded.
const ROUNDING: u32 = 15;
/// Minutes after the end of its block in which a task still counts as done in it.
const OVERTIME: i32 = 120;
/// Percent of its estimate within which a task took as long as estimated.
const AS_ESTIMATED: std::ops::RangeInclusive<u32> = 80..=120;

/// The patterns of a person in that zone, the surest first; of equals by their text. The order of the observations
/// makes no difference.
pub fn patterns(seen: &Observations, zone: &TimeZone) -> Vec<Pattern> {
    let single = [
        lunch(&seen.days),
        focus_length(&seen.days),
        task_lengths(&seen.tasks, zone),
    ];
    let mut found: Vec<Pattern> = single.into_iter().flatten().collect();
    found.extend(wishes(&seen.asked));
    found.extend(declined(&seen.offers));
    found.sort_by(|a, b| {
        let sure = b.confidence().total_cmp(&a.confidence());
        sure.then_with(|| a.what.to_string().cmp(&b.what.to_string()))
    });
    found
}

/// Untainted blocks of a kind: plans follow them.
fn own_blocks(day: &Day, kind: BlockType) -> impl Iterator<Item = &TimeBlock> {
    let blocks = day.blocks.iter();
    blocks.filter(move |block| block.kind == kind && !block.tainted)
}

fn lunch(days: &[Day]) -> Option<Pattern> {
    let observed = days.iter().filter_map(|day| {
        let mut breaks = own_blocks(day, BlockType::Break);
        let lunch = breaks.find(|block| block.title.to_lowercase().contains("lunch"))?;
        Some((lunch.span.start(), Example::own(day.date, lunch.span)))
    });
    Pattern::of_most(observed.collect(), What::LunchAt)
}

fn focus_length(days: &[Day]) -> Option<Pattern> {
    let observed = days.iter().flat_map(|day| {
        own_blocks(day, BlockType::Work).map(|block| {
            let minutes =
                (u32::from(block.span.wall_minutes()) + ROUNDING / 2) / ROUNDING * ROUNDING;
            (minutes.max(ROUNDING), Example::own(day.date, block.span))
        })
    });
    Pattern::of_most(observed.collect(), What::FocusLength)
}

/// How long tasks took that were done in their blocks: from the start of the block, or from when the one before in it
/// was done.
fn task_lengths(events: &[TaskEvent], zone: &TimeZone) -> Option<Pattern> {
    let mut since: BTreeMap<&BlockId, i32> = BTreeMap::new();
    let mut observed: Vec<(u32, Example)> = Vec::new();
    for event in done(events) {
        let Some(block) = &event.block else { continue };
        let at = zone.to_datetime(event.at);
        let [minute, start, end] = [at.time().into(), block.span.start(), block.span.end()]
            .map(|time: ClockTime| i32::from(time.minutes()));
        if at.date() != block.date || minute <= start || minute > end + OVERTIME {
            continue;
        }
        let began = since.insert(&block.id, minute).unwrap_or(start);
        // Two that were completed in the same minute tell nothing about either.
        let Some(took) = u32::try_from(minute - began).ok().filter(|took| *took > 0) else {
            continue;
        };
        let estimated = event.estimated_minutes;
        let example = Example {
            date: block.date,
            text: format!("\"{}\" took {took} min, estimated {estimated}", event.title),
            tainted: event.tainted,
        };
        observed.push((took * 100 / estimated.max(1), example));
    }
    let of = observed.len();
    observed.sort_by_key(|(percent, _)| *percent);
    let pattern = |is: &dyn Fn(u32) -> bool| {
        let agreeing = observed.iter().filter(|(percent, _)| is(*percent));
        let (percents, examples): (Vec<u32>, Vec<Example>) = agreeing.cloned().unzip();
        let median = *percents.get(percents.len() / 2)?;
        Pattern::new(What::TasksTake(median), examples, of)
    };
    pattern(&|percent| percent > *AS_ESTIMATED.end())
        .or_else(|| pattern(&|percent| percent < *AS_ESTIMATED.start()))
}

/// The last completion of each task that wasn't opened again since, oldest first.
fn done(events: &[TaskEvent]) -> Vec<&TaskEvent> {
    let mut sorted: Vec<&TaskEvent> = events.iter().collect();
    sorted.sort_by(|a, b| (a.at, &a.task).cmp(&(b.at, &b.task)));
    let last: BTreeMap<&TaskId, &TaskEvent> = sorted.iter().map(|one| (&one.task, *one)).collect();
    sorted.retain(|it| it.happened == Happened::Completed && std::ptr::eq(last[&it.task], *it));
    sorted
}

/// The most frequent wish about each topic.
fn wishes<'a>(asked: &'a [Asked]) -> Vec<Pattern> {
    let mut topics: BTreeMap<String, Vec<(Wish, Example)>> = BTreeMap::new();
    let wishes = |one: &'a Asked| one.wishes.iter().map(|wish| (one.date, wish));
    for (date, wish) in asked.iter().flat_map(wishes) {
        if let Some(topic) = wish.topic() {
            let observed = (wish.clone(), Example::own(date, wish.to_string()));
            topics.entry(topic).or_default().push(observed);
        }
    }
    let topics = topics.into_values();
    let most = topics.filter_map(|observed| Pattern::of_most(observed, What::Asked));
    most.collect()
}

/// Tasks that are left out of proposals, and senders whose mail is kept where archiving is proposed.
fn declined(offers: &[Offer]) -> Vec<Pattern> {
    let mut offered: BTreeMap<&Offered, Vec<&Offer>> = BTreeMap::new();
    for offer in offers {
        offered.entry(&offer.what).or_default().push(offer);
    }
    let pattern = |(what, all): (&Offered, Vec<&Offer>)| {
        let (what, text) = match what.clone() {
            Offered::Task { id, title } => {
                (What::LeavesTask { id, title }, "left out of a proposal")
            }
            Offered::Archiving(sender) => (What::KeepsMail(sender), "not archived"),
        };
        let declined = all.iter().filter(|offer| !offer.taken);
        let declined = declined.map(|offer| Example {
            date: offer.date,
            text: text.to_owned(),
            tainted: offer.tainted,
        });
        Pattern::new(what, declined.collect(), all.len())
    };
    offered.into_iter().filter_map(pattern).collect()
}
