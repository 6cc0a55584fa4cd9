//! Text changes for creating, moving and cancelling events.

use alfred_core::ports::{Event, EventTime, Mailbox, NewEvent, Span};
use calcard::icalendar::{
    ICalendar, ICalendarComponent, ICalendarComponentType, ICalendarEntry,
    ICalendarParameter as Parameter, ICalendarParticipationRole, ICalendarParticipationStatus,
    ICalendarProperty as Property, ICalendarStatus, ICalendarValue,
};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::series::Series;
use super::source::{Block, Source, rewritten};
use super::vevent::{self, Vevent};
use super::when::{Form, Key, When};
use crate::person::Identity;
use alfred_mime::clean;

/// Seconds around a new event for which its zone is described.
const AROUND: i64 = 366 * 86_400;

pub(super) struct Change {
    pub text: String,
    /// The event with the zones it uses, as each message to others contains it.
    pub notices: Vec<String>,
}

pub(super) struct Made {
    zone: Option<(String, String)>,
    event: String,
}

impl Made {
    /// `None` if the calendar is damaged.
    pub fn added_to(&self, source: &Source) -> Option<Change> {
        let (id, zone) = self.zone.as_ref().map_or(("", ""), |(id, zone)| (id, zone));
        let components = format!("{zone}{}", self.event);
        let is_described = source.blocks.iter().any(|block| {
            let mut lines = source.lines_of(block).iter();
            block.name == "VTIMEZONE" && lines.any(|l| l.name() == "TZID" && l.value() == id)
        });
        let new = if is_described {
            &self.event
        } else {
            &components
        };
        Some(Change {
            text: source.appended(new)?,
            notices: vec![components],
        })
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
    if !new.location.is_empty() {
        event.add_property(Property::Location, clean::line(&new.location));
    }
    if !new.attendees.is_empty() {
        let organizer = person(Property::Organizer, &who.mailbox);
        event.entries.push(organizer);
    }
    event.entries.extend(new.attendees.iter().map(guest));
    Made {
        zone: described.map(|zone| (name, zone)),
        event: text_of(event),
    }
}

/// Somebody who hasn't answered yet.
fn guest(mailbox: &Mailbox) -> ICalendarEntry {
    let mut guest = person(Property::Attendee, mailbox);
    guest.params.extend([
        Parameter::role(ICalendarParticipationRole::ReqParticipant),
        Parameter::partstat(ICalendarParticipationStatus::NeedsAction),
        Parameter::rsvp(true),
    ]);
    guest
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

/// Properties that are replaced in a component.
#[derive(Clone, Default)]
pub(super) struct Edit {
    /// Names or whole unfolded lines.
    pub out: Vec<String>,
    pub new: Vec<ICalendarEntry>,
}

impl Edit {
    pub fn set(&mut self, entry: ICalendarEntry) {
        self.out.push(entry.name.as_str().to_owned());
        self.new.push(entry);
    }

    fn revision(event: &Vevent, now: Timestamp) -> Self {
        let mut edit = Self::default();
        edit.set(property(Property::Sequence, event.sequence + 1));
        edit.set(utc(Property::Dtstamp, now));
        edit.set(utc(Property::LastModified, now));
        if !event.named {
            // The digest that identified the event changes, so it becomes the `UID`. An empty `UID` would
            // take precedence.
            edit.set(property(Property::Uid, event.uid.as_str()));
        }
        edit
    }

    /// Makes the component describe one occurrence of its series, at this time.
    pub fn date(&mut self, original: &When, time: EventTime) -> Option<()> {
        self.single(original);
        self.new.extend(match time {
            EventTime::Timed { start, end } => times(original, Span { start, end }),
            EventTime::AllDay { first, last } => [
                When::day(first).property(Property::Dtstart),
                When::day(last.tomorrow().ok()?).property(Property::Dtend),
            ],
        });
        Some(())
    }

    /// Makes the component describe one occurrence of its series.
    pub fn single(&mut self, original: &When) {
        let series = "DTSTART DTEND DURATION RRULE RDATE EXDATE EXRULE RECURRENCE-ID";
        self.out.extend(series.split(' ').map(str::to_owned));
        self.new.push(original.property(Property::RecurrenceId));
    }
}

/// An event in its file.
pub(super) struct Target<'a> {
    pub source: &'a Source,
    pub block: &'a Block,
    event: &'a Vevent,
    /// The start that the rule gives the occurrence. `None` if the component is the event's own.
    pub original: Option<When>,
}

impl<'a> Target<'a> {
    pub fn new(source: &'a Source, series: &'a Series, key: Option<Key>) -> Option<Self> {
        let (event, original) = series.component(key)?;
        Some(Self {
            source,
            block: source.blocks.get(event.block)?,
            event,
            original,
        })
    }

    pub fn rewritten(&self, edit: &Edit) -> String {
        rewritten(self.source, self.block, edit)
    }

    fn replaced(&self, text: &str, notice: &str) -> Change {
        Change {
            text: self.source.replaced(self.block, text),
            notices: vec![self.with_zones(notice)],
        }
    }

    fn with_zones(&self, event: &str) -> String {
        let blocks = self.source.blocks.iter();
        let zones = blocks.filter(|block| block.name == "VTIMEZONE");
        let zones = zones.map(|zone| self.source.text_of(zone));
        zones.chain([event]).collect()
    }

    /// The file with the component's new text, which an occurrence gets beside its series.
    pub fn changed(&self, text: &str, notice: &str) -> Change {
        if self.original.is_some() {
            let series = self.source.text_of(self.block);
            self.replaced(&format!("{series}{text}"), notice)
        } else {
            self.replaced(text, notice)
        }
    }

    /// The attendees, each with its line. The calendar library would escape the commas of their addresses.
    pub fn attendees(&self) -> impl Iterator<Item = (&str, String, ICalendarEntry)> {
        let lines = self.source.lines_of(self.block).iter();
        let lines = lines.filter(|line| line.name() == "ATTENDEE");
        lines.filter_map(|line| {
            let event = format!("BEGIN:VEVENT\r\n{}\r\nEND:VEVENT", line.text);
            let event = vevent::component(&event, &ICalendarComponentType::VEvent)?;
            let entry = event.property(&Property::Attendee)?;
            let address = vevent::attendee(entry)?.mailbox.address;
            Some((&*line.text, address, entry.clone()))
        })
    }

    /// Writes place and attendees of an event, or of one occurrence, as they are `after`.
    pub fn edited(
        &self,
        (before, after): (&Event, &Event),
        who: &Identity,
        now: Timestamp,
    ) -> Option<Change> {
        let mut edit = Edit::revision(self.event, now);
        if let Some(original) = &self.original {
            edit.date(original, before.time)?;
        }
        let mut removal = edit.clone();
        if after.location != before.location {
            edit.set(property(Property::Location, after.location.as_str()));
        }
        for (line, address, _) in self.attendees() {
            let list = if after.invites(&address) {
                &mut removal
            } else {
                &mut edit
            };
            list.out.push(line.to_owned());
        }
        let added = after.attendees.iter().map(|one| &one.mailbox);
        let added = added.filter(|one| !before.invites(&one.address));
        edit.new.extend(added.map(guest));
        if self.event.organizer.is_none() {
            edit.new.push(person(Property::Organizer, &who.mailbox));
        }
        let text = self.rewritten(&edit);
        let mut change = self.changed(&text, &text);
        let removal = self.with_zones(&self.rewritten(&removal));
        change.notices.push(removal);
        Some(change)
    }

    /// Moves an event, or one occurrence of a series. The note is for the guests and isn't written.
    pub fn moved(&self, who: &Identity, span: Span, note: Option<&str>, now: Timestamp) -> Change {
        let pattern = if self.event.start.is_day() {
            let local = who.zone.to_datetime(span.start);
            When::new(local, who.zone.clone(), Form::Utc)
        } else {
            self.event.start.clone()
        };
        let mut edit = Edit::revision(self.event, now);
        edit.out.push("DURATION".to_owned());
        for time in times(&pattern, span) {
            edit.set(time);
        }
        if let Some(original) = &self.original {
            edit.single(original);
        }
        let text = self.rewritten(&edit);
        let note = clean::lines(note.unwrap_or_default());
        if note.trim().is_empty() {
            return self.changed(&text, &text);
        }
        edit.set(property(Property::Comment, note));
        self.changed(&text, &self.rewritten(&edit))
    }

    /// Cancels an event or a series. An occurrence without its own component is excluded (`EXDATE`).
    pub fn cancelled(&self, now: Timestamp) -> Change {
        let mut edit = Edit::revision(self.event, now);
        let mut except = edit.clone();
        edit.set(property(Property::Status, ICalendarStatus::Cancelled));
        let Some(original) = &self.original else {
            let text = self.rewritten(&edit);
            return self.replaced(&text, &text);
        };
        except.new.push(original.property(Property::Exdate));
        // Others are notified of this occurrence only.
        edit.single(original);
        edit.new.push(original.property(Property::Dtstart));
        self.replaced(&self.rewritten(&except), &self.rewritten(&edit))
    }
}
