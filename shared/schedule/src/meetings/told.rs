//! Renders a meeting reminder. Text from the event is put on one line without Markdown marks.

use alfred_agent::slack::respond::{head, unescaped};
use alfred_core::ports::{Attendance, Attendee, Event, Mailbox};
use alfred_core::{invisible, text};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Zoned};

use crate::meetings::mails::Exchanged;
use crate::meetings::start;

const MAX_LINE: usize = 120;
const MAX_NAME: usize = 60;
const MAX_AGENDA: usize = 300;
const NAMED: usize = 6;
const MOST_LINKS: usize = 3;
const MAX_ADDRESS: usize = 500;
const INLINE: [&str; 7] = ["a", "b", "em", "i", "span", "strong", "u"];
/// Escaped in a Markdown line. Others are replaced by look-alikes.
const MARKS: [char; 8] = ['\\', '[', ']', '<', '>', '_', '&', '|'];
/// Other addresses are shortened to their host, as in every reply.
const CALLS: &str = "meet.google.com zoom.us teams.microsoft.com teams.live.com webex.com \
    whereby.com meet.jit.si";
const DOCUMENTS: &str = "docs.google.com drive.google.com sharepoint.com notion.so dropbox.com \
    1drv.ms";

#[derive(Debug, Default)]
pub(super) struct Told {
    pub text: String,
    pub links: Vec<String>,
}

impl Told {
    /// `mails` is `None` if reading them failed.
    pub fn add(
        &mut self,
        event: &Event,
        others: &[Attendee],
        mails: Option<&[Exchanged]>,
        now: &Zoned,
    ) {
        let mut lines = vec![heading(event, now)];
        let words = format!("{} {}", event.location, event.description);
        let calls = known(&words, CALLS, 1);
        let documents = known(&event.description, DOCUMENTS, MOST_LINKS);
        let place = plain(&event.location, MAX_LINE);
        if !place.is_empty() && known(&event.location, CALLS, 1).is_empty() {
            lines.push(format!("Where: {place}"));
        }
        lines.extend(calls.first().map(|link| format!("Call: <{link}>")));
        if !others.is_empty() {
            lines.push(format!("With {}", people(others)));
        }
        let agenda = plain(&without_tags(&event.description), MAX_AGENDA);
        if !agenda.is_empty() {
            lines.push(format!("The invitation says: “{agenda}”"));
        }
        if !documents.is_empty() {
            lines.push(format!("Documents: <{}>", documents.join("> <")));
        }
        match mails {
            None => lines.push("I couldn't look for your mails with them just now.".into()),
            Some([]) => {}
            Some(mails) => {
                lines.push("Your last mails with them:".into());
                lines.extend(mails.iter().map(|mail| exchanged(mail, now.time_zone())));
            }
        }
        self.paragraph(&lines.join("\n"));
        self.links.extend(calls);
        self.links.extend(documents);
    }

    pub fn more(&mut self, count: usize) {
        match count {
            0 => {}
            1 => self.paragraph("One more meeting begins then."),
            more => self.paragraph(&format!("{more} more meetings begin then.")),
        }
    }

    fn paragraph(&mut self, words: &str) {
        if !self.text.is_empty() {
            self.text.push_str("\n\n");
        }
        self.text.push_str(words);
    }
}

fn heading(event: &Event, now: &Zoned) -> String {
    let zone = now.time_zone();
    let title = plain_or(&event.title, text::UNTITLED_EVENT, MAX_LINE);
    let span = event.time.span(zone);
    let start = start(event).unwrap_or(span.start);
    let left = start.duration_since(now.timestamp()) + SignedDuration::from_secs(30);
    let from = span.start.to_zoned(zone.clone()).datetime();
    let to = span.end.to_zoned(zone.clone()).datetime();
    let ahead = match left.as_mins() {
        ..=0 => "Now".to_owned(),
        1 => "In a minute".to_owned(),
        60 => "In an hour".to_owned(),
        120 => "In two hours".to_owned(),
        minutes => format!("In {minutes} minutes"),
    };
    let until = if from.date() == to.date() {
        to.strftime("%H:%M").to_string()
    } else {
        text::local_moment(to)
    };
    let from = text::local_moment(from);
    format!("**{ahead}: “{title}”**\n{from}–{until}")
}

fn people(others: &[Attendee]) -> String {
    let named = others.iter().take(NAMED).map(|one| {
        let name = name(&one.mailbox);
        match one.attendance {
            Attendance::Declined => format!("{name} (not coming)"),
            Attendance::Tentative => format!("{name} (maybe)"),
            Attendance::Accepted | Attendance::Unanswered => name,
        }
    });
    let names = named.collect::<Vec<_>>().join(", ");
    match others.len().saturating_sub(NAMED) {
        0 => names,
        more => format!("{names} and {more} more"),
    }
}

fn name(mailbox: &Mailbox) -> String {
    plain_or(&mailbox.name, &mailbox.address, MAX_NAME)
}

fn plain_or(words: &str, otherwise: &str, most: usize) -> String {
    let plain = |words| Some(plain(words, most)).filter(|plain| !plain.is_empty());
    let shown = plain(words).or_else(|| plain(otherwise));
    shown.unwrap_or_default()
}

fn exchanged(one: &Exchanged, zone: &TimeZone) -> String {
    let at = text::local_moment(one.mail.received_at.to_zoned(zone.clone()).datetime());
    let who = match (one.sent, one.mail.to.first()) {
        (true, Some(to)) => name(to),
        _ => name(&one.mail.from),
    };
    let way = if one.sent { "to" } else { "from" };
    match plain(&one.mail.subject, MAX_LINE).as_str() {
        "" => format!("- {at}, {way} {who}, without a subject"),
        subject => format!("- {at}, {way} {who}: “{subject}”"),
    }
}

/// Other people's text on one line, with Markdown and Slack marks neutralized and addresses shortened to their host.
fn plain(words: &str, most: usize) -> String {
    let words = invisible::removed(words);
    let host = |word: &str| addresses(word).next()?.host_str().map(str::to_owned);
    let words = words.split_whitespace();
    let words = words.map(|word| host(word).unwrap_or_else(|| word.to_owned()));
    let line = words.collect::<Vec<_>>().join(" ");
    let mut plain = String::with_capacity(line.len());
    for c in head(&line, most).chars() {
        match c {
            '*' => plain.push('∗'),
            '~' => plain.push('∼'),
            '`' => plain.push('\''),
            c if MARKS.contains(&c) => plain.extend(['\\', c]),
            c => plain.push(c),
        }
    }
    plain
}

fn without_tags(words: &str) -> String {
    let mut out = String::with_capacity(words.len());
    let mut rest = words;
    while let Some((before, tag)) = rest.split_once('<') {
        out.push_str(before);
        let is_tag = tag.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
        rest = tag;
        if let Some((name, after)) = tag.split_once('>').filter(|_| is_tag) {
            let name = name.trim_start_matches('/');
            let name = name.split(|c: char| !c.is_ascii_alphabetic()).next();
            if !name.is_some_and(|name| INLINE.contains(&name)) {
                out.push(' ');
            }
            rest = after;
        } else {
            out.push('<');
        }
    }
    out.push_str(rest);
    unescaped(&out.replace("&nbsp;", " "))
}

fn addresses(words: &str) -> impl Iterator<Item = url::Url> {
    let ends = |c: char| c.is_whitespace() || "<>|\"'()".contains(c);
    let words = words.split(ends);
    let found = words.filter(|word| word.starts_with("https://"));
    let bare = found.map(|word| word.trim_end_matches(['.', ',', ';', ':', '!', '?']));
    bare.filter_map(|word| url::Url::parse(word).ok())
}

/// The addresses on these hosts or their subdomains, without duplicates.
fn known(words: &str, hosts: &str, most: usize) -> Vec<String> {
    let is_known = |url: &url::Url| {
        let host = url.host_str().unwrap_or_default();
        let before = hosts.split(' ').find_map(|known| host.strip_suffix(known));
        before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
            && url.port().is_none()
            && url.username().is_empty()
            && url.password().is_none()
    };
    let mut links: Vec<String> = Vec::new();
    for url in addresses(&unescaped(words)).filter(is_known) {
        let link = url.to_string();
        if link.len() <= MAX_ADDRESS && links.len() < most && !links.contains(&link) {
            links.push(link);
        }
    }
    links
}

#[cfg(test)]
#[path = "told_tests.rs"]
mod tests;
