//! `workflow_fillEmailBlock`: a triage of the mail that waits.

use alfred_agent::preview::Preview;
use alfred_agent::tool::{PartDone, ToolContext, ToolError, ToolOutput, WorkedOut};
use alfred_core::text;
use alfred_planner::patterns::What;
use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::HashMap;

use crate::composed::Workflow;
use crate::habits::{self, Habit};
use crate::proposal::{Ended, Notes, as_call, nothing};
use crate::toolset::{Step, Toolset};

mod outcome;

const TOOLS: [&str; 5] = [
    "email_getBacklog",
    "email_batchCategorize",
    "email_groupBySender",
    habits::TOOL,
    "email_archiveBatch",
];
/// Mails that are looked at.
const LOOKED_AT: usize = 100;
/// Urgent mails that are named.
const URGENT: usize = 5;
/// A score above this is urgent.
const URGENT_SCORE: u32 = 80;
/// Mail that waited longer is urgent too.
const OLD: SignedDuration = SignedDuration::from_hours(3 * 24);
/// Words before what is to be kept.
const KEEPING: [&str; 5] = ["don't archive", "do not archive", "keep", "without", "not"];

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
    /// Set by Alfred: mails of an earlier proposal that are to stay.
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

/// What `email_getBacklog` gives.
#[derive(Deserialize)]
struct Backlog {
    emails: Vec<Waiting>,
    total: usize,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Waiting {
    id: String,
    from: String,
    subject: String,
    received_at: Timestamp,
}

/// What `email_batchCategorize` gives.
#[derive(Deserialize)]
struct Categorized {
    categorized: Vec<Category>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Category {
    email_id: String,
    category: String,
    urgency_score: u32,
}

/// What `email_groupBySender` gives.
#[derive(Deserialize)]
struct Grouped {
    groups: Vec<SenderGroup>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SenderGroup {
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
        propose(tools, context, args).await
    }

    fn changes(_: &ToolContext, args: Arguments) -> Result<WorkedOut, ToolError> {
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
        Ok(preview(args))
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

async fn propose(
    tools: &Toolset,
    context: &ToolContext,
    args: Arguments,
) -> Result<WorkedOut, ToolError> {
    let ask = json!({"status": ["unread", "backlog"], "limit": LOOKED_AT});
    let backlog: Backlog = tools.read(context, "email_getBacklog", ask).await?;
    if backlog.emails.is_empty() {
        return nothing(text::no_mail_waits(), &Notes::default());
    }
    let ids: Vec<&str> = backlog.emails.iter().map(|mail| mail.id.as_str()).collect();
    let found: Categorized = tools
        .read(context, "email_batchCategorize", json!({"emailIds": ids}))
        .await?;
    let kinds: HashMap<&str, &Category> = found
        .categorized
        .iter()
        .map(|one| (one.email_id.as_str(), one))
        .collect();
    let (kept, not_understood) = kept(&args);
    let is = |mail: &Waiting, kind: &str| {
        kinds
            .get(mail.id.as_str())
            .is_some_and(|one| one.category == kind)
    };
    let mut archive: Vec<Mail> = backlog
        .emails
        .iter()
        .filter(|mail| is(mail, "can_archive"))
        .map(Waiting::named)
        .filter(|mail| !kept.iter().any(|words| mail.has(words)))
        .collect();
    let known = habits::about(tools, context, &["proposals"]).await?;
    let kept_before = keep_what_is_kept(&mut archive, &known, args.feedback.as_deref());
    let urgent = urgent(&backlog.emails, &kinds, context.now);
    let answer: Vec<&str> = backlog
        .emails
        .iter()
        .filter(|mail| is(mail, "needs_reply"))
        .map(|mail| mail.id.as_str())
        .collect();
    let batched = batched(tools, context, &answer).await?;
    let mut notes = Notes {
        not_understood,
        ..Notes::default()
    };
    notes.lines.extend(kept_before);
    if backlog.total > backlog.emails.len() {
        notes
            .lines
            .push(text::newest_mails(backlog.emails.len(), backlog.total));
    }
    let proposal = Proposal {
        urgent,
        batched,
        to_archive: archive,
        notes,
    };
    if proposal.to_archive.is_empty() {
        let output = ToolOutput::data(&json!({
            "phase": "proposal",
            "requiresConfirmation": false,
            "message": text::nothing_to_archive(backlog.emails.len()),
            "notes": proposal.notes.shown(),
            "proposals": proposal,
        }))?;
        return Ok(WorkedOut::Nothing(Box::new(output)));
    }
    as_call(&Arguments {
        confirmation: Some(Confirmation {
            proposal_id: None,
            approved: true,
            approved_archive_ids: ids_of(&proposal.to_archive),
            approved_urgent_ids: ids_of(&proposal.urgent),
        }),
        proposal: Some(proposal),
        ..args
    })
}

/// Takes out what comes from senders whose mail the person keeps whenever archiving it is proposed, unless
/// they name them now; gives the lines that say so.
fn keep_what_is_kept(archive: &mut Vec<Mail>, known: &[Habit], said: Option<&str>) -> Vec<String> {
    let said = said.unwrap_or_default().to_lowercase();
    let mut lines = Vec::new();
    for habit in known {
        let What::KeepsMail(sender) = &habit.what else {
            continue;
        };
        let before = archive.len();
        if !said.contains(sender.as_str()) {
            archive.retain(|mail| mail.sender() != *sender);
        }
        if archive.len() < before {
            lines.push(text::mail_kept_before(sender, habit.agree, habit.of));
        }
    }
    lines
}

async fn batched(
    tools: &Toolset,
    context: &ToolContext,
    ids: &[&str],
) -> Result<Vec<Group>, ToolError> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let ask = json!({"emailIds": ids, "minGroupSize": 2});
    let found: Grouped = tools.read(context, "email_groupBySender", ask).await?;
    let group = |group: SenderGroup| Group {
        sender: group.sender,
        count: group.count,
        email_ids: group.email_ids,
    };
    Ok(found.groups.into_iter().map(group).collect())
}

impl Waiting {
    fn named(&self) -> Mail {
        Mail {
            id: self.id.clone(),
            from: self.from.clone(),
            subject: self.subject.clone(),
        }
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

    fn has(&self, words: &str) -> bool {
        let (own, words) = (self.label().to_lowercase(), words.to_lowercase());
        !words.is_empty() && own.contains(&words)
    }
}

fn ids_of(mails: &[Mail]) -> Vec<String> {
    mails.iter().map(|mail| mail.id.clone()).collect()
}

/// The mails that can't wait, the most urgent first. What can be archived is never among them.
fn urgent(mails: &[Waiting], kinds: &HashMap<&str, &Category>, now: Timestamp) -> Vec<Mail> {
    let mut urgent: Vec<(u32, &Waiting)> = mails
        .iter()
        .filter_map(|mail| {
            let kind = kinds.get(mail.id.as_str())?;
            let old = now.duration_since(mail.received_at) > OLD;
            let waits = kind.category != "can_archive";
            (waits && (kind.urgency_score > URGENT_SCORE || old))
                .then_some((kind.urgency_score, mail))
        })
        .collect();
    urgent.sort_by(|a, b| (b.0, a.1.received_at, &a.1.id).cmp(&(a.0, b.1.received_at, &b.1.id)));
    urgent.truncate(URGENT);
    urgent.into_iter().map(|(_, mail)| mail.named()).collect()
}

/// What is to stay by the person's words, and what of these wasn't understood.
fn kept(args: &Arguments) -> (Vec<String>, Vec<String>) {
    let (mut kept, mut not_understood) = (args.without.clone(), Vec::new());
    let feedback = args.feedback.as_deref().unwrap_or_default();
    for part in feedback.split([',', ';', '.']).map(str::trim) {
        if part.is_empty() {
            continue;
        }
        let lower = part.to_lowercase();
        let words = KEEPING.iter().find_map(|word| lower.strip_prefix(word));
        let words = words.map(|rest| {
            let rest = rest.trim();
            let fillers = [
                "everything from ",
                "all from ",
                "mails from ",
                "mail from ",
                "from ",
                "the ",
                "those from ",
            ];
            fillers
                .iter()
                .find_map(|filler| rest.strip_prefix(filler))
                .unwrap_or(rest)
        });
        match words.filter(|words| !words.is_empty()) {
            Some(words) => kept.push(words.to_owned()),
            None => not_understood.push(part.to_owned()),
        }
    }
    (kept, not_understood)
}

fn preview(args: &Arguments) -> Preview {
    let proposal = args.proposal.clone().unwrap_or_default();
    let wanted = args.confirmation.clone().unwrap_or_default();
    let mut preview = Preview::new(text::triage_title());
    let mut lines = Vec::new();
    let mut section = |title: String, rows: Vec<String>| {
        if !rows.is_empty() {
            lines.push(title);
            lines.extend(rows.into_iter().map(|row| format!("• {row}")));
            lines.push(String::new());
        }
    };
    let known = |id: &String| proposal.to_archive.iter().find(|mail| mail.id == *id);
    let label = |id: &String| known(id).map_or_else(|| id.clone(), Mail::label);
    let archived: Vec<String> = wanted.approved_archive_ids.iter().map(label).collect();
    section(
        text::urgent_mails(proposal.urgent.len()),
        proposal.urgent.iter().map(Mail::label).collect(),
    );
    section(
        text::together().to_owned(),
        proposal
            .batched
            .iter()
            .map(|group| format!("{} ({})", group.sender, group.count))
            .collect(),
    );
    section(text::to_archive(archived.len()), archived.clone());
    lines.extend(proposal.notes.shown());
    for (at, label) in archived.into_iter().enumerate() {
        preview = preview.item(format!("/confirmation/approvedArchiveIds/{at}"), label);
    }
    preview.body(lines.join("\n").trim_end().to_owned())
}
