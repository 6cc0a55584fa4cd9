//! Works out the proposal of a triage.

use alfred_core::ports::MailStatus;
use alfred_planner::patterns::What;
use std::cmp::Reverse;
use std::collections::HashMap;

use super::groups::{Group, Mail, Place, Wanted};
use super::{Arguments, Changes, Confirmation, Proposal, Triage};
use crate::email::batch_categorize::{self, Row, categorized};
use crate::email::get_backlog::{self, Backlog, backlog};
use crate::email::group_by_sender::{self, grouped};
use crate::email::{EmailView, doubt};
use crate::prelude::*;
use crate::system::observed::About;
use crate::workflow::proposal::Notes;
use crate::workflow::{composed, habits};

/// Most mails to read.
const LOOKED_AT: i64 = 100;
/// Most urgent mails that are named and marked.
const URGENT: usize = 5;
/// Most mails named in a group without an action.
const NAMED: usize = 10;

/// A mail with its category and urgency.
struct Seen<'a> {
    mail: Mail,
    view: &'a EmailView,
    row: &'a Row,
}

/// Groups the waiting mail and proposes what to archive and mark.
pub(super) async fn plan(
    context: &ToolContext,
    asked: composed::Wanted<Arguments>,
) -> Result<Triage, ToolError> {
    let composed::Wanted {
        wish,
        without,
        edited,
    } = asked;
    let ask = get_backlog::Arguments {
        status: None,
        limit: Some(LOOKED_AT),
    };
    let backlog = backlog(context.clone(), ask).await?;
    let mut triage = Triage {
        wish,
        without,
        own: None,
        confirmation: Confirmation::default(),
        proposal: Proposal::default(),
    };
    if backlog.emails.is_empty() {
        return Ok(triage);
    }
    let ids = backlog.emails.iter().map(|mail| mail.id.to_string());
    let ask = batch_categorize::Arguments {
        email_ids: ids.collect(),
    };
    let found = categorized(context.clone(), ask).await?.categorized;
    let wanted = Wanted {
        changes: &triage.wish.changes,
        without: &triage.without,
        tainted: context.tainted,
        known: &habits::about(context, &[About::Proposals]).await?,
    };
    let (mut confirmation, proposal) = sorted(context, &wanted, &backlog, &found).await?;
    let none = Confirmation::default();
    if confirmation == none && context.tainted && !edited {
        // Without a card only the model would see the urgent mails. In a tainted run other people's words may
        // shape what it says, so they go on a card.
        let urgent = proposal.urgent.mails.iter();
        let open = urgent.filter(|mail| mail.remark.is_none());
        confirmation.approved_urgent_ids = open.map(|mail| mail.id.clone()).collect();
    }
    (triage.confirmation, triage.proposal) = (confirmation, proposal);
    Ok(triage)
}

/// Each mail with its category, sorted by urgency, then by age. Mails that vanished meanwhile are left out.
fn seen<'a>(backlog: &'a Backlog, found: &'a [Row]) -> Vec<Seen<'a>> {
    let rows: HashMap<&str, &Row> = found
        .iter()
        .map(|row| (row.email_id.as_str(), row))
        .collect();
    let views = backlog.emails.iter();
    let mut seen: Vec<Seen<'_>> = views
        .filter_map(|view| {
            let row = *rows.get(view.id.as_str())?;
            let mut mail = Mail::from(view);
            mail.remark =
                doubt::reason(&row.phishing).map(|why| format!("⚠️ looks like phishing: {why}"));
            Some(Seen { mail, view, row })
        })
        .collect();
    seen.sort_by_key(|one| {
        let score = Reverse(one.row.urgency_score);
        (score, one.view.received_at, one.view.id.clone())
    });
    seen
}

async fn sorted(
    context: &ToolContext,
    wanted: &Wanted<'_>,
    backlog: &Backlog,
    found: &[Row],
) -> Result<(Confirmation, Proposal), ToolError> {
    let seen = seen(backlog, found);
    let looked_at = seen.len();
    let mut notes = Notes::of_unmet(&wanted.changes.unmet);
    notes.lines = lines(wanted, &seen, backlog);
    let [
        mut urgent,
        mut answer,
        mut tasks,
        mut read,
        mut archive,
        mut stays,
    ] = [(); 6].map(|()| Vec::<Mail>::new());
    let mut marked = Vec::new();
    for Seen {
        mut mail,
        view,
        row,
    } in seen
    {
        match wanted.place(&mail, row) {
            Place::Urgent => {
                let is_marked = view.status == MailStatus::Backlog;
                let is_wanted = wanted.marks(&mail);
                match (is_marked, is_wanted) {
                    (true, _) => mail.remark = Some("marked".to_owned()),
                    (false, true) => marked.push(mail.id.clone()),
                    (false, false) => {}
                }
                urgent.push(mail);
            }
            Place::Answer => answer.push(mail),
            Place::Task => tasks.push(mail),
            // Mails with a phishing warning come first.
            Place::Read if !row.phishing.is_empty() => read.insert(0, mail),
            Place::Read => read.push(mail),
            Place::Archive => archive.push(mail),
            Place::Stays => stays.push(mail),
        }
    }
    keep_what_is_kept(&mut archive, &mut stays, wanted, &mut notes);
    let order = by_sender(context, &answer).await;
    let order = notes.step("Grouping by sender", order)?;
    answer.sort_by_key(|mail| order.get(&mail.id).copied().unwrap_or(usize::MAX));
    // Mails that are already marked go last, so that they don't use up the places.
    urgent.sort_by_key(|mail| mail.remark.is_some());
    let urgent = Group::of(urgent, URGENT);
    let shown = |id: &String| urgent.mails.iter().any(|mail| mail.id == *id);
    marked.retain(shown);
    let confirmation = Confirmation {
        approved_archive_ids: archive.iter().map(|mail| mail.id.clone()).collect(),
        approved_urgent_ids: marked,
    };
    let proposal = Proposal {
        looked_at,
        urgent,
        batched: Group::of(answer, NAMED),
        tasks: Group::of(tasks, NAMED),
        to_read: Group::of(read, NAMED),
        to_archive: archive,
        stays: Group::of(stays, NAMED),
        notes,
    };
    Ok((confirmation, proposal))
}

/// Drops mail from the archive list if the person usually keeps that sender's mail, and adds a note. Mail
/// that the person names now stays on the list.
fn keep_what_is_kept(
    archive: &mut Vec<Mail>,
    stays: &mut Vec<Mail>,
    wanted: &Wanted<'_>,
    notes: &mut Notes,
) {
    for habit in wanted.known {
        let What::KeepsMail(sender) = &habit.what else {
            continue;
        };
        let is_kept = |mail: &mut Mail| {
            let mut names = wanted.changes.archive.iter();
            mail.sender() == *sender && !names.any(|words| mail.is(words))
        };
        let kept: Vec<Mail> = archive.extract_if(.., is_kept).collect();
        if !kept.is_empty() {
            let line = format!(
                "Not proposed for the archive: mail from {sender}, which you kept {} of {} times.",
                habit.agree, habit.of
            );
            notes.lines.push(line);
            stays.extend(kept);
        }
    }
}

/// Places by sender, those with most mails first.
async fn by_sender(
    context: &ToolContext,
    mails: &[Mail],
) -> Result<HashMap<String, usize>, ToolError> {
    if mails.is_empty() {
        return Ok(HashMap::new());
    }
    let ask = group_by_sender::Arguments {
        email_ids: mails.iter().map(|mail| mail.id.clone()).collect(),
        min_group_size: Some(1),
    };
    let groups = grouped(context.clone(), ask).await?.groups.into_iter();
    let ids = groups.flat_map(|group| group.email_ids);
    Ok(ids.zip(0..).collect())
}

/// Notes: names that match nothing, urgent mail that isn't archived, and mail that wasn't read.
fn lines(wanted: &Wanted<'_>, seen: &[Seen<'_>], backlog: &Backlog) -> Vec<String> {
    let Changes {
        keep,
        archive,
        urgent,
        not_urgent,
        ..
    } = wanted.changes;
    let fits = |words: &&String| seen.iter().any(|one| one.mail.is(words));
    let words = [keep, archive, urgent, not_urgent].into_iter().flatten();
    let unknown = words.filter(|words| !fits(words));
    let mut lines: Vec<String> = unknown
        .map(|words| format!("No waiting mail fits \"{words}\"."))
        .collect();
    let held = seen.iter().filter(|one| wanted.is_held(&one.mail, one.row));
    lines.extend(held.map(|one| {
        format!(
            "Not proposed for the archive: {}. It is urgent; archive it in a request of its own.",
            one.mail.label()
        )
    }));
    if !backlog.unreadable.is_empty() {
        lines.push(mails_unreadable(backlog.unreadable.len()));
    }
    let (shown, total) = (backlog.emails.len(), backlog.total.number());
    if total > shown {
        lines.push(format!(
            "These are the newest {shown} of {total} mails that wait."
        ));
    }
    lines
}

fn mails_unreadable(count: usize) -> String {
    match count {
        1 => "1 file of your mailbox can't be read as a mail.".into(),
        more => format!("{more} files of your mailbox can't be read as mails."),
    }
}
