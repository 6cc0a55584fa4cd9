use super::groups::Section;
use super::{Group, Mail, Triage};
use crate::prelude::*;

/// Longest subject in a group without an action, in characters.
const SUBJECT: usize = 60;

pub(super) fn card(triage: &Triage) -> Preview {
    let title = match triage.proposal.looked_at {
        1 => "Triage your mail: 1 e-mail waits".to_owned(),
        several => format!("Triage your mail: {several} e-mails wait"),
    };
    let wanted = &triage.confirmation;
    let (marked, archived) = (&wanted.approved_urgent_ids, &wanted.approved_archive_ids);
    let mut card = Preview::new(title);
    let (mut stays, mut kept) = (Vec::new(), 0);
    for group in &triage.proposal.groups {
        let count = group.count();
        let (label, rows) = match group.place {
            Section::Urgent => {
                let row = |mail: &Mail| {
                    let stays = mail.remark.is_none() && !marked.contains(&mail.id);
                    named(mail, &mail.subject, stays.then_some("stays as it is"))
                };
                (urgent_mails(count, marked.len()), rows(group, row))
            }
            Section::Answer => (format!("Wants an answer ({count})"), by_sender(group)),
            Section::Task => (format!("Could be a task ({count})"), rows(group, brief)),
            Section::Read => (format!("To read ({count})"), rows(group, brief)),
            Section::Archive => {
                let (archive, left): (Vec<&Mail>, Vec<&Mail>) =
                    (group.mails.iter()).partition(|mail| archived.contains(&mail.id));
                kept += left.len();
                stays.extend(left.into_iter().map(whole));
                let label = format!("To archive ({})", archive.len());
                (label, archive.into_iter().map(whole).collect())
            }
            Section::Stays => {
                kept += count;
                stays.extend(rows(group, brief));
                continue;
            }
        };
        card = card.any(&label, joined(&rows));
    }
    card.any(&format!("Stays in the inbox ({kept})"), joined(&stays))
}

/// One mail per line; a single one goes on its label's line.
fn joined(rows: &[String]) -> String {
    match rows {
        [] => String::new(),
        [one] => one.clone(),
        several => format!("• {}", several.join("\n• ")),
    }
}

fn urgent_mails(count: usize, marked: usize) -> String {
    match marked {
        0 => format!("Urgent ({count})"),
        all if all == count => format!("Urgent ({count}), to be marked for processing"),
        some => format!("Urgent ({count}), {some} to be marked for processing"),
    }
}

fn rows(group: &Group, row: impl Fn(&Mail) -> String) -> Vec<String> {
    group.mails.iter().map(row).chain(more(group)).collect()
}

fn by_sender(group: &Group) -> Vec<String> {
    let row = |mails: &[Mail]| match mails {
        [] => String::new(),
        [one] => brief(one),
        [first, ..] => {
            let subjects: Vec<String> = mails.iter().map(|mail| cut(&mail.subject)).collect();
            let (from, count) = (&first.from, mails.len());
            format!("{from} ({count}): {}", subjects.join(" · "))
        }
    };
    let senders = group.mails.chunk_by(|a, b| a.sender() == b.sender());
    senders.map(row).chain(more(group)).collect()
}

fn more(group: &Group) -> Option<String> {
    (group.more > 0).then(|| format!("and {} more", group.more))
}

fn brief(mail: &Mail) -> String {
    named(mail, &cut(&mail.subject), None)
}

fn whole(mail: &Mail) -> String {
    named(mail, &mail.subject, None)
}

fn named(mail: &Mail, subject: &str, beside: Option<&str>) -> String {
    let from = &mail.from;
    match mail.remark.as_deref().or(beside) {
        Some(remark) => format!("{from}: {subject} ({remark})"),
        None => format!("{from}: {subject}"),
    }
}

fn cut(subject: &str) -> String {
    match subject.char_indices().nth(SUBJECT) {
        Some((at, _)) => format!("{}…", subject[..at].trim_end()),
        None => subject.to_owned(),
    }
}
