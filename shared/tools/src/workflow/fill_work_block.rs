//! Proposes tasks for a work block.

use alfred_agent::tool::PartDone;
use alfred_planner::is_meant;

use super::composed::{self, Proposed, Proposing, Step, Wanted, Workflow};
use super::proposal::{Ended, Item, PlannedTask, left, list, offered, summary, trouble};
use crate::fields::counted;
use crate::prelude::*;
use crate::system::history::{Again, Offer};

mod propose;
mod wanted;

type Filling = Proposed<FillWorkBlock>;

const ASSIGN: &str = "task_assignToTimeBlock";

/// What a caller may say of it.
#[derive(Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Its id, or words of its title; the next with room when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    block_id: Option<String>,
    /// What the person wants of it; only what they said.
    #[serde(default, skip_serializing_if = "composed::is_default")]
    changes: Changes,
}

/// What a person wants of a block's tasks.
#[derive(Clone, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct Changes {
    /// Tasks that are in it before all others, by id or by words of their titles.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    first: Vec<String>,
    /// Tasks to leave out, by id or by words of their titles.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    drop: Vec<String>,
    /// At most so many tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    at_most_tasks: Option<usize>,
    /// At most so many minutes of tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    at_most_minutes: Option<u32>,
    /// Wishes that fit no field here, in the person's words; the card lists them as not done.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unmet: Vec<String>,
}

#[derive(Clone, Default, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct Confirmation {
    approved_task_ids: Vec<String>,
}

#[derive(Clone, Default, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct Proposal {
    block_title: String,
    date: String,
    time: String,
    minutes: u32,
    tasks: Vec<PlannedTask>,
    reasoning: String,
}

pub fn tool() -> SharedTool {
    composed::tool::<FillWorkBlock>()
}

struct FillWorkBlock;

impl Workflow for FillWorkBlock {
    type Wish = Arguments;
    type Confirmation = Confirmation;
    type Proposal = Proposal;
    const NAME: &'static str = "workflow_fillWorkBlock";
    const DESCRIPTION: &'static str = "Proposes tasks for a work block and asks the person on a card. At once, without asking: schedule_fillWorkBlock.";
    const RULES: &'static [&'static str] = &[
        "For \"fill my work block\" call workflow_fillWorkBlock at once, with what the person wants of it as changes; the card asks them.",
    ];

    fn propose(context: &ToolContext, wanted: Wanted<Arguments>) -> Proposing<'_, Self> {
        Box::pin(propose::plan(context, wanted))
    }

    fn revised(wish: Arguments, now: Arguments) -> Arguments {
        let (before, now_wanted) = (wish.changes, now.changes);
        Arguments {
            block_id: now.block_id.or(wish.block_id),
            changes: Changes {
                first: [before.first, now_wanted.first].concat(),
                drop: [before.drop, now_wanted.drop].concat(),
                at_most_tasks: now_wanted.at_most_tasks.or(before.at_most_tasks),
                at_most_minutes: now_wanted.at_most_minutes.or(before.at_most_minutes),
                unmet: now_wanted.unmet,
            },
        }
    }

    fn leaving_out(mut wish: Arguments, names: Vec<String>) -> Arguments {
        wish.changes.drop.extend(names);
        wish
    }

    fn still_left_out(before: &Proposal, id: &str, now: &Arguments) -> bool {
        let mut wanted = now.changes.first.iter();
        let task = before.tasks.iter().find(|task| task.id == id);
        !task.is_some_and(|task| wanted.any(|words| words == id || is_meant(&task.title, words)))
    }

    fn items(filling: &Filling) -> Vec<Item> {
        let item = |(at, task): (usize, &PlannedTask)| {
            Item::new("approvedTaskIds", at, ASSIGN, &task.title, &task.why)
        };
        approved(filling).enumerate().map(item).collect()
    }

    fn proposals(filling: &Filling, tasks: &[Item]) -> Value {
        let (id, title) = (&filling.wish.block_id, &filling.proposal.block_title);
        json!({"blockId": id, "blockTitle": title, "tasks": tasks})
    }

    fn card(filling: &Filling) -> Preview {
        let proposal = &filling.proposal;
        let date = &proposal.date;
        let date = date.parse().map_or(date.clone(), short_date);
        let line =
            |task: &PlannedTask| format!("• {} ({} min, {})", task.title, task.minutes, task.why);
        let lines: Vec<String> = approved(filling).map(line).collect();
        Preview::new(format!("Fill \"{}\" with tasks", proposal.block_title))
            .field("When", format!("{date} {}", proposal.time))
            .field("Free", format!("{} min", proposal.minutes))
            .body(lines.join("\n"))
    }

    /// Why these tasks. If some are left out, how much time the others take.
    fn remarks(filling: &Filling) -> Vec<String> {
        let proposal = &filling.proposal;
        let minutes: Vec<u32> = approved(filling).map(|task| task.minutes).collect();
        if minutes.is_empty() {
            Vec::new()
        } else if minutes.len() == proposal.tasks.len() && !proposal.reasoning.is_empty() {
            vec![proposal.reasoning.clone()]
        } else {
            let tasks = match minutes.len() {
                1 => "One task takes".to_owned(),
                several => format!("{several} tasks take"),
            };
            let (taken, free) = (minutes.iter().sum::<u32>(), proposal.minutes);
            vec![format!("{tasks} {taken} of {free} minutes.")]
        }
    }

    fn nothing(filling: &Filling) -> String {
        let block = &filling.proposal.block_title;
        format!("No task of the backlog fits into \"{block}\".")
    }

    fn steps(filling: &Filling, _: &[PartDone<'_>]) -> Vec<Step> {
        let ids: Vec<&str> = approved(filling).map(|task| task.id.as_str()).collect();
        let assign = json!({"taskIds": ids, "blockId": filling.wish.block_id});
        // For the reply, which shows the day afterwards.
        let day = json!({"date": filling.proposal.date});
        vec![(ASSIGN, assign), ("schedule_viewSchedule", day)]
    }

    fn outcome(filling: &Filling, done: &[PartDone<'_>]) -> Ended {
        let (part, block) = (done.first(), json!(filling.wish.block_id));
        let wanted = &filling.confirmation.approved_task_ids;
        let (assigned, mut failed) = (list(part, "assigned"), list(part, "failed"));
        let problem = part.and_then(trouble);
        failed.extend(problem.map(|reason| json!({"reason": reason})));
        let offer = |task: &PlannedTask| Offer::Task {
            id: task.id.clone(),
            title: task.title.clone(),
            taken: wanted.contains(&task.id),
        };
        let phrase = format!("assigned {} to the block", counted(assigned.len(), "task"));
        let again = again(&block, left(part, wanted), &filling.proposal.date);
        Ended {
            whole: failed.is_empty(),
            data: json!({
                "blockId": block,
                "summary": summary([(assigned.len(), phrase)], failed.len()),
                "assigned": assigned,
                "failed": failed,
            }),
            again: Vec::from_iter(again),
            missed: Vec::new(),
            offers: filling.proposal.tasks.iter().map(offer).collect(),
        }
    }
}

fn approved(filling: &Filling) -> impl Iterator<Item = &PlannedTask> {
    let tasks = &filling.proposal.tasks;
    let ids = filling.confirmation.approved_task_ids.iter();
    ids.filter_map(|id| tasks.iter().find(|task| task.id == *id))
}

/// The call that plans only these tasks for this block of that day; `None` without any.
pub(super) fn again(block: &Value, ids: Vec<String>, day: &str) -> Option<Again> {
    if ids.is_empty() {
        return None;
    }
    let call = Arguments {
        block_id: block.as_str().map(str::to_owned),
        changes: Changes {
            at_most_tasks: Some(ids.len()),
            first: ids,
            ..Changes::default()
        },
    };
    offered(FillWorkBlock::NAME, &call, Some(day))
}
