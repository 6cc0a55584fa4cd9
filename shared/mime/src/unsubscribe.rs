//! Unsubscription by mail (RFC 2369 §3.2, RFC 6068).

use alfred_core::ports::{Mailbox, Unsubscribe};
use percent_encoding::percent_decode_str;

use crate::clean;

/// Most bytes of a subject and of a text.
const SUBJECT: usize = 300;
const TEXT: usize = 2_000;

/// The first usable `mailto:` of a header.
pub(crate) fn by_mail(header: &str) -> Option<Unsubscribe> {
    entries(header).find_map(|entry| mailto(&entry))
}

/// The addresses of a header. Long ones are folded.
pub(crate) fn entries(header: &str) -> impl Iterator<Item = String> {
    let entries = header.split('<').skip(1);
    let entries = entries.filter_map(|rest| Some(rest.split_once('>')?.0));
    entries.map(|entry| entry.split_whitespace().collect())
}

/// Only the subject and the body are used: no further recipients.
fn mailto(url: &str) -> Option<Unsubscribe> {
    let (scheme, rest) = url.split_once(':')?;
    if !scheme.eq_ignore_ascii_case("mailto") {
        return None;
    }
    let (address, fields) = rest.split_once('?').unwrap_or((rest, ""));
    let to = Mailbox::new("", &decoded(address)?);
    let (mut subject, mut text) = (String::new(), String::new());
    for (name, value) in fields.split('&').filter_map(|field| field.split_once('=')) {
        match name.to_lowercase().as_str() {
            "subject" => subject = clean::line(&decoded(value)?),
            "body" => text = clean::lines(&decoded(value)?),
            _ => {}
        }
    }
    let fits = to.is_addressable() && subject.len() <= SUBJECT && text.len() <= TEXT;
    fits.then_some(Unsubscribe { to, subject, text })
}

fn decoded(part: &str) -> Option<String> {
    let text = percent_decode_str(part).decode_utf8().ok()?;
    Some(text.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_address_that_is_one_is_taken_with_what_is_to_be_said() {
        for case in include_str!("unsubscribe_cases.txt").lines() {
            let case = case.replace("\\r", "\r").replace("\\n", "\n");
            let case = case.replace("\\t", "\t");
            let (header, expected) = case.split_once(" ==> ").unwrap();
            let Unsubscribe { to, subject, text } = by_mail(header).unwrap();
            assert_eq!(format!("{}|{subject}|{text}", to.address), expected);
        }
        let long = format!("<mailto:a@l.example?body={}>", "x".repeat(TEXT + 1));
        for none in [
            "",
            "mailto:a@l.example",
            "<https://l.example/off>",
            "<mailto:>",
            "<mailto:a@l.example%0D%0ABcc:e@e.example>",
            "<mailto:%FF@l.example>",
            "<mailto:a@l.example",
            &long,
        ] {
            assert_eq!(by_mail(none), None, "{none}");
        }
    }
}
