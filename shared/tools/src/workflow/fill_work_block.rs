//! Proposes tasks for a work block.

use alfred_agent::tool::PartDone;

use super::composed::{self, Proposed, Proposing, Step, Wanted, Workflow};
use super::proposal::{Ended, Notes};
use crate::prelude::*;

mod outcome;
mod propose;
mod show;
mod wanted;

pub(crate) use outcome::again;

type Filling = Proposed<FillWorkBlock>;

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
    /// What they want that no field here says, in their words; the card names it as not done.
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
    tasks: Vec<Chosen>,
    reasoning: String,
    notes: Notes,
}

#[derive(Clone, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Chosen {
    id: String,
    title: String,
    minutes: u32,
    score: u32,
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

    fn propose(context: &ToolContext, wanted: Wanted<Arguments>) -> Proposing<'_> {
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

    fn preview(filling: &Filling) -> Result<Preview, ToolError> {
        Ok(show::preview(filling))
    }

    fn steps(filling: &Filling, _: &[PartDone<'_>]) -> Vec<Step> {
        let ids = &filling.confirmation.approved_task_ids;
        let assign = json!({"taskIds": ids, "blockId": filling.wish.block_id});
        // For the reply, which shows the day afterwards.
        let day = json!({"date": filling.proposal.date});
        vec![
            ("task_assignToTimeBlock", assign),
            ("schedule_viewSchedule", day),
        ]
    }

    fn outcome(filling: &Filling, done: &[PartDone<'_>]) -> Ended {
        outcome::ended(filling, done)
    }
}

pub(crate) fn nothing_fits(block: &str) -> String {
    format!("No task of the backlog fits into \"{block}\".")
}
