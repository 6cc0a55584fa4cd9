//! The text and subject of a mail inside its answer (RFC 3676 §4.5) or below a forward.

use alfred_core::invisible::removed;
use alfred_core::ports::MailMessage;
use alfred_planner::mail::subject_without_prefixes;
use jiff::tz::TimeZone;

use super::{head, line, people, shown};
use crate::fields::local;

/// Characters of the original, so that the person can read all of it before approval.
const MOST: usize = 10_000;

fn text(mail: &MailMessage) -> String {
    head(removed(&mail.text).trim(), MOST)
}

fn received(mail: &MailMessage, zone: &TimeZone) -> String {
    local(mail.summary.received_at, zone, "%a, %-d %b %Y at %H:%M")
}

/// The subject after this prefix, without the prefixes it has.
pub fn subject(prefix: &str, mail: &MailMessage) -> String {
    let subject = line(&mail.summary.subject);
    format!("{prefix}: {}", subject_without_prefixes(&subject))
}

/// Writes sender and local time below a gap, then each line after `>`; nothing for a mail without text.
pub fn quoted(mail: &MailMessage, zone: &TimeZone) -> String {
    let text = text(mail);
    if text.is_empty() {
        return String::new();
    }
    let (at, from) = (received(mail, zone), shown(&mail.summary.from));
    let mut quoted = format!("\n\nOn {at}, {from} wrote:");
    for line in text.lines().map(str::trim_end) {
        // A nested quote gets no space, so that its `>` marks join.
        let unspaced = line.is_empty() || line.starts_with('>');
        let gap = if unspaced { "" } else { " " };
        quoted.push_str(&format!("\n>{gap}{line}"));
    }
    quoted
}

pub fn forwarded(mail: &MailMessage, zone: &TimeZone) -> String {
    let cc = match people(&mail.cc).join(", ").as_str() {
        "" => String::new(),
        cc => format!("\nCc: {cc}"),
    };
    format!(
        "---------- Forwarded message ---------\nFrom: {}\nDate: {}\nSubject: {}\nTo: {}{cc}\n\n{}",
        shown(&mail.summary.from),
        received(mail, zone),
        line(&mail.summary.subject),
        people(&mail.summary.to).join(", "),
        text(mail)
    )
}
