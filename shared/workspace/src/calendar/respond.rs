//! Answers to others' invitations. The organiser is notified before the calendar is written.

use alfred_core::id::EventId;
use alfred_core::ports::{AccountError, Attendance, Event, EventTime, Mailbox, Response};
use alfred_core::text;
use jiff::Timestamp;

use super::change::{Found, gone};
use super::file::Parsed;
use super::invite::{self, Invitation};
use super::series::Series;
use super::source::{Block, Line, Source, fold, rewritten};
use super::when::When;
use super::{CalendarFolder, attendance, edit, lost};
use crate::person::{Identity, Post};
use alfred_mime::clean;

/// Properties of the reply, besides the changed ones (RFC 5546, 3.2.3).
const TOLD: [&str; 9] = [
    "BEGIN",
    "END",
    "UID",
    "SEQUENCE",
    "ORGANIZER",
    "SUMMARY",
    "DTSTART",
    "DTEND",
    "RECURRENCE-ID",
];

impl CalendarFolder {
    pub fn respond(
        &mut self,
        id: &EventId,
        response: &Response,
        key: &str,
        post: &Post<'_>,
    ) -> Result<Event, AccountError> {
        let found = self.find(id)?.ok_or_else(gone)?;
        let event = found.event.clone();
        let organizer = invited(&event, response)?;
        if event.attendance == response.attendance {
            return Ok(event);
        }
        let who = self.who.clone();
        let changed = |parsed: &Parsed, source: &Source| {
            let change = answered(&found, (parsed, source), &who, response, post.at);
            let meant = |series: &Series| {
                let now = found.now(series, &who);
                now.is_some_and(|now| attendance(now.event, &who.mailbox) == response.attendance)
            };
            found.after(change.ok_or_else(gone)?, &who, meant)
        };
        self.apply(&found, changed, |change| {
            let about = (&event, organizer);
            Invitation::answered(about, &change.told, &who, response, key).send(post)
        })?;
        self.event(id)?.ok_or_else(lost)
    }

    /// The event, if it has this answer. Otherwise `Unknown` if the organiser may have been notified under
    /// this key.
    pub fn find_responded(
        &mut self,
        id: &EventId,
        attendance: Attendance,
        key: &str,
        post: &Post<'_>,
    ) -> Result<Option<Event>, AccountError> {
        let there = self.event(id)?;
        let there = there.filter(|event| event.attendance == attendance);
        if there.is_none() {
            post.was_told(&invite::answered_key(key))?;
        }
        Ok(there)
    }
}

/// The organiser to answer.
fn invited<'a>(event: &'a Event, response: &Response) -> Result<&'a Mailbox, AccountError> {
    let organizer = event.organizer.as_ref().filter(|_| event.invited);
    let organizer = organizer.filter(|_| response.attendance != Attendance::Unanswered);
    let organizer =
        organizer.ok_or_else(|| AccountError::refused(text::not_invited(&event.title)))?;
    if !organizer.is_addressable() {
        let reason = text::no_address("organizer", &organizer.address);
        return Err(AccountError::refused(reason));
    }
    Ok(organizer)
}

/// The event with the answer. An occurrence of a series gets its own component.
fn answered(
    found: &Found,
    (parsed, source): (&Parsed, &Source),
    who: &Identity,
    response: &Response,
    now: Timestamp,
) -> Option<edit::Change> {
    let series = found.series_in(parsed)?;
    let (event, alone) = edit::standing(series, found.key)?;
    let block = source.blocks.get(event.block)?;
    let (mut out, mut new) = (
        vec!["ATTENDEE", "DTSTAMP", "LAST-MODIFIED"],
        vec![edit::utc("DTSTAMP", now), edit::utc("LAST-MODIFIED", now)],
    );
    let said = with_answer(source, block, who, response.attendance);
    let mine = said.iter().find(|(own, _)| *own)?.1.clone();
    new.extend(said.into_iter().map(|(_, line)| line));
    if !alone {
        let original = edit::original(event, found.key?)?;
        let [start, end] = times(&original, found.event.time)?;
        new.extend([original.line("RECURRENCE-ID"), start, end]);
        out.extend(edit::TIMES.iter().chain(&edit::SERIES));
    }
    let text = rewritten(source, block, &out, &new);
    let whole = match alone {
        true => source.replaced(block, &text),
        false => source.replaced(block, &format!("{}{text}", source.text_of(block))),
    };
    Some(edit::change(
        source,
        whole,
        &reply(&text, &mine, response, now),
    ))
}

fn times(original: &When, time: EventTime) -> Option<[String; 2]> {
    Some(match time {
        EventTime::Timed { start, end } => [
            original.at_instant(start).line("DTSTART"),
            original.at_instant(end).line("DTEND"),
        ],
        EventTime::AllDay { first, last } => [
            When::day(first).line("DTSTART"),
            When::day(last.tomorrow().ok()?).line("DTEND"),
        ],
    })
}

/// The attendee lines, this person's with the answer. The flag marks this person's.
fn with_answer(
    source: &Source,
    block: &Block,
    who: &Identity,
    answer: Attendance,
) -> Vec<(bool, String)> {
    let lines = source.lines_of(block).iter();
    let people = lines.filter(|line| line.name() == "ATTENDEE");
    people
        .map(|line| match is_own(line, who) {
            true => (true, answering(line, answer)),
            false => (false, line.text.clone()),
        })
        .collect()
}

fn is_own(line: &Line, who: &Identity) -> bool {
    let value = clean::line(line.value());
    let scheme = value
        .get(..7)
        .filter(|scheme| scheme.eq_ignore_ascii_case("mailto:"));
    let address = &value[scheme.map_or(0, str::len)..];
    Mailbox::new("", address).address == who.mailbox.address
}

/// Sets `PARTSTAT` and removes `RSVP`.
fn answering(line: &Line, answer: Attendance) -> String {
    let said = match answer {
        Attendance::Unanswered => "NEEDS-ACTION",
        Attendance::Accepted => "ACCEPTED",
        Attendance::Tentative => "TENTATIVE",
        Attendance::Declined => "DECLINED",
    };
    let head = &line.text[..line.text.len() - line.behind_name().len()];
    let mut quoted = false;
    let parts = head.split(|c| {
        quoted ^= c == '"';
        c == ';' && !quoted
    });
    let kept = parts.filter(|part| {
        let name = part.split('=').next().unwrap_or_default().trim();
        !["PARTSTAT", "RSVP"]
            .iter()
            .any(|out| name.eq_ignore_ascii_case(out))
    });
    let kept: Vec<&str> = kept.collect();
    format!("{};PARTSTAT={said}{}", kept.join(";"), line.behind_name())
}

/// The reply without this person's notes, alarms and other attendees.
fn reply(event: &str, mine: &str, response: &Response, now: Timestamp) -> String {
    let Some(source) = Source::parse(format!("BEGIN:VCALENDAR\r\n{event}END:VCALENDAR\r\n")) else {
        return String::new();
    };
    let (mut text, mut depth) = (String::new(), 0);
    for line in source
        .blocks
        .iter()
        .flat_map(|block| source.lines_of(block))
    {
        let name = line.name();
        depth += i32::from(name == "BEGIN");
        if name == "END" && depth == 1 {
            fold(&mut text, mine);
            fold(&mut text, &edit::utc("DTSTAMP", now));
            let note = clean::lines(&response.note);
            if !note.trim().is_empty() {
                fold(&mut text, &format!("COMMENT:{}", edit::escaped(&note)));
            }
        }
        if depth == 1 && TOLD.contains(&name.as_str()) {
            fold(&mut text, &line.text);
        }
        depth -= i32::from(name == "END");
    }
    text
}
