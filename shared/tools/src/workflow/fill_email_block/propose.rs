//! What a triage comes to.

use alfred_agent::tool::{Resolution, ToolContext, ToolError, ToolOutput};
use alfred_core::text;
use alfred_planner::MailCategory;
use alfred_planner::mail::SenderGroup;
use alfred_planner::patterns::{Pattern, What};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use std::collections::HashMap;

use super::{Arguments, Changes, Confirmation, Mail, Proposal, Triage};
use crate::email::EmailView;
use crate::email::batch_categorize::{self, Row, categorized};
use crate::email::get_backlog::{self, backlog};
use crate::email::group_by_sender::{self, grouped};
use crate::system::observed::About;
use crate::workflow::composed::Wanted;
use crate::workflow::habits;
use crate::workflow::proposal::{Notes, nothing};

/// Mails that are looked at.
const LOOKED_AT: i64 = 100;
/// Urgent mails that are named.
const URGENT: usize = 5;
/// A score above this is urgent.
const URGENT_SCORE: u8 = 80;
/// Mail that waited longer is urgent too.
const OLD: SignedDuration = SignedDuration::from_hours(3 * 24);

/// The mail that waits: what is urgent, what is answered together, what could be archived.
pub(super) async fn plan(
    context: &ToolContext,
    Wanted { wish, without }: Wanted<Arguments>,
) -> Result<Resolution, ToolError> {
    let ask = get_backlog::Arguments {
        status: None,
        limit: Some(LOOKED_AT),
    };
    let backlog = backlog(context.clone(), ask).await?;
    if backlog.emails.is_empty() {
        return nothing(text::no_mail_waits(), &Notes::default());
    }
    let ids = backlog.emails.iter().map(|mail| mail.id.to_string());
    let ask = batch_categorize::Arguments {
        email_ids: ids.collect(),
    };
    let found = categorized(context.clone(), ask).await?;
    let kinds: HashMap<&str, &Row> = found
        .categorized
        .iter()
        .map(|one| (one.email_id.as_str(), one))
        .collect();
    let is = |mail: &EmailView, kind: MailCategory| {
        kinds
            .get(mail.id.as_str())
            .is_some_and(|one| one.category == kind)
    };
    let wanted = &wish.changes;
    let goes = |mail: &&EmailView| {
        let may_go = is(mail, MailCategory::CanArchive) && !wanted.nothing_else;
        may_go || wanted.archives(&Mail::from(*mail))
    };
    let (going, others): (Vec<&EmailView>, Vec<&EmailView>) = backlog.emails.iter().partition(goes);
    let going = going.into_iter().map(Mail::from);
    let left_in = going.filter(|mail| !without.contains(&mail.id));
    let (kept, mut archive): (Vec<Mail>, Vec<Mail>) = left_in.partition(|mail| wanted.keeps(mail));
    let known = habits::about(context, &[About::Proposals]).await?;
    let kept_before = keep_what_is_kept(&mut archive, &known, &wanted.archive);
    let urgent = urgent(&others, &kinds, context.now);
    let answer = others
        .iter()
        .filter(|mail| is(mail, MailCategory::NeedsReply))
        .map(|mail| mail.id.to_string());
    let batched = batched(context, answer.collect()).await?;
    let stays = kept
        .iter()
        .map(|mail| text::stays_in_the_inbox(&mail.label()));
    let mut notes = Notes {
        lines: stays.chain(nothing_fits(wanted, &backlog.emails)).collect(),
        unmet: wanted.unmet.clone(),
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
        return nothing_to_archive(&proposal, backlog.emails.len());
    }
    let triage = Triage {
        wish,
        without,
        confirmation: Confirmation {
            approved_archive_ids: ids_of(&proposal.to_archive),
            approved_urgent_ids: ids_of(&proposal.urgent),
        },
        proposal,
    };
    triage.call()
}

/// Every mail stays where it is; what is urgent or wants an answer is told all the same.
fn nothing_to_archive(proposal: &Proposal, looked_at: usize) -> Result<Resolution, ToolError> {
    let output = ToolOutput::data(&json!({
        "phase": "proposal",
        "requiresConfirmation": false,
        "message": text::nothing_to_archive(looked_at),
        "notes": proposal.notes.shown(),
        "proposals": proposal,
    }))?;
    Ok(Resolution::Nothing(Box::new(output)))
}

/// Takes out what comes from senders whose mail the person keeps whenever archiving it is proposed, unless
/// they name them now; gives the lines that say so.
fn keep_what_is_kept(archive: &mut Vec<Mail>, known: &[Pattern], named: &[String]) -> Vec<String> {
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

async fn batched(context: &ToolContext, ids: Vec<String>) -> Result<Vec<SenderGroup>, ToolError> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let ask = group_by_sender::Arguments {
        email_ids: ids,
        min_group_size: None,
    };
    Ok(grouped(context.clone(), ask).await?.groups)
}

impl From<&EmailView> for Mail {
    fn from(mail: &EmailView) -> Self {
        Self {
            id: mail.id.to_string(),
            from: mail.from.clone(),
            subject: mail.subject.clone(),
        }
    }
}

fn ids_of(mails: &[Mail]) -> Vec<String> {
    mails.iter().map(|mail| mail.id.clone()).collect()
}

/// The mails that can't wait, the most urgent first.
fn urgent(mails: &[&EmailView], kinds: &HashMap<&str, &Row>, now: Timestamp) -> Vec<Mail> {
    let mut urgent: Vec<(u8, &EmailView)> = mails
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
    urgent
        .into_iter()
        .map(|(_, mail)| Mail::from(mail))
        .collect()
}

/// A line for words that no mail fits.
fn nothing_fits(wanted: &Changes, mails: &[EmailView]) -> Vec<String> {
    let named: Vec<Mail> = mails.iter().map(Mail::from).collect();
    let fits = |words: &&String| named.iter().any(|mail| mail.is(words));
    let words = wanted.keep.iter().chain(&wanted.archive);
    let unknown = words.filter(|words| !fits(words));
    unknown.map(|words| text::no_mail_fits(words)).collect()
}
