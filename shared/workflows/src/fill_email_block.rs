//! `workflow_fillEmailBlock`: a triage of the mail that waits.

use alfred_agent::preview::Preview;
use alfred_agent::tool::{PartDone, ToolContext, ToolError, WorkedOut};
use alfred_core::text;
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
    /// What the person wants: "keep everything from Ana".
    #[serde(skip_serializing_if = "Option::is_none")]
    feedback: Option<String>,
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
    /// Those that could be archived too, and which the person took out of an earlier revision.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    kept: Vec<Mail>,
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

/// Triages the mail.
pub struct FillEmailBlock;

#[async_trait]
impl Workflow for FillEmailBlock {
    type Arguments = Arguments;
    const NAME: &'static str = "workflow_fillEmailBlock";
    const DESCRIPTION: &'static str = "Triages the mail that waits: what is urgent, what can be answered together by sender, what can be archived; asks the person on a card before anything is archived.";
    const RULES: &'static [&'static str] =
        &["For \"triage my mail\" call workflow_fillEmailBlock at once; the card asks the person."];
    const TOOLS: &'static [&'static str] = &TOOLS;

    fn confirmation(args: &Arguments) -> Option<(Option<&str>, bool)> {
        let confirmation = args.confirmation.as_ref()?;
        Some((confirmation.proposal_id.as_deref(), confirmation.approved))
    }

    async fn propose(
        tools: &Toolset,
        context: &ToolContext,
        args: Arguments,
    ) -> Result<WorkedOut, ToolError> {
        propose::plan(tools, context, args).await
    }

    async fn named(
        tools: &Toolset,
        context: &ToolContext,
        args: Arguments,
    ) -> Result<WorkedOut, ToolError> {
        named::triage(tools, context, args).await
    }

    fn left(_: &ToolContext, args: Arguments) -> Result<WorkedOut, ToolError> {
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
        outcome::of(args, done)
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

    /// Whether it is meant: by its id, or by words of its label.
    fn is(&self, meant: &str) -> bool {
        let (own, words) = (self.label().to_lowercase(), meant.to_lowercase());
        self.id == meant || !words.is_empty() && own.contains(&words)
    }
}
