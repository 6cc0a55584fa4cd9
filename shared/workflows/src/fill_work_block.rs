//! `workflow_fillWorkBlock`: tasks for a work block.

use alfred_agent::preview::Preview;
use alfred_agent::tool::{PartDone, Resolution, ToolContext, ToolError};
use alfred_core::text;
use alfred_planner::wish::plain_schema;
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::composed::Workflow;
use crate::habits;
use crate::proposal::{Ended, Notes, as_call, nothing};
use crate::toolset::{Step, Toolset};

mod named;
mod outcome;
mod propose;
mod show;
mod wanted;

pub use named::not_waiting;
pub use outcome::again;

const TOOLS: [&str; 5] = [
    "schedule_viewSchedule",
    "task_getBacklogWithScores",
    "task_suggestForDuration",
    habits::TOOL,
    "task_assignToTimeBlock",
];
#[derive(Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Arguments {
    /// Which work block: its id, or words of its title; the next one with room when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    block_id: Option<String>,
    /// What the person wants of it; only what they said.
    #[serde(default, skip_serializing_if = "Changes::is_none")]
    changes: Changes,
    /// Set by Alfred: the ids of tasks of an earlier proposal that are not wanted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    without: Vec<String>,
    /// Leave out: the person confirms on the card.
    #[serde(skip_serializing_if = "Option::is_none")]
    confirmation: Option<Confirmation>,
    /// Set by Alfred: what the card says beside the changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    proposal: Option<Proposal>,
}

/// What a person wants of a block's tasks.
#[derive(Clone, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
#[schemars(transform = plain_schema)]
struct Changes {
    /// Tasks that are in it before all others, by words of their titles.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    first: Vec<String>,
    /// Tasks to leave out, by words of their titles.
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

impl Changes {
    fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

#[derive(Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct Confirmation {
    #[serde(skip_serializing_if = "Option::is_none")]
    proposal_id: Option<String>,
    approved: bool,
    approved_task_ids: Vec<String>,
}

#[derive(Clone, Default, Deserialize, Serialize, JsonSchema)]
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

#[derive(Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Chosen {
    id: String,
    title: String,
    minutes: u32,
    score: u32,
}

/// Fills a work block.
pub struct FillWorkBlock;

#[async_trait]
impl Workflow for FillWorkBlock {
    type Arguments = Arguments;
    const NAME: &'static str = "workflow_fillWorkBlock";
    const DESCRIPTION: &'static str = "Proposes the best tasks for a work block and asks the person on a card before they are planned for it.";
    const RULES: &'static [&'static str] = &[
        "For \"fill my work block\" call workflow_fillWorkBlock at once, with what the person wants of it as changes; the card asks them.",
    ];
    const TOOLS: &'static [&'static str] = &TOOLS;

    fn confirmation(args: &Arguments) -> Option<(Option<&str>, bool)> {
        let confirmation = args.confirmation.as_ref()?;
        Some((confirmation.proposal_id.as_deref(), confirmation.approved))
    }

    async fn propose(
        tools: &Toolset,
        context: &ToolContext,
        args: Arguments,
    ) -> Result<Resolution, ToolError> {
        propose::plan(tools, context, args).await
    }

    async fn named(
        tools: &Toolset,
        context: &ToolContext,
        args: Arguments,
    ) -> Result<Resolution, ToolError> {
        named::tasks(tools, context, args).await
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
            without: wish.without,
            confirmation: None,
            proposal: None,
        }
    }

    fn left(_: &ToolContext, args: Arguments) -> Result<Resolution, ToolError> {
        let ids = args.confirmation.as_ref().map(|one| &one.approved_task_ids);
        if ids.is_none_or(Vec::is_empty) {
            return nothing(&text::nothing_fits("the block"), &Notes::default());
        }
        if args.block_id.is_none() {
            return Err(ToolError::failed(
                "blockId: say which block the tasks are for.",
            ));
        }
        as_call(&args)
    }

    fn preview(args: &Arguments) -> Result<Preview, ToolError> {
        Ok(show::preview(args))
    }

    fn steps(args: &Arguments, _: &[PartDone<'_>]) -> Vec<Step> {
        let ids = args.confirmation.as_ref().map(|one| &one.approved_task_ids);
        let assign = json!({"taskIds": ids, "blockId": args.block_id});
        let mut steps = vec![("task_assignToTimeBlock", assign)];
        // The reply shows the day as it is then.
        let date = args.proposal.as_ref().map(|proposal| &proposal.date);
        let known = date.filter(|date| !date.is_empty());
        steps.extend(known.map(|date| ("schedule_viewSchedule", json!({"date": date}))));
        steps
    }

    fn outcome(args: &Arguments, done: &[PartDone<'_>]) -> Ended {
        outcome::ended(args, done)
    }
}
