//! Works out the plan of a day.

use alfred_core::id::TaskId;
use alfred_core::user::DayPreferences;
use alfred_planner::plan::{AssignedTask, Change, PlannedBlock, Urgency};
use alfred_planner::wish::Stretch;
use alfred_planner::{
    BacklogFilter, DayPlan, DayRequest, Habits, ScoredTask, Span, Wish, default_day, parse_date,
    plan as lay_out,
};
use futures_util::join;
use serde_json::Map;
use std::collections::HashSet;

use super::day;
use super::earlier::{Given, earlier};
use super::{
    Arguments, Confirmation, Fill, Free, Move, NewBlock, Plan, PlannedTask, Proposal, Removal,
    There,
};
use crate::prelude::*;
use crate::schedule::BlockView;
use crate::schedule::analyze_utilization::{self, analyze};
use crate::schedule::find_gaps::{self, find};
use crate::schedule::view_schedule::Schedule;
use crate::task::get_backlog_with_scores::backlog_on;
use crate::user::day_preferences;
use crate::workflow::composed::Wanted;
use crate::workflow::proposal::Notes;

/// Shorter gaps aren't counted. In minutes.
const LEAST_GAP: i64 = 30;
const NO_CALENDAR: &str =
    "No calendar is connected, so meetings that aren't in Alfred's plan are missing here.";

fn date(context: &ToolContext, written: Option<&str>) -> Result<Date, ToolError> {
    match written {
        None => Ok(default_day(context.now, &context.zone())),
        Some(text) => parse_date("date", text, today(context)).map_err(invalid),
    }
}

/// What the tools find out about a day before it is planned. A step that fails is noted.
struct Analysis {
    day: Schedule,
    free: Option<Free>,
    /// Percent of the day.
    planned: Option<u32>,
    tasks: Vec<ScoredTask>,
    notes: Notes,
}

impl Analysis {
    async fn load(context: &ToolContext, date: Date) -> Result<Self, ToolError> {
        let gaps = find_gaps::Arguments {
            date: date.to_string(),
            min_duration: LEAST_GAP,
            between: None,
        };
        let used = analyze_utilization::Arguments {
            date: date.to_string(),
        };
        let all = BacklogFilter::default();
        let (day, gaps, used, backlog) = join!(
            Schedule::load(context, date),
            find(context.clone(), gaps),
            analyze(context.clone(), used),
            backlog_on(context, &all, date),
        );
        let mut notes = Notes::default();
        let gaps = notes.step("Finding free time", gaps.map(Some))?;
        let used = notes.step("Analysing the day", used.map(Some))?;
        let tasks = backlog.map(|(_, backlog)| backlog.tasks);
        Ok(Self {
            day: day?,
            free: gaps.map(|found| Free {
                gaps: found.gaps.gaps.len(),
                minutes: found.gaps.total_available_minutes,
            }),
            planned: used.map(|analysis| analysis.utilization.utilization),
            tasks: notes.step("Reading your tasks", tasks)?,
            notes,
        })
    }

    /// What is to be known of the day beside its plan.
    fn lines(&mut self) -> Vec<String> {
        let mut lines = Vec::from_iter(self.day.note.take());
        if !self.day.all_day.is_empty() {
            lines.push(format!("All day: {}.", self.day.all_day.join(", ")));
        }
        if self.day.unconnected {
            lines.push(NO_CALENDAR.to_owned());
        }
        lines.append(&mut self.notes.lines);
        lines
    }
}

pub(super) async fn plan(
    context: &ToolContext,
    Wanted { wish, without, .. }: Wanted<Arguments>,
) -> Result<Plan, ToolError> {
    let (date, zone) = (date(context, wish.date.as_deref())?, context.zone());
    // Nothing was read yet, so this error has no words of others.
    let unfit = |error| invalid(error).bringing(Flow::NEUTRAL);
    let wanted = wish.changes.wishes().map_err(unfit)?;
    let mut analysis = Analysis::load(context, date).await?;
    let (habits, set) = habits(context, wish.preferences.as_ref()).await?;
    let given = Given {
        date,
        zone: &zone,
        wanted: &wanted,
        set: &set,
        habits: &habits,
    };
    let earlier = earlier(context, &given).await?;
    let mut wishes = earlier.wishes;
    wishes.extend(wanted);
    wishes.extend(without.iter().filter_map(|label| left_out(label)));
    let request = DayRequest {
        date,
        zone,
        now: context.now,
        habits: earlier.habits,
        blocks: analysis.day.blocks.iter().map(day::stored).collect(),
        tasks: std::mem::take(&mut analysis.tasks),
        named: wish.date.is_some(),
        wishes,
    };
    let found = lay_out(&request).map_err(invalid)?;
    let mut notes = Notes::of_unmet(&wish.changes.unmet);
    notes.lines = [found.remarks(), earlier.lines, analysis.lines()].concat();
    Ok(Plan {
        wish: Arguments {
            date: Some(date.to_string()),
            ..wish
        },
        without,
        own: None,
        confirmation: changes(&found),
        proposal: Proposal {
            day: there(&analysis.day.blocks, &found),
            planned: analysis.planned,
            free: analysis.free,
            notes,
        },
    })
}

/// The person's preferences, overridden by those given for this plan. Also the names of preferences that were
/// given or differ from the default.
async fn habits(
    context: &ToolContext,
    given: Option<&Map<String, Value>>,
) -> Result<(Habits, Vec<String>), ToolError> {
    let own = day_preferences(context).await?;
    let mut day = serde_json::to_value(own).map_err(Failure::bug)?;
    for (name, value) in given.into_iter().flatten() {
        match day.get_mut(name) {
            Some(there) => *there = value.clone(),
            None => {
                let known = day.as_object().into_iter().flatten();
                let names: Vec<&str> = known.map(|(name, _)| name.as_str()).collect();
                let names = names.join(", ");
                return Err(ToolError::failed(format!(
                    "preferences.{name}: there is no such preference. There are: {names}."
                )));
            }
        }
    }
    let default = serde_json::to_value(DayPreferences::default()).map_err(Failure::bug)?;
    let named = day.as_object().into_iter().flatten();
    let set = named.filter(|(name, value)| {
        given.is_some_and(|given| given.contains_key(*name)) || default[name.as_str()] != **value
    });
    let set: Vec<String> = set.map(|(name, _)| name.clone()).collect();
    let day: DayPreferences = serde_json::from_value(day)
        .map_err(|error| ToolError::failed(format!("preferences: {error}")))?;
    Ok((Habits::read(&day).map_err(invalid)?, set))
}

/// The times in a part's label on the card.
pub(super) fn stretch(label: &str) -> Option<Stretch> {
    let (from, rest) = label.split_once('–')?;
    let (from, to) = (from.to_owned(), rest.split_whitespace().next()?.to_owned());
    Some(Stretch { from, to })
}

/// What was left out of an earlier proposal stays free.
fn left_out(label: &str) -> Option<Wish> {
    let Stretch { from, to } = stretch(label)?;
    let span = Span::parse(("without", &from), ("without", &to)).ok()?;
    Some(Wish::KeepFree(span))
}

fn tasks(block: &PlannedBlock) -> Vec<PlannedTask> {
    let tasks = block.tasks.iter();
    tasks
        .map(|task| PlannedTask {
            id: task.id.to_string(),
            title: task.title.clone(),
            minutes: task.minutes,
            of: (task.of != task.minutes).then_some(task.of),
            why: pressing(task),
        })
        .collect()
}

/// A new block in which only one task goes on has its title, so that nothing else is planned for it.
fn title(block: &PlannedBlock, begun: &HashSet<&TaskId>) -> String {
    match block.tasks.as_slice() {
        [task] if begun.contains(&task.id) => task.title.clone(),
        _ => block.title.clone(),
    }
}

/// Why a task is this early; empty if no due date presses.
fn pressing(task: &AssignedTask) -> String {
    match task.urgency {
        Urgency::Score(_) => String::new(),
        urgency => urgency.to_string(),
    }
}

fn changes(found: &DayPlan) -> Confirmation {
    let mut changes = Confirmation::default();
    let mut begun = HashSet::new();
    for block in &found.blocks {
        let tasks = tasks(block);
        let (start, end) = (block.span.start().to_string(), block.span.end().to_string());
        let why = block.rule.to_string();
        match (&block.change, &block.id) {
            (Change::New, _) => changes.approved_blocks.push(NewBlock {
                kind: block.kind.to_string(),
                title: title(block, &begun),
                start_time: start,
                end_time: end,
                tasks: tasks.clone(),
                why,
            }),
            (Change::Moved { from }, Some(id)) => changes.moves.push(Move {
                block_id: id.to_string(),
                title: block.title.clone(),
                previous_time: from.to_string(),
                new_start_time: start,
                new_end_time: end,
                why,
            }),
            (Change::Moved { .. } | Change::Kept, _) => {}
        }
        if let (Some(id), false) = (&block.id, tasks.is_empty()) {
            changes.fills.push(Fill {
                block_id: id.to_string(),
                title: block.title.clone(),
                tasks,
            });
        }
        begun.extend(block.tasks.iter().map(|task| &task.id));
    }
    let removed = found.removed.iter().filter_map(|block| {
        Some(Removal {
            block_id: block.id.as_ref()?.to_string(),
            title: block.title.clone(),
            time: block.span.to_string(),
            why: block.rule.to_string(),
        })
    });
    changes.removals.extend(removed);
    changes
}

/// The existing blocks, with reasons for those that stay.
fn there(blocks: &[BlockView], found: &DayPlan) -> Vec<There> {
    let why = |block: &BlockView| {
        let mut planned = found.blocks.iter();
        let stays =
            planned.find(|one| one.change == Change::Kept && one.id.as_ref() == Some(&block.id));
        stays.map_or_else(String::new, |one| one.rule.to_string())
    };
    blocks
        .iter()
        .map(|block| day::there(block, why(block)))
        .collect()
}
