use super::{Group, Mail, Triage};
use crate::prelude::*;

/// Longest subject in a group without an action, in characters.
const SUBJECT: usize = 60;

/// All mails by group, and what would be done.
pub(super) fn preview(triage: &Triage) -> Preview {
    let (wanted, proposal) = (&triage.confirmation, &triage.proposal);
    let mut preview = Preview::new(triage_title(proposal.looked_at));
    for (label, rows) in named_groups(triage) {
        preview = preview.field(&label, joined(&rows));
    }
    let places = [
        (
            "approvedUrgentIds",
            &wanted.approved_urgent_ids,
            &proposal.urgent.mails,
        ),
        (
            "approvedArchiveIds",
            &wanted.approved_archive_ids,
            &proposal.to_archive,
        ),
    ];
    for (list, ids, mails) in places {
        for (at, id) in ids.iter().enumerate() {
            let known = mails.iter().find(|mail| mail.id == *id);
            let label = known.map_or_else(|| id.clone(), Mail::label);
            preview = preview.item(format!("/confirmation/{list}/{at}"), label);
        }
    }
    preview.body(proposal.notes.shown().join("\n"))
}

fn triage_title(count: usize) -> String {
    match count {
        1 => "Triage your mail: 1 e-mail waits".into(),
        several => format!("Triage your mail: {several} e-mails wait"),
    }
}

/// The groups as text, for a result without a card.
pub(super) fn groups(triage: &Triage) -> Vec<String> {
    let groups = named_groups(triage).into_iter();
    groups
        .map(|(label, rows)| {
            let gap = if rows.len() == 1 { " " } else { "\n" };
            format!("{label}:{gap}{}", joined(&rows))
        })
        .collect()
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
