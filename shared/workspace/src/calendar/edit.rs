//! Text changes for creating, moving and cancelling events.

use alfred_core::ports::{Mailbox, NewEvent, Span};
use calcard::icalendar::{
    ICalendar, ICalendarComponent, ICalendarComponentType, ICalendarEntry,
    ICalendarParameter as Parameter, ICalendarParticipationRole, ICalendarParticipationStatus,
    ICalendarProperty as Property, ICalendarStatus, ICalendarValue,
};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::series::Series;
use super::source::{Source, rewritten};
use super::vevent::Vevent;
use super::when::{Form, Key, When};
use crate::person::Identity;
use alfred_mime::clean;

/// Seconds around a new event for which its zone is described.
const AROUND: i64 = 366 * 86_400;

pub(super) struct Change {
    pub text: String,
    /// The event as sent to others, with the zones it uses.
    pub components: String,
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

    pub fn components(&self) -> String {
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
    let mut event = ICalendarComponent::new(ICalendarComponentType::VEvent);
    event.entries = vec![
        property(Property::Uid, uid),
        utc(Property::Dtstamp, now),
        utc(Property::Created, now),
        property(Property::Sequence, 0_i64),
        property(Property::Summary, clean::line(&new.title)),
    ];
    event.entries.extend(times(&pattern, new.span));
    if let Some(rule) = &new.repeat {
        event.add_property(Property::Rrule, rule.rrule(&pattern.zone));
    }
    if !new.description.is_empty() {
        let text = clean::lines(&new.description);
        event.add_property(Property::Description, text);
    }
    if !new.attendees.is_empty() {
        let organizer = person(Property::Organizer, &who.mailbox);
        event.entries.push(organizer);
    }
    for attendee in &new.attendees {
        let mut attendee = person(Property::Attendee, attendee);
        attendee.params.extend([
            Parameter::role(ICalendarParticipationRole::ReqParticipant),
            Parameter::partstat(ICalendarParticipationStatus::NeedsAction),
            Parameter::rsvp(true),
        ]);
        event.entries.push(attendee);
    }
    Made {
        uid: uid.to_owned(),
        zone: described.map(|zone| (name, zone)),
        event: text_of(event),
    }
}

/// The `VTIMEZONE` of a new event.
fn described(name: &str, span: &Span) -> Option<String> {
    let mut calendar = ICalendar {
        components: vec![ICalendarComponent::new(ICalendarComponentType::VCalendar)],
    };
    let (from, to) = (
        span.start.as_second() - AROUND,
        span.end.as_second() + AROUND,
    );
    let zone = calendar.add_timezone(name, from, to)?;
    // Only the first component is written, with those in it.
    calendar.components.swap(0, zone as usize);
    Some(calendar.to_string())
}

/// The text of a component without those in it.
pub(super) fn text_of(mut component: ICalendarComponent) -> String {
    component.component_ids.clear();
    let components = vec![component];
    ICalendar { components }.to_string()
}

pub(super) fn property(name: Property, value: impl Into<ICalendarValue>) -> ICalendarEntry {
    ICalendarEntry::new(name).with_value(value)
}

pub(super) fn utc(name: Property, at: Timestamp) -> ICalendarEntry {
    property(name, at.strftime("%Y%m%dT%H%M%SZ").to_string())
}

pub(super) fn times(form: &When, Span { start, end }: Span) -> [ICalendarEntry; 2] {
    [
        form.at_instant(start).property(Property::Dtstart),
        form.at_instant(end).property(Property::Dtend),
    ]
}

fn person(name: Property, who: &Mailbox) -> ICalendarEntry {
    let shown = clean::line(&who.name).replace('"', "'");
    let shown = (!shown.is_empty()).then(|| Parameter::cn(shown));
    property(name, format!("mailto:{}", who.address)).with_param_opt(shown)
}

/// Properties that every change rewrites.
const REVISION: [&str; 3] = ["SEQUENCE", "DTSTAMP", "LAST-MODIFIED"];
pub(super) const TIMES: [&str; 3] = ["DTSTART", "DTEND", "DURATION"];
pub(super) const SERIES: [&str; 5] = ["RRULE", "RDATE", "EXDATE", "EXRULE", "RECURRENCE-ID"];

/// The properties that a change removes, and those it adds.
fn revision(event: &Vevent, now: Timestamp) -> (Vec<&'static str>, Vec<ICalendarEntry>) {
    let mut out = REVISION.to_vec();
    let mut new = vec![
        property(Property::Sequence, event.sequence + 1),
        utc(Property::Dtstamp, now),
        utc(Property::LastModified, now),
    ];
    if !event.named {
        // The digest that identified the event changes, so it becomes the `UID`. An empty `UID` would take
        // precedence.
        out.push("UID");
        new.push(property(Property::Uid, event.uid.as_str()));
    }
    (out, new)
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
    new.extend(times(&pattern, span));
    if !alone {
        new.push(original(event, key?)?.property(Property::RecurrenceId));
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
    new.push(property(Property::Comment, note));
    let notice = rewritten(source, block, &out, &new);
    Some(change(source, whole, &notice))
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
    let status = property(Property::Status, ICalendarStatus::Cancelled);
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
    except.push(original.property(Property::Exdate));
    let text = rewritten(source, block, &out, &except);
    let whole = source.replaced(block, &text);
    // Others are notified of this occurrence only.
    new.extend([
        status,
        original.property(Property::RecurrenceId),
        original.property(Property::Dtstart),
    ]);
    out.push("STATUS");
    out.extend(TIMES.iter().chain(&SERIES));
    let notice = rewritten(source, block, &out, &new);
    Some(change(source, whole, &notice))
}

/// The start that the rule gives an occurrence, in the form of the series' start.
pub(super) fn original(master: &Vevent, key: Key) -> Option<When> {
    match key {
        Key::Day(day) => Some(When::day(day)),
        Key::At(at) => Some(master.start.at_instant(at)).filter(|when| when.instant() == Some(at)),
    }
}

pub(super) fn change(source: &Source, text: String, event_text: &str) -> Change {
    let zones = source.blocks.iter().filter(|b| b.name == "VTIMEZONE");
    let mut components: String = zones.map(|zone| source.text_of(zone)).collect();
    components.push_str(event_text);
    Change { text, components }
}
