//! What a plan came to, and which calls would do what of it didn't work.

use alfred_agent::tool::PartDone;
use alfred_core::text;
use alfred_tools::system::history::Again;
use serde_json::{Value, json};

use super::{Arguments, Confirmation, NewBlock, Schedule, steps};
use crate::composed::Workflow;
use crate::fill_work_block;
use crate::proposal::{Ended, offered};
use crate::toolset::trouble;

/// What became of the parts, in their order.
#[derive(Default)]
struct Counted {
    blocks: Vec<Value>,
    conflicts: Vec<Value>,
    failed: Vec<String>,
    assigned: usize,
    moved: usize,
    removed: usize,
    utilization: Value,
    /// What of the plan is left to do.
    left: Confirmation,
    /// Tasks that didn't get into blocks which were created.
    unassigned: Vec<Again>,
}

pub(super) fn ended(args: &Arguments, done: &[PartDone<'_>]) -> Ended {
    let wanted = args.confirmation.clone().unwrap_or_default();
    let date = args.date.as_deref().unwrap_or_default();
    let created = done
        .iter()
        .find(|part| part.tool == "schedule_batchCreateBlocks");
    let mut counted = Counted::default();
    for ((_, arguments), part) in steps(date, &wanted, created).iter().zip(done) {
        counted.add((date, &wanted), arguments, part);
    }
    let problems = counted.conflicts.len() + counted.failed.len();
    let mut again = counted.unassigned;
    if !counted.left.is_empty() {
        let left = Confirmation {
            approved: true,
            ..counted.left
        };
        let call = Arguments {
            date: args.date.clone(),
            confirmation: Some(left),
            ..Arguments::default()
        };
        again.extend(offered(Schedule::NAME, &call, Some(date)));
    }
    Ended {
        whole: problems == 0,
        data: json!({
            "phase": "completed",
            "date": date,
            "summary": text::day_planned(counted.blocks.len(), counted.assigned, problems),
            "blocks": counted.blocks,
            "moved": counted.moved,
            "removed": counted.removed,
            "planned": counted.assigned,
            "conflicts": counted.conflicts,
            "failed": counted.failed,
            "utilization": counted.utilization,
        }),
        again,
        offers: Vec::new(),
    }
}

impl Counted {
    fn add(
        &mut self,
        (date, wanted): (&str, &Confirmation),
        arguments: &Value,
        part: &PartDone<'_>,
    ) {
        let trouble = trouble(part);
        let fine = trouble.is_none();
        self.failed.extend(trouble);
        let output = part.output;
        let list = |field: &str| output[field].as_array().cloned().unwrap_or_default();
        let block = &arguments["blockId"];
        match part.tool {
            "schedule_deleteTimeBlock" if fine => self.removed += 1,
            "schedule_deleteTimeBlock" => {
                let meant = wanted.removals.iter().find(|one| one.block_id == *block);
                self.left.removals.extend(meant.cloned());
            }
            "schedule_moveTimeBlock" if fine => self.moved += 1,
            "schedule_moveTimeBlock" => {
                let meant = wanted.moves.iter().find(|one| one.block_id == *block);
                self.left.moves.extend(meant.cloned());
            }
            "schedule_batchCreateBlocks" => {
                self.blocks = list("created");
                self.conflicts = list("conflicts");
                let hit = |one: &&NewBlock| {
                    let is_it = |conflict: &Value| {
                        conflict["block"]["startTime"] == one.start_time
                            && conflict["block"]["endTime"] == one.end_time
                    };
                    !fine || self.conflicts.iter().any(is_it)
                };
                let missing = wanted.approved_blocks.iter().filter(hit).cloned();
                self.left.approved_blocks.extend(missing);
            }
            "task_assignToTimeBlock" => {
                self.assigned += list("assigned").len();
                let failed = list("failed");
                let reasons = failed.iter().filter_map(|one| one["reason"].as_str());
                self.failed.extend(reasons.map(str::to_owned));
                let ids: Vec<Value> = match fine {
                    true => failed.iter().map(|one| one["taskId"].clone()).collect(),
                    false => arguments["taskIds"].as_array().cloned().unwrap_or_default(),
                };
                let again = fill_work_block::again(block, &ids, date);
                self.unassigned.extend(again);
            }
            "schedule_analyzeUtilization" => self.utilization = output["utilization"].clone(),
            _ => {}
        }
    }
}
