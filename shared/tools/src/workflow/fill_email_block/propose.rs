//! Works out the proposal of a triage.

use alfred_agent::tool::Resolution;
use alfred_core::ports::MailStatus;
use alfred_planner::patterns::{Pattern, What};
use std::cmp::Reverse;
use std::collections::HashMap;

use super::groups::{Group, Mail, Place, Wanted};
use super::{Arguments, Changes, Confirmation, Proposal, Triage, nothing_to_triage, show};
use crate::email::batch_categorize::{self, Row, categorized};
use crate::email::get_backlog::{self, Backlog, backlog};
use crate::email::group_by_sender::{self, grouped};
use crate::email::{EmailView, doubt};
use crate::prelude::*;
use crate::system::observed::About;
use crate::workflow::proposal::{Notes, nothing};
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
    composed::Wanted {
        wish,
        without,
        edited,
    }: composed::Wanted<Arguments>,
) -> Result<Resolution, ToolError> {
    let ask = get_backlog::Arguments {
        status: None,
        limit: Some(LOOKED_AT),
    };
    let backlog = backlog(context.clone(), ask).await?;
    if backlog.emails.is_empty() {
        return nothing(
            "No unread mail waits, and none was put off.",
            &Notes::default(),
        );
    }
    let ids = backlog.emails.iter().map(|mail| mail.id.to_string());
    let ask = batch_categorize::Arguments {
        email_ids: ids.collect(),
    };
    let found = categorized(context.clone(), ask).await?.categorized;
    let seen = seen(&backlog, &found);
    let known = habits::about(context, &[About::Proposals]).await?;
    let wanted = Wanted {
        changes: &wish.changes,
        without: &without,
        tainted: context.tainted,
    };
    let notes = Notes {
        lines: lines(&wanted, &seen, &backlog),
        unmet: wish.changes.unmet.clone(),
    };
    let (mut confirmation, proposal) = sorted(context, &wanted, seen, (&known, notes)).await?;
    if confirmation.is_empty() && context.tainted && !edited {
        // Without a card only the model would see the urgent mails. In a tainted run other people's words may
        // shape what it says, so they go on a card.
        let open = proposal
            .urgent
            .mails
            .iter()
            .filter(|mail| mail.remark.is_none());
        confirmation.approved_urgent_ids = open.map(|mail| mail.id.clone()).collect();
    }
    let triage = Triage {
        wish,
        without,
        own: None,
        confirmation,
        proposal,
    };
    if !triage.confirmation.is_empty() {
        return triage.call();
    }
    let said = nothing_to_triage(triage.proposal.looked_at);
    let mut lines = show::groups(&triage);
    lines.extend(triage.proposal.notes.shown());
    nothing(
        &said,
        &Notes {
            lines,
            ..Notes::default()
        },
    )
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
    seen: Vec<Seen<'_>>,
    (known, mut notes): (&[Pattern], Notes),
) -> Result<(Confirmation, Proposal), ToolError> {
    let looked_at = seen.len();
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
    keep_what_is_kept(&mut archive, &mut stays, known, (wanted, &mut notes));
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
        batched: Group::of(by_sender(context, answer).await?, NAMED),
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
    known: &[Pattern],
    (wanted, notes): (&Wanted<'_>, &mut Notes),
) {
    for habit in known {
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

/// Sorts by sender, those with most mails first.
async fn by_sender(context: &ToolContext, mut mails: Vec<Mail>) -> Result<Vec<Mail>, ToolError> {
    if mails.is_empty() {
        return Ok(mails);
    }
    let ask = group_by_sender::Arguments {
        email_ids: mails.iter().map(|mail| mail.id.clone()).collect(),
        min_group_size: Some(1),
    };
    let groups = grouped(context.clone(), ask).await?.groups;
    let ids = groups.iter().flat_map(|group| &group.email_ids);
    let order: HashMap<&str, usize> = ids.map(String::as_str).zip(0..).collect();
    mails.sort_by_key(|mail| order.get(mail.id.as_str()).copied().unwrap_or(usize::MAX));
    Ok(mails)
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
