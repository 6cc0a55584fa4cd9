//! The result of a plan, and the calls that propose again what failed.

use alfred_agent::tool::PartDone;

use super::{ASSIGN, CREATE, DELETE, MOVE, Plan, Schedule, steps};
use crate::prelude::*;
use crate::system::history::Again;
use crate::workflow::composed::Workflow;
use crate::workflow::fill_work_block;
use crate::workflow::proposal::{Ended, list, offered, trouble};

#[derive(Default)]
struct Counted {
    blocks: Vec<Value>,
    conflicts: Vec<Value>,
    failed: Vec<String>,
    assigned: usize,
    moved: usize,
    removed: usize,
    utilization: Value,
    /// Whether a part of the plan is left to do.
    is_left: bool,
    /// Calls for tasks that weren't assigned to created blocks.
    unassigned: Vec<Again>,
}

pub(super) fn ended(plan: &Plan, done: &[PartDone<'_>]) -> Ended {
    let date = plan.wish.date.as_deref().unwrap_or_default();
    let created = done.iter().find(|part| part.tool == CREATE);
    let mut counted = Counted::default();
    for ((_, arguments), part) in steps(plan, created).iter().zip(done) {
        counted.add(date, arguments, part);
    }
    let problems = counted.conflicts.len() + counted.failed.len();
    let mut again = counted.unassigned;
    if counted.is_left {
        // Existing blocks stay, so planning the day again proposes only what is missing.
        let wish = Schedule::leaving_out(plan.wish.clone(), plan.without.clone());
        again.extend(offered(Schedule::NAME, &wish, Some(date)));
    }
    Ended {
        whole: problems == 0,
        data: json!({
            "phase": "completed",
            "date": date,
            "summary": day_planned(counted.blocks.len(), counted.assigned, problems),
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

fn day_planned(blocks: usize, tasks: usize, problems: usize) -> String {
    let mut said = match blocks {
        1 => "Created one time block".to_owned(),
        several => format!("Created {several} time blocks"),
    };
    match tasks {
        0 => {}
        1 => said.push_str(" with one task"),
        several => said.push_str(&format!(" with {several} tasks")),
    }
    match problems {
        0 => said.push('.'),
        1 => said.push_str("; 1 thing didn't work."),
        several => said.push_str(&format!("; {several} things didn't work.")),
    }
    said
}

impl Counted {
    fn add(&mut self, date: &str, arguments: &Value, part: &PartDone<'_>) {
        let trouble = trouble(part);
        let fine = trouble.is_none();
        self.failed.extend(trouble);
        let list = |field: &str| list(Some(part), field);
        match part.tool {
            DELETE if fine => self.removed += 1,
            MOVE if fine => self.moved += 1,
            DELETE | MOVE => self.is_left = true,
            CREATE => {
                self.blocks = list("created");
                self.conflicts = list("conflicts");
                self.is_left |= !fine || !self.conflicts.is_empty();
            }
            ASSIGN => {
                self.assigned += list("assigned").len();
                let failed = list("failed");
                let reasons = failed.iter().filter_map(|one| one["reason"].as_str());
                self.failed.extend(reasons.map(str::to_owned));
                let ids: Vec<Value> = match fine {
                    true => failed.iter().map(|one| one["taskId"].clone()).collect(),
                    false => arguments["taskIds"].as_array().cloned().unwrap_or_default(),
                };
                let again = fill_work_block::again(&arguments["blockId"], &ids, date);
                self.unassigned.extend(again);
            }
            "schedule_analyzeUtilization" => {
                self.utilization = part.output["utilization"].clone();
            }
            _ => {}
        }
    }
}
