//! Proposes a plan for a day.

use alfred_agent::tool::PartDone;
use alfred_core::id::{BlockId, TaskId};
use alfred_planner::{BlockType, Changes, ClockTime, TaskPart, Wish, is_meant};
use serde_json::Map;
use std::collections::HashSet;

use super::composed::{self, Proposed, Proposing, Step, Wanted, Workflow};
use super::fill_work_block;
use super::proposal::{Ended, Item, PlannedTask, left, list, missed, offered, summary, trouble};
use crate::fields::counted;
use crate::prelude::*;
use crate::schedule::parts::assigning;

mod earlier;
mod propose;
mod show;

type Plan = Proposed<Schedule>;

const ANALYZE: &str = "schedule_analyzeUtilization";
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
    approved_blocks: Vec<Block>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    moves: Vec<Block>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    removals: Vec<Block>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fills: Vec<Block>,
}

#[derive(Clone, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Block {
    /// `None` for a new block.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<BlockId>,
    #[serde(rename = "type")]
    kind: BlockType,
    title: String,
    start_time: ClockTime,
    end_time: ClockTime,
    /// Tasks that the plan adds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tasks: Vec<PlannedTask>,
    /// Why the plan has it so; empty for a block that the plan changes elsewhere.
    #[serde(default)]
    why: String,
}

/// What the card shows beside the changes. It stays correct when the owner leaves out any of them.
#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Proposal {
    date: Date,
    day: Vec<Block>,
    /// Percent of the day that is planned before the changes.
    #[serde(default)]
    planned: u32,
    /// The gaps before the changes, in words; empty if they aren't known.
    #[serde(default)]
    free: String,
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
        "For \"plan my day\" in any language, call workflow_schedule at once, with the person's wishes as changes; wishes that fit no field go into unmet. A card asks the person, so never list a plan of your own.",
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

    fn leaving_out(wish: Arguments, names: Vec<String>) -> Arguments {
        let changes = wish.changes.then(propose::left_out(&names));
        Arguments { changes, ..wish }
    }

    fn still_left_out(_: &Proposal, name: &str, now: &Arguments) -> bool {
        let (kept_out, wanted) = (propose::left_out(&[name.to_owned()]), &now.changes);
        let lunch = wanted.lunch_at.is_some() || wanted.lunch_minutes.is_some();
        let email = wanted.email_at.is_some() || wanted.email_first;
        let email = email || wanted.email_minutes.is_some();
        let titles = wanted.moved.iter().map(|one| &one.title);
        let mut titles = titles.chain(&wanted.drop);
        // A change of an existing block is wanted again when the words name the block.
        let named = kept_out.keep_free.is_empty() && titles.any(|title| is_meant(name, title));
        let times = [&wanted.lunch_at, &wanted.email_at].into_iter().flatten();
        let mut times = times.chain(wanted.moved.iter().map(|one| &one.to));
        let kept_free = kept_out.keep_free.first();
        let taken = kept_free.is_some_and(|kept| times.any(|time| propose::holds(kept, time)));
        let again = (kept_out.no_lunch && lunch) || (kept_out.no_email && email);
        !(named || taken || again)
    }

    fn wishes(args: &Arguments) -> Vec<Wish> {
        // The rest may depend on what couldn't be expressed.
        if args.changes.unmet.is_empty() {
            args.changes.wishes().unwrap_or_default()
        } else {
            Vec::new()
        }
    }

    fn outline(plan: &Plan) -> Option<String> {
        Some(show::outline(plan))
    }

    fn items(plan: &Plan) -> Vec<Item> {
        show::items(plan)
    }

    fn card(plan: &Plan) -> Preview {
        show::card(plan)
    }

    fn remarks(plan: &Plan) -> Vec<String> {
        vec![show::day_use(plan)]
    }

    fn nothing(plan: &Plan) -> String {
        let day = plan.proposal.date.strftime("%A, %-d %B");
        format!("There is nothing to add to {day}.")
    }

    /// Tasks are assigned once their blocks exist; those of a block that wasn't created stay where they are.
    fn steps(plan: &Plan, done: &[PartDone<'_>]) -> Vec<Step> {
        let created = done.iter().find(|part| part.tool == CREATE);
        let (date, wanted) = (plan.proposal.date, &plan.confirmation);
        let removals = wanted.removals.iter();
        let removals = removals.map(|one| (DELETE, json!({"blockId": one.id})));
        let moves = wanted.moves.iter().map(|one| {
            let (start, end) = (one.start_time, one.end_time);
            let to = json!({"blockId": one.id, "newStartTime": start, "newEndTime": end});
            (MOVE, to)
        });
        let fills = wanted.fills.iter();
        let fills = fills.filter_map(|fill| assign_step(&fill.tasks, &fill.id));
        let mut steps: Vec<Step> = removals.chain(moves).chain(fills).collect();
        if !wanted.approved_blocks.is_empty() {
            let block = |one: &Block| json!({"type": one.kind, "title": one.title, "startTime": one.start_time, "endTime": one.end_time});
            let blocks: Vec<Value> = wanted.approved_blocks.iter().map(block).collect();
            steps.push((CREATE, json!({"date": date, "blocks": blocks})));
        }
        for made in list(created, "created") {
            let is_it = |one: &&Block| {
                made["startTime"] == json!(one.start_time) && made["endTime"] == json!(one.end_time)
            };
            let new = wanted.approved_blocks.iter().find(is_it);
            steps.extend(new.and_then(|new| assign_step(&new.tasks, &made["id"])));
        }
        steps.push((ANALYZE, json!({"date": date})));
        // For the reply, which shows the day afterwards.
        steps.push(("schedule_viewSchedule", json!({"date": date})));
        steps
    }

    fn outcome(plan: &Plan, done: &[PartDone<'_>]) -> Ended {
        let (date, wanted) = (&plan.proposal.date.to_string(), &plan.confirmation);
        let part = |tool: &str| done.iter().find(|part| part.tool == tool);
        let worked = |tool: &str| {
            let parts = done.iter().filter(|part| part.tool == tool);
            parts.filter(|part| trouble(part).is_none()).count()
        };
        let (moved, removed) = (worked(MOVE), worked(DELETE));
        let created = part(CREATE);
        let (blocks, conflicts) = (list(created, "created"), list(created, "conflicts"));
        let mut failed: Vec<String> = done.iter().filter_map(trouble).collect();
        let (mut planned, mut again) = (HashSet::new(), Vec::new());
        let steps = Self::steps(plan, done);
        let parts = steps.iter().zip(done);
        for ((_, arguments), part) in parts.filter(|(_, part)| part.tool == ASSIGN) {
            planned.extend(list(Some(part), "assigned"));
            let refused = list(Some(part), "failed").into_iter();
            failed.extend(refused.filter_map(|one| Some(one["reason"].as_str()?.to_owned())));
            let ids: Vec<String> =
                serde_json::from_value(arguments["taskIds"].clone()).unwrap_or_default();
            let ids = left(Some(part), &ids);
            again.extend(fill_work_block::again(&arguments["blockId"], ids, date));
        }
        let all_changed = moved == wanted.moves.len() && removed == wanted.removals.len();
        if !all_changed || !conflicts.is_empty() || created.and_then(trouble).is_some() {
            // Existing blocks stay, so planning the day again proposes only what is missing.
            let wish = Self::leaving_out(plan.wish.clone(), plan.without.clone());
            again.extend(offered(Self::NAME, &wish, Some(date)));
        }
        // The first steps are these, in this order.
        let changes = wanted.removals.iter().chain(&wanted.moves).zip(done);
        let changes = changes.filter_map(|(block, part)| missed(&json!(block), part.output));
        let not_made = conflicts.iter();
        let not_made = not_made.filter_map(|conflict| missed(&conflict["block"], conflict));
        let missed = changes.chain(not_made).collect();
        let problems = conflicts.len() + failed.len();
        let phrase = |count, verb: &str, noun| (count, format!("{verb} {}", counted(count, noun)));
        let phrases = [
            phrase(blocks.len(), "created", "time block"),
            phrase(moved, show::verb(plan, &wanted.moves), "time block"),
            phrase(removed, "removed", "time block"),
            phrase(planned.len(), "planned", "task"),
        ];
        Ended {
            whole: problems == 0,
            data: json!({
                "date": date,
                "summary": summary(phrases, problems),
                "blocks": blocks,
                "moved": moved,
                "removed": removed,
                "planned": planned.len(),
                "conflicts": conflicts,
                "failed": failed,
                "utilization": part(ANALYZE).map(|part| &part.output["utilization"]),
            }),
            again,
            missed,
            offers: Vec::new(),
        }
    }
}

fn assign_step(tasks: &[PlannedTask], block: &impl Serialize) -> Option<Step> {
    let part = |task: &PlannedTask| TaskPart {
        id: TaskId::from(&*task.id),
        minutes: task.of.map(|_| task.minutes),
    };
    let parts: Vec<TaskPart> = tasks.iter().map(part).collect();
    (!parts.is_empty()).then(|| (ASSIGN, assigning(&parts, block)))
}
