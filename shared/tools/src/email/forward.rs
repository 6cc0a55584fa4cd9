//! Text and subject of a forwarded mail.

use alfred_core::invisible::removed;
use alfred_core::ports::MailMessage;
use alfred_planner::mail::subject_without_prefixes;
use jiff::tz::TimeZone;

use super::{head, line, people, shown};

/// Characters of the original that are forwarded, so that the person can read all of it before approval.
const MOST: usize = 10_000;

pub fn of(mail: &MailMessage, zone: TimeZone) -> String {
    let at = mail.summary.received_at.to_zoned(zone);
    let cc = match people(&mail.cc).join(", ").as_str() {
        "" => String::new(),
        cc => format!("\nCc: {cc}"),
    };
    format!(
        "---------- Forwarded message ---------\nFrom: {}\nDate: {}\nSubject: {}\nTo: {}{cc}\n\n{}",
        shown(&mail.summary.from),
        at.strftime("%a, %-d %b %Y at %H:%M"),
        line(&mail.summary.subject),
        people(&mail.summary.to).join(", "),
        head(removed(&mail.text).trim(), MOST)
    )
}

/// The default subject.
pub fn subject(mail: &MailMessage) -> String {
    let subject = line(&mail.summary.subject);
    format!("Fwd: {}", subject_without_prefixes(&subject))
}
