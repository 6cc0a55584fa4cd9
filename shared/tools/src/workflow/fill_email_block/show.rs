use super::{ARCHIVE, Group, MARK, Mail, Triage};
use crate::prelude::*;
use crate::workflow::proposal::{self, Item};

/// Longest subject in a group without an action, in characters.
const SUBJECT: usize = 60;

/// All mails by group, and what would be done.
pub(super) fn card(triage: &Triage) -> Preview {
    let proposal = &triage.proposal;
    let title = match proposal.looked_at {
        1 => "Triage your mail: 1 e-mail waits".to_owned(),
        several => format!("Triage your mail: {several} e-mails wait"),
    };
    let groups = named_groups(triage).into_iter();
    let add =
        |card: Preview, (label, rows): (String, Vec<String>)| card.field(&label, joined(&rows));
    let card = groups.fold(Preview::new(title), add);
    card.body(proposal.notes.shown().join("\n"))
}

pub(super) fn items(triage: &Triage) -> Vec<Item> {
    let (wanted, proposal) = (&triage.confirmation, &triage.proposal);
    let of = |list: &str, step, ids: &[String], mails: &[Mail]| {
        let label = |id: &String| {
            let known = mails.iter().find(|mail| mail.id == *id);
            (known.map_or_else(|| id.clone(), Mail::label), String::new())
        };
        proposal::items(list, step, ids.iter().map(label))
    };
    let (urgent, archive) = (&wanted.approved_urgent_ids, &wanted.approved_archive_ids);
    [
        of("approvedUrgentIds", MARK, urgent, &proposal.urgent.mails),
        of("approvedArchiveIds", ARCHIVE, archive, &proposal.to_archive),
    ]
    .concat()
}

/// That nothing is proposed, and the groups as text.
pub(super) fn nothing(triage: &Triage) -> Vec<String> {
    let said = match triage.proposal.looked_at {
        0 => "No unread mail waits, and none was put off.".to_owned(),
        1 => {
            "1 e-mail waits, and there is nothing to archive or to mark for processing.".to_owned()
        }
        mails => format!(
            "{mails} e-mails wait, and there is nothing to archive or to mark for processing."
        ),
    };
    let groups = named_groups(triage).into_iter().map(|(label, rows)| {
        let gap = if rows.len() == 1 { " " } else { "\n" };
        format!("{label}:{gap}{}", joined(&rows))
    });
    [said].into_iter().chain(groups).collect()
}

/// One mail per line; a single one goes on its label's line.
fn joined(rows: &[String]) -> String {
    match rows {
        [one] => one.clone(),
        several => format!("• {}", several.join("\n• ")),
    }
}

/// The label and rows of each group that isn't empty.
fn named_groups(triage: &Triage) -> Vec<(String, Vec<String>)> {
    let (wanted, proposal) = (&triage.confirmation, &triage.proposal);
    let (marked, archived) = (&wanted.approved_urgent_ids, &wanted.approved_archive_ids);
    let stays_unmarked = |mail: &Mail| {
        let stays = mail.remark.is_none() && !marked.contains(&mail.id);
        named(mail, stays.then_some("stays as it is"))
    };
    let urgent = rows(&proposal.urgent, stays_unmarked);
    let (archive, left): (Vec<&Mail>, Vec<&Mail>) = proposal
        .to_archive
        .iter()
        .partition(|mail| archived.contains(&mail.id));
    let mut stays: Vec<String> = left.into_iter().map(|mail| named(mail, None)).collect();
    let kept = stays.len() + proposal.stays.count();
    stays.extend(rows(&proposal.stays, brief));
    let groups = [
        (urgent_mails(proposal.urgent.count(), marked.len()), urgent),
        (
            format!("Wants an answer ({})", proposal.batched.count()),
            by_sender(&proposal.batched),
        ),
        (
            format!("Could be a task ({})", proposal.tasks.count()),
            rows(&proposal.tasks, brief),
        ),
        (
            format!("To read ({})", proposal.to_read.count()),
            rows(&proposal.to_read, brief),
        ),
        (
            format!("To archive ({})", archive.len()),
            archive.iter().map(|mail| named(mail, None)).collect(),
        ),
        (format!("Stays in the inbox ({kept})"), stays),
    ];
    let some = groups.into_iter().filter(|(_, rows)| !rows.is_empty());
    some.collect()
}

fn urgent_mails(count: usize, marked: usize) -> String {
    match marked {
        0 => format!("Urgent ({count})"),
        all if all == count => format!("Urgent ({count}), to be marked for processing"),
        some => format!("Urgent ({count}), {some} to be marked for processing"),
    }
}

/// One row per mail, and how many more there are.
fn rows(group: &Group, row: impl Fn(&Mail) -> String) -> Vec<String> {
    let more = (group.more > 0).then(|| format!("and {} more", group.more));
    group.mails.iter().map(row).chain(more).collect()
}

/// One row per sender.
fn by_sender(group: &Group) -> Vec<String> {
    let mut rows: Vec<String> = group
        .mails
        .chunk_by(|a, b| a.sender() == b.sender())
        .filter_map(|mails| match mails {
            [one] => Some(brief(one)),
            [first, ..] => {
                let subjects: Vec<String> = mails.iter().map(|mail| cut(&mail.subject)).collect();
                let (from, count) = (&first.from, mails.len());
                Some(format!("{from} ({count}): {}", subjects.join(" · ")))
            }
            [] => None,
        })
        .collect();
    rows.extend((group.more > 0).then(|| format!("and {} more", group.more)));
    rows
}

fn brief(mail: &Mail) -> String {
    let subject = cut(&mail.subject);
    named(
        &Mail {
            subject,
            ..mail.clone()
        },
        None,
    )
}

fn named(mail: &Mail, beside: Option<&str>) -> String {
    match mail.remark.as_deref().or(beside) {
        Some(remark) => format!("{} ({remark})", mail.label()),
        None => mail.label(),
    }
}

fn cut(subject: &str) -> String {
    match subject.char_indices().nth(SUBJECT) {
        Some((at, _)) => format!("{}…", subject[..at].trim_end()),
        None => subject.to_owned(),
    }
}
