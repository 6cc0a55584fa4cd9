//! How long tasks take, when they are done, and which are put off.

use alfred_core::id::{BlockId, TaskId};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use super::found::{Example, PartOfDay, Pattern, TaskKind, What};
use crate::clock_time::ClockTime;
use crate::task::{Priority, Task, TaskSource};
use crate::words;

words! {
    /// What happened to a task.
    Happened {
        /// It was marked as done.
        Completed = "completed",
        /// It is to be done after all.
        Reopened = "reopened",
        /// It was taken out of its block, or is due later than before.
        PutOff = "put_off",
    }
}

/// Something that happened to a task, as it was then. Its row is this as JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskEvent {
    /// What.
    pub happened: Happened,
    /// When.
    pub at: Timestamp,
    /// To which task.
    pub task: TaskId,
    /// Its title.
    pub title: String,
    /// How much it matters.
    pub priority: Priority,
    /// Minutes it was estimated at.
    pub estimated_minutes: u32,
    /// Where it came from.
    pub source: TaskSource,
    /// The block it was in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<InBlock>,
    /// Whether words its owner didn't write may have shaped it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tainted: bool,
}

/// The block a task was in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InBlock {
    /// Its id.
    pub id: BlockId,
    /// Its day.
    pub date: Date,
    /// Its first minute.
    pub start: ClockTime,
    /// The first minute after it.
    pub end: ClockTime,
}

impl TaskEvent {
    /// What happens to a task now.
    pub fn new(happened: Happened, at: Timestamp, task: &Task, block: Option<InBlock>) -> Self {
        Self {
            happened,
            at,
            task: task.id.clone(),
            title: task.title.clone(),
            priority: task.priority,
            estimated_minutes: task.estimated_minutes,
            source: task.source,
            block,
            tainted: task.tainted,
        }
    }

    fn kinds(&self) -> impl Iterator<Item = TaskKind> {
        [
            (TaskKind::Any, true),
            (TaskKind::Pressing, self.priority == Priority::High),
            (TaskKind::Minor, self.priority == Priority::Low),
            (TaskKind::Quick, self.estimated_minutes <= 15),
            (TaskKind::Long, self.estimated_minutes >= 60),
            (TaskKind::FromMail, self.source == TaskSource::Email),
        ]
        .into_iter()
        .filter_map(|(kind, is)| is.then_some(kind))
    }

    fn shown(&self, date: Date, more: &str) -> Example {
        let text = format!("\"{}\"{more}", self.title);
        Example::own(date, text).tainted_if(self.tainted)
    }
}

/// Minutes after the end of its block in which a task still counts as done in it.
const OVERTIME: i32 = 120;
/// Percent of its estimate within which a task took as long as estimated.
const AS_ESTIMATED: std::ops::RangeInclusive<u32> = 80..=120;

pub(super) fn find(events: &[TaskEvent], zone: &TimeZone) -> Vec<Pattern> {
    let done = done(events);
    let mut found: Vec<Pattern> = lengths(&done, zone).into_iter().collect();
    found.extend(times_of_day(&done, zone));
    found.extend(put_off(events, zone));
    found
}

/// The last completion of each task that wasn't opened again since, oldest first.
fn done(events: &[TaskEvent]) -> Vec<&TaskEvent> {
    let mut last: BTreeMap<&TaskId, &TaskEvent> = BTreeMap::new();
    let mut sorted: Vec<&TaskEvent> = events
        .iter()
        .filter(|event| event.happened != Happened::PutOff)
        .collect();
    sorted.sort_by(|a, b| (a.at, &a.task).cmp(&(b.at, &b.task)));
    for event in sorted {
        last.insert(&event.task, event);
    }
    let mut done: Vec<&TaskEvent> = last
        .into_values()
        .filter(|event| event.happened == Happened::Completed)
        .collect();
    done.sort_by(|a, b| (a.at, &a.task).cmp(&(b.at, &b.task)));
    done
}

/// How long tasks took, of those that were done in their blocks: from the start
/// of the block, or from when the one before in it was done.
fn lengths(done: &[&TaskEvent], zone: &TimeZone) -> Option<Pattern> {
    let mut since: BTreeMap<&BlockId, i32> = BTreeMap::new();
    let mut observed: Vec<(u32, Example)> = Vec::new();
    for event in done {
        let Some(block) = &event.block else { continue };
        let at = zone.to_datetime(event.at);
        let [minute, start, end] = [at.time().into(), block.start, block.end]
            .map(|time: ClockTime| i32::from(time.minutes()));
        if at.date() != block.date || minute <= start || minute > end + OVERTIME {
            continue;
        }
        let began = since.insert(&block.id, minute).unwrap_or(start);
        // Two that were marked at once say nothing about either.
        let Some(took) = u32::try_from(minute - began).ok().filter(|took| *took > 0) else {
            continue;
        };
        let percent = took * 100 / event.estimated_minutes.max(1);
        let said = format!(" took {took} min, estimated {}", event.estimated_minutes);
        observed.push((percent, event.shown(block.date, &said)));
    }
    let of = observed.len();
    observed.sort_by_key(|(percent, _)| *percent);
    let agreeing = |is: &dyn Fn(u32) -> bool| -> (Vec<u32>, Vec<Example>) {
        let those = observed.iter().filter(|(percent, _)| is(*percent));
        those.cloned().unzip()
    };
    let (least, most) = (*AS_ESTIMATED.start(), *AS_ESTIMATED.end());
    let (longer, shorter) = (agreeing(&|p| p > most), agreeing(&|p| p < least));
    let (_, as_estimated) = agreeing(&|p| AS_ESTIMATED.contains(&p));
    let middle = |percents: &[u32]| percents.get(percents.len() / 2).copied().unwrap_or(100);
    Pattern::from_examples(What::TasksTake(middle(&longer.0)), longer.1, of)
        .or_else(|| Pattern::from_examples(What::TasksTake(middle(&shorter.0)), shorter.1, of))
        .or_else(|| Pattern::from_examples(What::TasksTakeAsEstimated, as_estimated, of))
}

fn times_of_day(done: &[&TaskEvent], zone: &TimeZone) -> Vec<Pattern> {
    let mut kinds: BTreeMap<TaskKind, Vec<(PartOfDay, Example)>> = BTreeMap::new();
    for event in done {
        let at = zone.to_datetime(event.at);
        let part = PartOfDay::at(ClockTime::from(at.time()));
        let time = at.strftime(" at %H:%M").to_string();
        for kind in event.kinds() {
            let observed = (part, event.shown(at.date(), &time));
            kinds.entry(kind).or_default().push(observed);
        }
    }
    let pattern = |(tasks, observed): (TaskKind, Vec<(PartOfDay, Example)>)| {
        Pattern::of_most(observed, |part| What::DoneIn { tasks, part: *part })
    };
    kinds.into_iter().filter_map(pattern).collect()
}

/// Tasks that were put off three times or more; one that is done by now agrees a little less.
fn put_off(events: &[TaskEvent], zone: &TimeZone) -> Vec<Pattern> {
    let mut tasks: BTreeMap<&TaskId, (Vec<&TaskEvent>, usize)> = BTreeMap::new();
    for event in events {
        let (put_off, all) = tasks.entry(&event.task).or_default();
        match event.happened {
            Happened::PutOff => {
                put_off.push(event);
                *all += 1;
            }
            Happened::Completed => *all += 1,
            Happened::Reopened => {}
        }
    }
    let pattern = |(put_off, of): (Vec<&TaskEvent>, usize)| {
        let newest = put_off.iter().max_by_key(|event| event.at)?;
        let title = newest.title.clone();
        let shown = |event: &&TaskEvent| {
            let date = zone.to_datetime(event.at).date();
            event.shown(date, " was put off")
        };
        let examples = put_off.iter().map(shown).collect();
        Pattern::from_examples(What::PutOff { title }, examples, of)
    };
    tasks.into_values().filter_map(pattern).collect()
}
