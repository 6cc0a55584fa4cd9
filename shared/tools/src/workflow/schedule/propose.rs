//! Works out the plan of a day.

use alfred_agent::model::in_words;
use alfred_core::id::{BlockId, TaskId};
use alfred_core::user::DayPreferences;
use alfred_planner::plan::{
    AssignedTask, Change, EMAIL_TITLE, LUNCH_TITLE, OWN_TITLES, PlannedBlock, Urgency,
};
use alfred_planner::wish::Stretch;
use alfred_planner::{
    BacklogFilter, Changes, ClockTime, DayPlan, DayRequest, DayStats, Habits, InputError,
    ScoredTask, Span, TimeBlock, Wish, check_wishes, default_day, hours, parse_date,
    plan as lay_out,
};
use futures_util::join;
use serde_json::Map;
use std::collections::HashSet;

use super::earlier::{Given, earlier};
use super::{Arguments, Block, Confirmation, Plan, PlannedTask, Proposal};
use crate::fields::{bad, shown};
use crate::prelude::*;
use crate::schedule::find_gaps::gaps;
use crate::schedule::shown::ShownDay;
use crate::schedule::{meetings, times};
use crate::task::get_backlog_with_scores::backlog_on;
use crate::user::day_preferences;
use crate::workflow::composed::{Wanted, Workflow};
use crate::workflow::proposal::{step, unmet_notes};

/// Shorter gaps aren't counted. In minutes.
const LEAST_GAP: u32 = 30;
const NO_CALENDAR: &str =
    "No calendar is connected, so meetings that aren't in Alfred's plan are missing here.";

/// What the tools find out about a day before it is planned. A step that fails is noted.
struct Analysis {
    day: ShownDay,
    free: String,
    tasks: Vec<ScoredTask>,
    notes: Vec<String>,
}

impl Analysis {
    async fn load(context: &ToolContext, date: Date, working: Span) -> Result<Self> {
        let clock = meetings::clock(context, "date", date)?;
        let all = BacklogFilter::default();
        let (day, works, backlog) = join!(
            ShownDay::load(context, date),
            times::working(context),
            backlog_on(context, &all, date),
        );
        let day = day?;
        let calendar = &day.meetings;
        let mut notes = Vec::from_iter(calendar.note.clone());
        if !calendar.all_day.is_empty() {
            notes.push(format!("All day: {}.", calendar.all_day.join(", ")));
        }
        if calendar.unconnected {
            notes.push(NO_CALENDAR.to_owned());
        }
        let free = if calendar.unread {
            String::new()
        } else {
            let found = gaps(context, &day.blocks, &clock, working, LEAST_GAP);
            format!(" ({} were free)", hours(found.total_available_minutes))
        };
        // The analysis after the plan needs stored working hours that can be used.
        step(&mut notes, "Analysing the day", works.map(drop))?;
        Ok(Self {
            free,
            tasks: backlog?.1.tasks,
            day,
            notes,
        })
    }
}

pub(super) async fn plan(
    context: &ToolContext,
    Wanted {
        mut wish, without, ..
    }: Wanted<Arguments>,
) -> Result<Plan> {
    let zone = context.zone();
    let date = match wish.date.as_deref() {
        None => default_day(context.began, &zone),
        Some(text) => parse_date("date", text, request_date(context)).map_err(invalid)?,
    };
    let (habits, set) = habits_for_plan(context, wish.preferences.as_ref()).await?;
    let refusals = drop_impossible(&mut wish.changes, |changes| {
        check_wishes(&habits, &changes.wishes()?, date, &zone)
    })?;
    let wanted = super::Schedule::leaving_out(wish.clone(), without.clone()).changes;
    let wanted = wanted.wishes().map_err(invalid)?;
    let analysis = Analysis::load(context, date, habits.working).await?;
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
    let kept = |list: &str, id: &BlockId| {
        let name = format!("{list}/{id} ");
        without.iter().any(|part| part.starts_with(&name))
    };
    let blocks = analysis.day.blocks.iter();
    let staying = blocks.filter(|one| kept("moves", &one.id) || kept("removals", &one.id));
    wishes.extend(staying.map(|block| Wish::Move {
        title: block.title.clone(),
        to: block.span.start(),
    }));
    let request = DayRequest {
        date,
        zone,
        now: context.now,
        habits: earlier.habits,
        blocks: analysis.day.blocks,
        tasks: analysis.tasks,
        named: wish.date.is_some(),
        wishes,
    };
    let found = lay_out(&request).map_err(invalid)?;
    let mut confirmation = changes(&found);
    let is_empty = |block: &Block| block.id.as_ref().is_some_and(|id| kept("fills", id));
    confirmation.fills.retain(|block| !is_empty(block));
    let mut notes = [found.remarks(), earlier.lines, analysis.notes].concat();
    notes.extend(unmet_notes(&wish.changes.unmet).chain(refusals));
    let blocks = &request.blocks;
    Ok(Plan {
        wish: Arguments {
            date: Some(date.to_string()),
            ..wish
        },
        confirmation,
        without,
        own: None,
        proposal: Proposal {
            date,
            planned: DayStats::from_blocks(blocks).utilization,
            day: blocks.iter().map(|block| existing(block, &found)).collect(),
            free: analysis.free,
        },
        notes,
    })
}

/// Moves wishes that can't be followed to `unmet`; returns the reasons. Fails if no other wish remains.
fn drop_impossible(
    changes: &mut Changes,
    check: impl Fn(&Changes) -> Result<(), InputError>,
) -> Result<Vec<String>> {
    let (mut reasons, mut unmet) = (Vec::new(), Vec::new());
    while let Err(error) = check(changes) {
        let path = error.field.trim_start_matches("changes.");
        let (name, place) = path.split_once('[').unwrap_or((path, ""));
        let at = place.split(']').next().and_then(|at| at.parse().ok());
        let mut rest = json!(changes);
        let gone = match (rest[name].as_array_mut(), at) {
            (Some(list), Some(at)) if at < list.len() => list.remove(at),
            _ => rest[name].take(),
        };
        let words = match gone.as_object() {
            Some(parts) => Vec::from_iter(parts.values().map(shown)).join(" "),
            None => shown(&gone),
        };
        let mut rest: Map<String, Value> = serde_json::from_value(rest).map_err(Failure::bug)?;
        rest.retain(|_, value| !value.is_null() && *value != json!([]));
        if gone.is_null() || rest.keys().all(|name| name == "unmet") {
            // Nothing was read yet, so this error has no words of others.
            return Err(invalid(error).bringing(Flow::NEUTRAL));
        }
        *changes = serde_json::from_value(rest.into()).map_err(Failure::bug)?;
        unmet.push(format!("{} {words}", in_words(name).to_lowercase()));
        reasons.push(bad(&error).say);
    }
    changes.unmet.append(&mut unmet);
    Ok(reasons)
}

/// The person's preferences, overridden by those given for this plan. Also the names of preferences that were
/// given or differ from the default.
async fn habits_for_plan(
    context: &ToolContext,
    given: Option<&Map<String, Value>>,
) -> Result<(Habits, Vec<String>)> {
    let object = |day: DayPreferences| serde_json::from_value::<Map<String, Value>>(json!(day));
    let mut day = object(day_preferences(context).await?).map_err(Failure::bug)?;
    for (name, value) in given.into_iter().flatten() {
        let Some(there) = day.get_mut(name) else {
            let names = Vec::from_iter(day.keys().map(String::as_str)).join(", ");
            let problem = format!("there is no such preference. There are: {names}.");
            return Err(ToolError::failed(format!("preferences.{name}: {problem}")));
        };
        *there = value.clone();
    }
    let default = object(DayPreferences::default()).map_err(Failure::bug)?;
    let is_set = |name: &&String| {
        let is_given = given.is_some_and(|given| given.contains_key(*name));
        is_given || default.get(*name) != day.get(*name)
    };
    let set: Vec<String> = day.keys().filter(is_set).cloned().collect();
    let day: DayPreferences = serde_json::from_value(day.into())
        .map_err(|error| ToolError::failed(format!("preferences: {error}")))?;
    Ok((Habits::read(&day).map_err(invalid)?, set))
}

/// The changes that keep out what these labels of a card name. Its time stays free, and lunch and e-mail don't come
/// at another time either.
pub(super) fn left_out(labels: &[String]) -> Changes {
    let mut changes = Changes::default();
    for label in labels {
        let Some((times, title)) = label.split_once(' ') else {
            continue;
        };
        // Labels of moves, tasks and removals begin with a word.
        let Some((from, to)) = times.split_once('–') else {
            continue;
        };
        let (from, to) = (from.to_owned(), to.to_owned());
        changes.keep_free.push(Stretch { from, to });
        changes.no_lunch |= title == LUNCH_TITLE;
        changes.no_email |= title == EMAIL_TITLE;
    }
    changes
}

/// Whether a wished time lies in a stretch of `left_out`.
pub(super) fn holds(kept: &Stretch, time: &str) -> bool {
    let time = ClockTime::parse("time", time).map(|time| time.to_string());
    time.is_ok_and(|time| kept.from <= time && time < kept.to)
}

/// A new block in which only one task goes on has its title, so that nothing else is planned for it. A title that
/// Alfred gives would make it look like another block.
fn title(block: &PlannedBlock, begun: &HashSet<&TaskId>) -> String {
    match block.tasks.as_slice() {
        [task] if begun.contains(&task.id) && !OWN_TITLES.contains(&task.title.as_str()) => {
            task.title.clone()
        }
        _ => block.title.clone(),
    }
}

/// Why a task is this early; empty if no due date presses.
fn pressing(task: &AssignedTask) -> String {
    match task.urgency {
        Urgency::Score(_) => String::new(),
        Urgency::Overdue(due) => format!("due {}", short_date(due)),
        urgency => urgency.to_string(),
    }
}

fn changes(found: &DayPlan) -> Confirmation {
    let mut changes = Confirmation::default();
    let mut begun = HashSet::new();
    for planned in &found.blocks {
        let mut block = Block::from(planned);
        match planned.change {
            Change::New => block.title = title(planned, &begun),
            Change::Moved { .. } => changes.moves.push(Block {
                tasks: Vec::new(),
                ..block.clone()
            }),
            Change::Kept => {}
        }
        begun.extend(planned.tasks.iter().map(|task| &task.id));
        if planned.change == Change::New {
            changes.approved_blocks.push(block);
        } else if !block.tasks.is_empty() {
            changes.fills.push(block);
        }
    }
    changes.removals = found.removed.iter().map(Block::from).collect();
    changes
}

impl From<&PlannedBlock> for Block {
    fn from(block: &PlannedBlock) -> Self {
        let task = |task: &AssignedTask| PlannedTask {
            id: task.id.to_string(),
            title: task.title.clone(),
            minutes: task.minutes,
            of: (task.of != task.minutes).then_some(task.of),
            why: pressing(task),
        };
        Self {
            id: block.id.clone(),
            kind: block.kind,
            title: block.title.clone(),
            start_time: block.span.start(),
            end_time: block.span.end(),
            tasks: block.tasks.iter().map(task).collect(),
            why: block.rule.to_string(),
        }
    }
}

/// An existing block, with a reason if it stays.
fn existing(block: &TimeBlock, found: &DayPlan) -> Block {
    let mut planned = found.blocks.iter();
    let stays =
        planned.find(|one| one.change == Change::Kept && one.id.as_ref() == Some(&block.id));
    Block {
        id: Some(block.id.clone()),
        kind: block.kind,
        title: block.title.clone(),
        start_time: block.span.start(),
        end_time: block.span.end(),
        tasks: Vec::new(),
        why: stays.map_or_else(String::new, |one| one.rule.to_string()),
    }
}
