//! What a triage comes to.

use alfred_agent::tool::{Resolution, ToolContext, ToolError, ToolOutput};
use alfred_core::text;
use alfred_planner::patterns::What;
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde_json::json;
use std::collections::HashMap;

use super::{Arguments, Confirmation, Group, Mail, Proposal};
use crate::habits::{self, Habit};
use crate::proposal::{Notes, as_call, nothing};
use crate::toolset::Toolset;

/// Mails that are looked at.
const LOOKED_AT: usize = 100;
/// Urgent mails that are named.
const URGENT: usize = 5;
/// A score above this is urgent.
const URGENT_SCORE: u32 = 80;
/// Mail that waited longer is urgent too.
const OLD: SignedDuration = SignedDuration::from_hours(3 * 24);

/// What `email_getBacklog` gives.
#[derive(Deserialize)]
pub(super) struct Backlog {
    pub emails: Vec<Waiting>,
    total: usize,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Waiting {
    pub id: String,
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

/// The mail that waits: what is urgent, what is answered together, what could be archived.
pub(super) async fn plan(
    tools: &Toolset,
    context: &ToolContext,
    args: Arguments,
) -> Result<Resolution, ToolError> {
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
    let is = |mail: &Waiting, kind: &str| {
        kinds
            .get(mail.id.as_str())
            .is_some_and(|one| one.category == kind)
    };
    let wanted = Wanted::new(&args, &backlog.emails);
    let goes = |mail: &&Waiting| is(mail, "can_archive") || wanted.archives(mail);
    let (going, others): (Vec<&Waiting>, Vec<&Waiting>) = backlog.emails.iter().partition(goes);
    let going = going.into_iter().map(Waiting::named);
    let left_in = going.filter(|mail| !args.without.contains(&mail.id));
    let (kept, mut archive): (Vec<Mail>, Vec<Mail>) = left_in.partition(|mail| wanted.keeps(mail));
    let known = habits::about(tools, context, &["proposals"]).await?;
    let kept_before = keep_what_is_kept(&mut archive, &known, &args.changes.archive);
    let urgent = urgent(&others, &kinds, context.now);
    let answer: Vec<&str> = others
        .iter()
        .filter(|mail| is(mail, "needs_reply"))
        .map(|mail| mail.id.as_str())
        .collect();
    let batched = batched(tools, context, &answer).await?;
    let stays = kept
        .iter()
        .map(|mail| text::stays_in_the_inbox(&mail.label()));
    let mut notes = Notes {
        lines: stays.chain(wanted.nothing_fits).collect(),
        unmet: args.changes.unmet.clone(),
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
        return Ok(Resolution::Nothing(Box::new(output)));
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
fn keep_what_is_kept(archive: &mut Vec<Mail>, known: &[Habit], named: &[String]) -> Vec<String> {
    let mut lines = Vec::new();
    for habit in known {
        let What::KeepsMail(sender) = &habit.what else {
            continue;
        };
        let before = archive.len();
        let is_named = |mail: &Mail| named.iter().any(|words| mail.is(words));
        archive.retain(|mail| mail.sender() != *sender || is_named(mail));
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
    /// As a card names it.
    pub fn named(&self) -> Mail {
        Mail {
            id: self.id.clone(),
            from: self.from.clone(),
            subject: self.subject.clone(),
        }
    }
}

fn ids_of(mails: &[Mail]) -> Vec<String> {
    mails.iter().map(|mail| mail.id.clone()).collect()
}

/// The mails that can't wait, the most urgent first.
fn urgent(mails: &[&Waiting], kinds: &HashMap<&str, &Category>, now: Timestamp) -> Vec<Mail> {
    let mut urgent: Vec<(u32, &Waiting)> = mails
        .iter()
        .filter_map(|&mail| {
            let kind = kinds.get(mail.id.as_str())?;
            let old = now.duration_since(mail.received_at) > OLD;
            let waits = kind.urgency_score > URGENT_SCORE || old;
            waits.then_some((kind.urgency_score, mail))
        })
        .collect();
    urgent.sort_by(|a, b| (b.0, a.1.received_at, &a.1.id).cmp(&(a.0, b.1.received_at, &b.1.id)));
    urgent.truncate(URGENT);
    urgent.into_iter().map(|(_, mail)| mail.named()).collect()
}

/// Which mails the person wants to stay, and which to go.
struct Wanted<'a> {
    keep: &'a [String],
    archive: &'a [String],
    /// Of words that no mail fits.
    nothing_fits: Vec<String>,
}

impl<'a> Wanted<'a> {
    fn new(args: &'a Arguments, mails: &[Waiting]) -> Self {
        let (keep, archive) = (&args.changes.keep, &args.changes.archive);
        let named: Vec<Mail> = mails.iter().map(Waiting::named).collect();
        let fits = |words: &String| named.iter().any(|mail| mail.is(words));
        let unknown = keep.iter().chain(archive).filter(|words| !fits(words));
        Self {
            keep,
            archive,
            nothing_fits: unknown.map(|words| text::no_mail_fits(words)).collect(),
        }
    }

    fn keeps(&self, mail: &Mail) -> bool {
        self.keep.iter().any(|words| mail.is(words))
    }

    fn archives(&self, mail: &Waiting) -> bool {
        let mail = mail.named();
        self.archive.iter().any(|words| mail.is(words)) && !self.keeps(&mail)
    }
}
