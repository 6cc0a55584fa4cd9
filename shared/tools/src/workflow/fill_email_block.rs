//! `workflow_fillEmailBlock`: a triage of the mail that waits.

use alfred_agent::preview::Preview;
use alfred_agent::tool::{PartDone, SharedTool, ToolContext, ToolError};
use alfred_core::text;
use alfred_planner::mail::SenderGroup;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::composed::{self, Proposed, Proposing, Step, Wanted, Workflow};
use super::proposal::{Ended, Notes};

mod outcome;
mod propose;
mod show;

/// A proposal as it is kept with its approval.
type Triage = Proposed<FillEmailBlock>;

/// What a caller may say of it.
#[derive(Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// The e-mail block it is for, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    block_id: Option<String>,
    /// Minutes of that block.
    #[serde(skip_serializing_if = "Option::is_none")]
    block_duration: Option<u32>,
    /// What the person wants of it; only what they said.
    #[serde(default, skip_serializing_if = "composed::is_default")]
    changes: Changes,
}

/// What a person wants of a triage. A mail is meant by its id, or by words of its sender and subject.
#[derive(Clone, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct Changes {
    /// Mails that stay, by id or by words of their sender and subject: "shop order".
    #[serde(skip_serializing_if = "Vec::is_empty")]
    keep: Vec<String>,
    /// Mails to archive too, by id or by words of their sender and subject.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    archive: Vec<String>,
    /// Nothing is archived but what `archive` names.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    nothing_else: bool,
    /// What they want that no field here says, in their words; the card names it as not done.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unmet: Vec<String>,
}

#[derive(Clone, Default, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct Confirmation {
    approved_archive_ids: Vec<String>,
    approved_urgent_ids: Vec<String>,
}

#[derive(Clone, Default, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct Proposal {
    urgent: Vec<Mail>,
    batched: Vec<SenderGroup>,
    to_archive: Vec<Mail>,
    notes: Notes,
}

/// A mail as the card names it.
#[derive(Clone, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Mail {
    id: String,
    from: String,
    subject: String,
}

/// The tool.
#[must_use]
pub fn tool() -> SharedTool {
    composed::tool::<FillEmailBlock>()
}

struct FillEmailBlock;

impl Workflow for FillEmailBlock {
    type Wish = Arguments;
    type Confirmation = Confirmation;
    type Proposal = Proposal;
    const NAME: &'static str = "workflow_fillEmailBlock";
    const DESCRIPTION: &'static str =
        "Triages the mail that waits, and asks the person on a card what to archive.";
    const RULES: &'static [&'static str] = &[
        "For \"triage my mail\" call workflow_fillEmailBlock at once, with what the person wants of it as changes; the card asks them.",
    ];

    fn propose(context: &ToolContext, wanted: Wanted<Arguments>) -> Proposing<'_> {
        Box::pin(propose::plan(context, wanted))
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
                nothing_else: now.changes.nothing_else || wish.changes.nothing_else,
                unmet: now.changes.unmet,
            },
        }
    }

    fn leaving_out(mut wish: Arguments, names: Vec<String>) -> Arguments {
        wish.changes.keep.extend(names);
        wish
    }

    fn nothing_left(triage: &Triage) -> Option<String> {
        let empty = triage.confirmation.approved_archive_ids.is_empty();
        empty.then(|| text::nothing_to_archive(0))
    }

    fn preview(triage: &Triage) -> Result<Preview, ToolError> {
        Ok(show::preview(triage))
    }

    fn steps(triage: &Triage, _: &[PartDone<'_>]) -> Vec<Step> {
        let ids = &triage.confirmation.approved_archive_ids;
        let reason = text::archived_in_triage();
        let archive = json!({"emailIds": ids, "reason": reason});
        vec![("email_archiveBatch", archive)]
    }

    fn outcome(triage: &Triage, done: &[PartDone<'_>]) -> Ended {
        outcome::ended(triage, done)
    }
}

impl Changes {
    fn keeps(&self, mail: &Mail) -> bool {
        self.keep.iter().any(|words| mail.is(words))
    }

    fn archives(&self, mail: &Mail) -> bool {
        self.archive.iter().any(|words| mail.is(words)) && !self.keeps(mail)
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
