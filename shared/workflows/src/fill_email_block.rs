//! `workflow_fillEmailBlock`: a triage of the mail that waits.

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

const TOOLS: [&str; 5] = [
    "email_getBacklog",
    "email_batchCategorize",
    "email_groupBySender",
    habits::TOOL,
    "email_archiveBatch",
];
#[derive(Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Arguments {
    /// The e-mail block it is for, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    block_id: Option<String>,
    /// Minutes of that block.
    #[serde(skip_serializing_if = "Option::is_none")]
    block_duration: Option<u32>,
    /// What the person wants of it; only what they said.
    #[serde(default, skip_serializing_if = "Changes::is_none")]
    changes: Changes,
    /// Set by Alfred: the ids of mails of an earlier proposal that are to stay.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    without: Vec<String>,
    /// Leave out: the person confirms on the card.
    #[serde(skip_serializing_if = "Option::is_none")]
    confirmation: Option<Confirmation>,
    /// Set by Alfred: what the card says beside the changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    proposal: Option<Proposal>,
}

/// What a person wants of a triage. A mail is meant by its id, or by words of its sender and subject.
#[derive(Clone, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
#[schemars(transform = plain_schema)]
struct Changes {
    /// Mails that stay, by id or by words of their sender and subject: "shop order".
    #[serde(skip_serializing_if = "Vec::is_empty")]
    keep: Vec<String>,
    /// Mails to archive too, by id or by words of their sender and subject.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    archive: Vec<String>,
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
    approved_archive_ids: Vec<String>,
    approved_urgent_ids: Vec<String>,
}

#[derive(Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct Proposal {
    urgent: Vec<Mail>,
    batched: Vec<Group>,
    to_archive: Vec<Mail>,
    notes: Notes,
}

/// A mail as the card names it.
#[derive(Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Mail {
    id: String,
    from: String,
    subject: String,
}

#[derive(Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Group {
    sender: String,
    count: usize,
    email_ids: Vec<String>,
}

pub struct FillEmailBlock;

#[async_trait]
impl Workflow for FillEmailBlock {
    type Arguments = Arguments;
    const NAME: &'static str = "workflow_fillEmailBlock";
    const DESCRIPTION: &'static str = "Triages the mail that waits: what is urgent, what can be answered together by sender, what can be archived; asks the person on a card before anything is archived.";
    const RULES: &'static [&'static str] = &[
        "For \"triage my mail\" call workflow_fillEmailBlock at once, with what the person wants of it as changes; the card asks them.",
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
        named::triage(tools, context, args).await
    }

    fn revised(wish: Arguments, now: Arguments) -> Arguments {
        // What is said now counts: a mail that was to stay may go, and the other way round.
        let but = |mut before: Vec<String>, others: &[String]| {
            before.retain(|one| !others.contains(one));
            before
        };
        let keep = but(wish.changes.keep, &now.changes.archive);
        let archive = but(wish.changes.archive, &now.changes.keep);
        Arguments {
            block_id: now.block_id.or(wish.block_id),
            block_duration: now.block_duration.or(wish.block_duration),
            changes: Changes {
                keep: [keep, now.changes.keep].concat(),
                archive: [archive, now.changes.archive].concat(),
                unmet: now.changes.unmet,
            },
            without: wish.without,
            confirmation: None,
            proposal: None,
        }
    }

    fn left(_: &ToolContext, args: Arguments) -> Result<Resolution, ToolError> {
        let ids = args
            .confirmation
            .as_ref()
            .map(|one| &one.approved_archive_ids);
        if ids.is_none_or(Vec::is_empty) {
            return nothing(&text::nothing_to_archive(0), &Notes::default());
        }
        as_call(&args)
    }

    fn preview(args: &Arguments) -> Result<Preview, ToolError> {
        Ok(show::preview(args))
    }

    fn steps(args: &Arguments, _: &[PartDone<'_>]) -> Vec<Step> {
        let ids = args
            .confirmation
            .as_ref()
            .map(|one| &one.approved_archive_ids);
        let reason = text::archived_in_triage();
        vec![(
            "email_archiveBatch",
            json!({"emailIds": ids, "reason": reason}),
        )]
    }

    fn outcome(args: &Arguments, done: &[PartDone<'_>]) -> Ended {
        outcome::ended(args, done)
    }
}

impl Mail {
    fn label(&self) -> String {
        format!("{}: {}", self.from, self.subject)
    }

    /// The address alone, in lower case.
    fn sender(&self) -> String {
        let address = self
            .from
            .rsplit_once('<')
            .map_or(self.from.as_str(), |(_, rest)| rest);
        address.trim_end_matches('>').trim().to_lowercase()
    }

    /// Whether it is meant: by its id, or by words that all stand in its label.
    fn is(&self, meant: &str) -> bool {
        let (own, words) = (self.label().to_lowercase(), meant.to_lowercase());
        let mut words = words.split_whitespace().peekable();
        self.id == meant || words.peek().is_some() && words.all(|word| own.contains(word))
    }
}
