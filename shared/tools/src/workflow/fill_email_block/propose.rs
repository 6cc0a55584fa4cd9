//! Works out the proposal of a triage.

use alfred_core::ports::MailStatus;
use alfred_planner::patterns::What;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use super::groups::{Group, Mail, Section, Wanted};
use super::{Arguments, Confirmation, Proposal, Triage};
use crate::email::batch_categorize::{self, Row, categorized};
use crate::email::get_backlog::{self, Backlog, backlog};
use crate::email::group_by_sender::{self, grouped};
use crate::email::{EmailView, doubt};
use crate::prelude::*;
use crate::system::observed::{About, sure_patterns};
use crate::workflow::composed;
use crate::workflow::proposal::{step, unmet_notes};

/// Most mails to read.
const LOOKED_AT: i64 = 100;

struct Seen<'a> {
    mail: Mail,
    view: &'a EmailView,
    row: &'a Row,
}

/// Groups the waiting mail and proposes what to archive and mark.
pub(super) async fn plan(
    context: &ToolContext,
    asked: composed::Wanted<Arguments>,
) -> Result<Triage> {
    let ask = get_backlog::Arguments {
        status: None,
        limit: Some(LOOKED_AT),
    };
    let backlog = backlog(context.clone(), ask).await?;
    let mut triage = Triage {
        wish: asked.wish,
        without: asked.without,
        own: None,
        confirmation: Confirmation::default(),
        proposal: Proposal::default(),
        notes: Vec::new(),
    };
    if backlog.emails.is_empty() {
        return Ok(triage);
    }
    triage.proposal.looked_at = backlog.emails.len();
    let ids = backlog.emails.iter().map(|mail| mail.id.to_string());
    let email_ids = ids.collect();
    let ask = batch_categorize::Arguments { email_ids };
    // Unsorted mail shows nothing to decide about, and hides what is urgent.
    let found = categorized(context.clone(), ask).await?;
    sort(context, &mut triage, &backlog, &found.categorized).await?;
    let confirmation = &mut triage.confirmation;
    if *confirmation == Confirmation::default() && context.tainted && !asked.edited {
        // Without a card only the model would see the urgent mails. In a tainted run other people's words may
        // shape what it says, so they go on a card.
        let groups = triage.proposal.groups.iter();
        let urgent = groups.filter(|group| group.place == Section::Urgent);
        let open = urgent.flat_map(Group::unremarked);
        confirmation.approved_urgent_ids = open.map(|mail| mail.id.clone()).collect();
    }
    triage.notes.extend(unread(&backlog));
    triage.notes.extend(unmet_notes(&triage.wish.changes.unmet));
    Ok(triage)
}

/// Each mail with its category, sorted by urgency, then by age. Mails that vanished meanwhile are left out.
fn seen<'a>(backlog: &'a Backlog, found: &'a [Row]) -> Vec<Seen<'a>> {
    let rows = found.iter().map(|row| (row.email_id.as_str(), row));
    let rows: HashMap<&str, &Row> = rows.collect();
    let seen = backlog.emails.iter().filter_map(|view| {
        let row = *rows.get(view.id.as_str())?;
        let doubt = doubt::reason(&row.phishing);
        let mail = Mail {
            id: view.id.to_string(),
            from: view.from.clone(),
            subject: view.subject.clone(),
            remark: doubt.map(|why| format!("⚠️ looks like phishing: {why}")),
        };
        Some(Seen { mail, view, row })
    });
    let mut seen: Vec<Seen<'_>> = seen.collect();
    seen.sort_by_key(|one| {
        let score = Reverse(one.row.urgency_score);
        (score, one.view.received_at, one.view.id.clone())
    });
    seen
}

/// Puts each mail into a group, and proposes what to do with it.
async fn sort(
    context: &ToolContext,
    triage: &mut Triage,
    backlog: &Backlog,
    found: &[Row],
) -> Result<()> {
    let wanted = Wanted {
        changes: &triage.wish.changes,
        without: &triage.without,
        tainted: context.tainted,
        known: &sure_patterns(context, &[About::Proposals]).await?,
    };
    let (seen, notes) = (seen(backlog, found), &mut triage.notes);
    triage.proposal.looked_at = seen.len();
    notes.extend(unfollowed(&wanted, &seen));
    let mut groups: BTreeMap<Section, Vec<Mail>> = BTreeMap::new();
    for mut one in seen {
        let place = wanted.place(&one.mail, one.row);
        if place == Section::Urgent && one.view.status == MailStatus::Backlog {
            one.mail.remark = Some("marked".to_owned());
        }
        groups.entry(place).or_default().push(one.mail);
    }
    for (place, mut mails) in groups {
        match place {
            // Mails that are already marked go last, so that they don't use up the places.
            Section::Urgent => mails.sort_by_key(|mail| mail.remark.is_some()),
            Section::Answer => {
                let order = by_sender(context, &mails).await;
                let order = step(notes, "Grouping by sender", order)?;
                mails.sort_by_key(|mail| order.get(&mail.id).copied().unwrap_or(usize::MAX));
            }
            // Mails with a phishing warning come first.
            Section::Read => mails.sort_by_key(|mail| mail.remark.is_none()),
            Section::Task | Section::Archive | Section::Stays => {}
        }
        triage.proposal.groups.push(Group::new(place, mails));
    }
    for group in &triage.proposal.groups {
        let id = |mail: &Mail| mail.id.clone();
        if group.place == Section::Urgent {
            let marked = group.unremarked().filter(|mail| wanted.marks(mail));
            triage.confirmation.approved_urgent_ids = marked.map(id).collect();
        } else if group.place == Section::Archive {
            triage.confirmation.approved_archive_ids = group.mails.iter().map(id).collect();
        }
    }
    Ok(())
}

/// Places of the mails whose sender wrote several, those with most mails first.
async fn by_sender(context: &ToolContext, mails: &[Mail]) -> Result<HashMap<String, usize>> {
    let ask = group_by_sender::Arguments {
        email_ids: mails.iter().map(|mail| mail.id.clone()).collect(),
        min_group_size: Some(2),
    };
    let groups = grouped(context.clone(), ask).await?.groups.into_iter();
    Ok(groups.flat_map(|group| group.email_ids).zip(0..).collect())
}

/// Notes on names that match nothing, on urgent mail that isn't archived, and on mail that a habit keeps.
fn unfollowed(wanted: &Wanted<'_>, seen: &[Seen<'_>]) -> Vec<String> {
    let wish = wanted.changes;
    let fits = |words: &&String| seen.iter().any(|one| one.mail.is(words));
    let words = [&wish.keep, &wish.archive, &wish.urgent, &wish.not_urgent];
    let unknown = words.into_iter().flatten().filter(|words| !fits(words));
    let unknown = unknown.map(|words| format!("No waiting mail fits \"{words}\"."));
    let held = seen.iter().filter(|one| wanted.is_held(&one.mail, one.row));
    let held = held.map(|one| {
        format!(
            "Not proposed for the archive: {}. It is urgent; archive it in a request of its own.",
            one.mail.label()
        )
    });
    let kept = wanted.known.iter().filter_map(|habit| {
        let What::KeepsMail(sender) = &habit.what else {
            return None;
        };
        let is_kept = |one: &Seen<'_>| wanted.habit(&one.mail, one.row) == Some(habit);
        let (agree, of) = (habit.agree, habit.of);
        seen.iter().any(is_kept).then(|| format!(
            "Not proposed for the archive: mail from {sender}, which you kept {agree} of {of} times."
        ))
    });
    unknown.chain(held).chain(kept).collect()
}

/// Notes on mail that wasn't read.
fn unread(backlog: &Backlog) -> Vec<String> {
    let (shown, total) = (backlog.emails.len(), backlog.total.number());
    let unreadable = match backlog.unreadable.len() {
        0 => None,
        1 => Some("1 file of your mailbox can't be read as a mail.".to_owned()),
        n => Some(format!("{n} files of your mailbox can't be read as mails.")),
    };
    let newest = format!("These are the newest {shown} of {total} mails that wait.");
    let newest = (total > shown).then_some(newest);
    unreadable.into_iter().chain(newest).collect()
}
