//! Quotes the original mail below its answer (RFC 3676 §4.5).

use alfred_core::invisible::removed;
use alfred_core::ports::MailMessage;
use jiff::tz::TimeZone;

use super::{head, shown};

/// Characters of the original that are quoted, so that the person can read all of it before approval.
const MOST: usize = 10_000;

/// Writes sender and local time, then each line after `>`; `None` for a mail without text.
pub fn of(mail: &MailMessage, zone: TimeZone) -> Option<String> {
    let text = removed(&mail.text);
    let text = head(text.trim(), MOST);
    if text.is_empty() {
        return None;
    }
    let at = mail.summary.received_at.to_zoned(zone);
    let at = at.strftime("%a, %-d %b %Y at %H:%M").to_string();
    let mut quoted = format!("On {at}, {} wrote:", shown(&mail.summary.from));
    for line in text.lines() {
        // A nested quote gets no space, so that its `>` marks join.
        let gap = match line.trim_end() {
            "" => "",
            line if line.starts_with('>') => "",
            _ => " ",
        };
        quoted.push_str(&format!("\n>{gap}{}", line.trim_end()));
    }
    Some(quoted)
}
