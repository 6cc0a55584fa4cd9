//! Text changes for creating, moving and cancelling events.

use alfred_core::ports::{NewEvent, Span};
use calcard::icalendar::{
    ICalendar, ICalendarComponent, ICalendarComponentType, ICalendarProperty, ICalendarValue,
};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::series::Series;
use super::source::{Source, fold, rewritten};
use super::vevent::Vevent;
use super::when::{Form, Key, When};
use crate::person::Identity;
use alfred_mime::clean;

/// Seconds around a new event for which its zone is described.
const AROUND: i64 = 366 * 86_400;

pub(super) struct Change {
    pub text: String,
    /// The event as sent to others, with the zones it uses.
    pub told: String,
}

pub(super) struct Made {
    pub uid: String,
    zone: Option<(String, String)>,
    event: String,
}

impl Made {
    /// The calendar with this event. `None` if the calendar is damaged.
    pub fn added_to(&self, source: &Source) -> Option<String> {
        let mut new = String::new();
        if let Some((id, zone)) = &self.zone {
            let describes = |block: &&super::source::Block| {
                let mut lines = source.lines_of(block).iter();
                block.name == "VTIMEZONE" && lines.any(|l| l.name() == "TZID" && l.value() == id)
            };
            if !source.blocks.iter().any(|block| describes(&block)) {
                new.push_str(zone);
            }
        }
        new.push_str(&self.event);
        source.appended(&new)
    }

    pub fn told(&self) -> String {
        let zone = self.zone.as_ref().map_or("", |(_, zone)| zone);
        format!("{zone}{}", self.event)
    }
}

/// A new event, in the zone in which it is shown.
pub(super) fn made(new: &NewEvent, who: &Identity, uid: &str, now: Timestamp) -> Made {
    let zone = TimeZone::get(&new.time_zone).unwrap_or(TimeZone::UTC);
    let name = zone.iana_name().unwrap_or("UTC").to_owned();
    let described = (name != "UTC")
        .then(|| described(&name, &new.span))
        .flatten();
    let form = match &described {
        Some(_) => Form::Zoned(name.clone()),
        None => Form::Utc,
    };
    let pattern = When::new(zone.to_datetime(new.span.start), zone, form);
    let mut lines = vec![
        "BEGIN:VEVENT".to_owned(),
        format!("UID:{uid}"),
        utc("DTSTAMP", now),
        utc("CREATED", now),
        "SEQUENCE:0".to_owned(),
        pattern.at_instant(new.span.start).line("DTSTART"),
        pattern.at_instant(new.span.end).line("DTEND"),
        format!("SUMMARY:{}", escaped(&clean::line(&new.title))),
    ];
    if let Some(rule) = &new.repeat {
        lines.push(format!("RRULE:{}", rule.rrule(&pattern.zone)));
    }
    if !new.description.is_empty() {
        lines.push(format!(
            "DESCRIPTION:{}",
            escaped(&clean::lines(&new.description))
        ));
    }
    if !new.attendees.is_empty() {
        let name = parameter(&who.mailbox.name);
        lines.push(format!(
            "ORGANIZER;CN=\"{name}\":mailto:{}",
            who.mailbox.address
        ));
    }
    for attendee in &new.attendees {
        let (name, address) = (parameter(&attendee.name), &attendee.address);
        lines.push(format!(
            "ATTENDEE;CN=\"{name}\";ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=TRUE:mailto:{address}"
        ));
    }
    lines.push("END:VEVENT".to_owned());
    let mut event = String::new();
    lines.iter().for_each(|line| fold(&mut event, line));
    Made {
        uid: uid.to_owned(),
        zone: described.map(|zone| (name, zone)),
        event,
    }
}

fn described(name: &str, span: &Span) -> Option<String> {
    let mut calendar = ICalendar {
        components: vec![ICalendarComponent::new(ICalendarComponentType::VCalendar)],
    };
    calendar.components[0].add_property(
        ICalendarProperty::Version,
        ICalendarValue::Text("2.0".to_owned()),
    );
    let (from, to) = (
        span.start.as_second() - AROUND,
        span.end.as_second() + AROUND,
    );
    calendar.add_timezone(name, from, to)?;
    let source = Source::parse(calendar.to_string())?;
    let zone = source
        .blocks
        .iter()
        .find(|block| block.name == "VTIMEZONE")?;
    Some(source.text_of(zone).to_owned())
}

/// Escapes TEXT (RFC 5545, 3.3.11).
pub(super) fn escaped(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace(';', "\\;");
    text.replace(',', "\\,").replace('\n', "\\n")
}

fn parameter(text: &str) -> String {
    clean::line(text).replace('"', "'")
}

pub(super) fn utc(name: &str, at: Timestamp) -> String {
    format!("{name}:{}", at.strftime("%Y%m%dT%H%M%SZ"))
}

/// Properties that every change rewrites.
const REVISION: [&str; 3] = ["SEQUENCE", "DTSTAMP", "LAST-MODIFIED"];
pub(super) const TIMES: [&str; 3] = ["DTSTART", "DTEND", "DURATION"];
pub(super) const SERIES: [&str; 5] = ["RRULE", "RDATE", "EXDATE", "EXRULE", "RECURRENCE-ID"];

/// The properties that a change removes, and the lines it adds.
fn revision(event: &Vevent, now: Timestamp) -> (Vec<&'static str>, Vec<String>) {
    let mut out = REVISION.to_vec();
    let mut lines = vec![
        format!("SEQUENCE:{}", event.sequence + 1),
        utc("DTSTAMP", now),
        utc("LAST-MODIFIED", now),
    ];
    if !event.named {
        // The digest that identified the event changes, so it becomes the `UID`. An empty `UID` would take
        // precedence.
        out.push("UID");
        lines.push(format!("UID:{}", event.uid));
    }
    (out, lines)
}

/// The component that describes an occurrence, and whether it describes only that one.
pub(super) fn standing(series: &Series, key: Option<Key>) -> Option<(&Vevent, bool)> {
    match key.and_then(|key| series.changed.get(&key)) {
        Some(event) => Some((event, true)),
        None => series.master.as_ref().map(|master| (master, key.is_none())),
    }
}

/// Moves one occurrence. In a series it gets its own component (`RECURRENCE-ID`). The note is for the guests
/// and not written to the calendar.
pub(super) fn moved(
    source: &Source,
    series: &Series,
    key: Option<Key>,
    who: &Identity,
    (span, note): (Span, Option<&str>),
    now: Timestamp,
) -> Option<Change> {
    let (event, alone) = standing(series, key)?;
    let block = source.blocks.get(event.block)?;
    let pattern = if event.start.is_day() {
        When::new(
            who.zone.to_datetime(span.start),
            who.zone.clone(),
            Form::Utc,
        )
    } else {
        event.start.clone()
    };
    let (mut out, mut new) = revision(event, now);
    out.extend(TIMES);
    new.extend([
        pattern.at_instant(span.start).line("DTSTART"),
        pattern.at_instant(span.end).line("DTEND"),
    ]);
    if !alone {
        new.push(original(event, key?)?.line("RECURRENCE-ID"));
        out.extend(SERIES);
    }
    let text = rewritten(source, block, &out, &new);
    let whole = if alone {
        source.replaced(block, &text)
    } else {
        source.replaced(block, &format!("{}{text}", source.text_of(block)))
    };
    let note = clean::lines(note.unwrap_or_default());
    if note.trim().is_empty() {
        return Some(change(source, whole, &text));
    }
    out.push("COMMENT");
    new.push(format!("COMMENT:{}", escaped(&note)));
    let told = rewritten(source, block, &out, &new);
    Some(change(source, whole, &told))
}

/// Cancels an event or a series. An occurrence without its own component is excluded (`EXDATE`).
pub(super) fn cancelled(
    source: &Source,
    series: &Series,
    key: Option<Key>,
    now: Timestamp,
) -> Option<Change> {
    let (event, alone) = standing(series, key)?;
    let block = source.blocks.get(event.block)?;
    let status = "STATUS:CANCELLED".to_owned();
    let (mut out, mut new) = revision(event, now);
    if alone {
        out.push("STATUS");
        new.push(status);
        let text = rewritten(source, block, &out, &new);
        let whole = source.replaced(block, &text);
        return Some(change(source, whole, &text));
    }
    let original = original(event, key?)?;
    let mut except = new.clone();
    except.push(original.line("EXDATE"));
    let text = rewritten(source, block, &out, &except);
    let whole = source.replaced(block, &text);
    // Others are notified of this occurrence only.
    new.extend([
        status,
        original.line("RECURRENCE-ID"),
        original.line("DTSTART"),
    ]);
    out.push("STATUS");
    out.extend(TIMES.iter().chain(&SERIES));
    let told = rewritten(source, block, &out, &new);
    Some(change(source, whole, &told))
}

/// The start that the rule gives an occurrence, in the form of the series' start.
pub(super) fn original(master: &Vevent, key: Key) -> Option<When> {
    match key {
        Key::Day(day) => Some(When::day(day)),
        Key::At(at) => Some(master.start.at_instant(at)).filter(|when| when.instant() == Some(at)),
    }
}

pub(super) fn change(source: &Source, text: String, event_text: &str) -> Change {
    let zones = source
        .blocks
        .iter()
        .filter(|block| block.name == "VTIMEZONE");
    let mut told: String = zones.map(|zone| source.text_of(zone)).collect();
    told.push_str(event_text);
    Change { text, told }
}
