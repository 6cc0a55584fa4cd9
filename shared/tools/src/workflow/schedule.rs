//! Proposes a plan for a day.

use alfred_agent::tool::PartDone;
use alfred_planner::{Changes, Wish};
use serde_json::Map;

use super::composed::{self, Proposed, Proposing, Step, Wanted, Workflow};
use super::proposal::{Ended, Item, Notes};
use crate::prelude::*;

mod day;
mod earlier;
mod outcome;
mod propose;
mod show;

type Plan = Proposed<Schedule>;

const ASSIGN: &str = "task_assignToTimeBlock";
const CREATE: &str = "schedule_batchCreateBlocks";
const DELETE: &str = "schedule_deleteTimeBlock";
const MOVE: &str = "schedule_moveTimeBlock";

/// What a caller may say of a plan.
#[derive(Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// "2026-11-21", "today" or a weekday; today when left out, from 15:00 on tomorrow.
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<String>,
    /// Preferences for this plan alone, by their names.
    #[serde(skip_serializing_if = "Option::is_none")]
    preferences: Option<Map<String, Value>>,
    /// What the person wants of the plan; only what they said.
    #[serde(default, skip_serializing_if = "composed::is_default")]
    changes: Changes,
}

#[derive(Clone, Default, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct Confirmation {
    approved_blocks: Vec<NewBlock>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    moves: Vec<Move>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    removals: Vec<Removal>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fills: Vec<Fill>,
}

#[derive(Clone, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NewBlock {
    #[serde(rename = "type")]
    kind: String,
    title: String,
    start_time: String,
    end_time: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tasks: Vec<PlannedTask>,
    #[serde(default)]
    why: String,
}

#[derive(Clone, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct PlannedTask {
    id: String,
    title: String,
    minutes: u32,
    /// Minutes of the whole task, if it is only begun in the block.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    of: Option<u32>,
    why: String,
}

/// Tasks for an existing block.
#[derive(Clone, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Fill {
    block_id: String,
    title: String,
    tasks: Vec<PlannedTask>,
}

#[derive(Clone, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Move {
    block_id: String,
    title: String,
    previous_time: String,
    new_start_time: String,
    new_end_time: String,
    why: String,
}

#[derive(Clone, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Removal {
    block_id: String,
    title: String,
    time: String,
    why: String,
}

/// What the card shows beside the changes. It stays correct when the owner leaves out any of them.
#[derive(Clone, Default, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct Proposal {
    day: Vec<There>,
    /// Percent of the day that is planned before the changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    planned: Option<u32>,
    /// The gaps before the changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    free: Option<Free>,
    notes: Notes,
}

/// An existing block.
#[derive(Clone, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct There {
    id: String,
    start_time: String,
    end_time: String,
    title: String,
    /// Whether it covers the whole day and takes no hours of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    whole_day: bool,
    /// Why it stays; empty if the plan changes it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    why: String,
}

#[derive(Clone, Copy, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Free {
    gaps: usize,
    minutes: u32,
}

pub fn tool() -> SharedTool {
    composed::tool::<Schedule>()
}

struct Schedule;

impl Workflow for Schedule {
    type Wish = Arguments;
    type Confirmation = Confirmation;
    type Proposal = Proposal;
    const NAME: &'static str = "workflow_schedule";
    const DESCRIPTION: &'static str =
        "Plans a whole day around what is there, and asks the person on a card.";
    const RULES: &'static [&'static str] = &[
        "For \"plan my day\" call workflow_schedule at once, with what the person wants of it as changes, whatever their language; what no field says goes into unmet. The card asks them, so never list a plan of your own.",
    ];

    fn propose(context: &ToolContext, wanted: Wanted<Arguments>) -> Proposing<'_, Self> {
        Box::pin(propose::plan(context, wanted))
    }

    fn revised(wish: Arguments, now: Arguments) -> Arguments {
        Arguments {
            date: now.date.or(wish.date),
            preferences: now.preferences.or(wish.preferences),
            changes: wish.changes.then(now.changes),
        }
    }

    fn leaving_out(mut wish: Arguments, names: Vec<String>) -> Arguments {
        let stretches = names.iter().filter_map(|name| propose::stretch(name));
        wish.changes.keep_free.extend(stretches);
        wish
    }

    fn wishes(args: &Arguments) -> Vec<Wish> {
        // The rest may depend on what couldn't be expressed.
        match args.changes.unmet.is_empty() {
            true => args.changes.wishes().unwrap_or_default(),
            false => Vec::new(),
        }
    }

    fn outline(plan: &Plan) -> Option<String> {
        Some(show::outline(plan))
    }

    fn items(plan: &Plan) -> Vec<Item> {
        show::items(&plan.confirmation)
    }

    fn notes(plan: &Plan) -> &Notes {
        &plan.proposal.notes
    }

    fn nothing(plan: &Plan) -> Result<Vec<String>, ToolError> {
        show::nothing(plan)
    }

    fn card(plan: &Plan) -> Result<Preview, ToolError> {
        show::card(plan)
    }

    fn steps(plan: &Plan, done: &[PartDone<'_>]) -> Vec<Step> {
        steps(plan, done.iter().find(|part| part.tool == CREATE))
    }

    fn outcome(plan: &Plan, done: &[PartDone<'_>]) -> Ended {
        outcome::ended(plan, done)
    }
}

/// The parts in order. Tasks are assigned once their blocks exist; those of a block that wasn't created stay
/// where they are.
fn steps(plan: &Plan, created: Option<&PartDone<'_>>) -> Vec<Step> {
    let (date, wanted) = (plan.wish.date.as_deref(), &plan.confirmation);
    let removals = wanted.removals.iter().map(|one| {
        let arguments = json!({"blockId": one.block_id});
        (DELETE, arguments)
    });
    let moves = wanted.moves.iter().map(|one| {
        let arguments = json!({"blockId": one.block_id, "newStartTime": one.new_start_time});
        (MOVE, arguments)
    });
    let fills = wanted.fills.iter();
    let fills = fills.filter_map(|fill| assigning(&fill.tasks, &json!(fill.block_id)));
    let mut steps: Vec<Step> = removals.chain(moves).chain(fills).collect();
    if !wanted.approved_blocks.is_empty() {
        let block = |one: &NewBlock| json!({"type": one.kind, "title": one.title, "startTime": one.start_time, "endTime": one.end_time});
        let blocks: Vec<Value> = wanted.approved_blocks.iter().map(block).collect();
        let arguments = json!({"date": date, "blocks": blocks});
        steps.push((CREATE, arguments));
    }
    let made = created.and_then(|part| part.output["created"].as_array());
    for made in made.into_iter().flatten() {
        let is_it = |one: &&NewBlock| {
            one.start_time == made["startTime"] && one.end_time == made["endTime"]
        };
        let new = wanted.approved_blocks.iter().find(is_it);
        steps.extend(new.and_then(|new| assigning(&new.tasks, &made["id"])));
    }
    steps.push(("schedule_analyzeUtilization", json!({"date": date})));
    // For the reply, which shows the day afterwards.
    steps.push(("schedule_viewSchedule", json!({"date": date})));
    steps
}

/// Assigns tasks to a block, of longer ones a part.
fn assigning(tasks: &[PlannedTask], block: &Value) -> Option<Step> {
    let ids: Vec<&str> = tasks.iter().map(|task| task.id.as_str()).collect();
    let mut arguments = json!({"taskIds": ids, "blockId": block});
    let split = tasks.iter().filter(|task| task.of.is_some());
    let part = |task: &PlannedTask| json!({"taskId": task.id, "minutes": task.minutes});
    let parts: Vec<Value> = split.map(part).collect();
    if !parts.is_empty() {
        arguments["parts"] = parts.into();
    }
    (!ids.is_empty()).then_some(("task_assignToTimeBlock", arguments))
}

fn on(plan: &Plan) -> Result<Date, ToolError> {
    let date = plan.wish.date.as_deref().unwrap_or_default();
    date.parse()
        .map_err(|error| ToolError::Stop(Failure::bug(error)))
}
