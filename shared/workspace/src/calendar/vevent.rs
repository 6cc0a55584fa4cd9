//! Parses a `VEVENT`.

use alfred_core::ports::{Attendance, Attendee, Mailbox};
use alfred_core::text;
use calcard::common::PartialDateTime;
use calcard::icalendar::{
    ICalendarComponent, ICalendarComponentType, ICalendarDuration, ICalendarEntry,
    ICalendarParameterName, ICalendarParameterValue, ICalendarParticipationStatus, ICalendarPeriod,
    ICalendarProperty, ICalendarStatus, ICalendarTransparency, ICalendarValue,
};
use calcard::{Entry, Parser};
use jiff::SignedDuration;
use jiff::civil::DateTime;
use jiff::tz::Offset;

use super::source::{Block, Source};
use super::when::{Form, When};
use super::zone::Zones;
use alfred_mime::clean;

const EVENT_ENDS_BEFORE_IT_STARTS: &str =
    "The event ends before it starts (`DTEND` or `DURATION`).";

/// Most bytes of a title or location, and of a description.
const TITLE: usize = 1_000;
const DESCRIPTION: usize = 20_000;
/// Most attendees of an event.
const PEOPLE: usize = 1_000;
/// Larger events aren't read.
const LARGEST: usize = 1_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Length {
    /// Elapsed time, regardless of daylight saving.
    Exact(SignedDuration),
    /// Calendar days plus elapsed time.
    Nominal { days: i64, more: SignedDuration },
}

#[derive(Clone, Debug)]
pub(super) struct Vevent {
    pub uid: String,
    /// Whether the `UID` is in the file. Otherwise it is a digest of the event.
    pub named: bool,
    /// `RECURRENCE-ID`: the occurrence that this component replaces.
    pub recurrence: Option<When>,
    pub later_too: bool,
    pub sequence: i64,
    pub cancelled: bool,
    pub free: bool,
    pub start: When,
    pub length: Length,
    /// `RRULE`s verbatim.
    pub rules: Vec<String>,
    pub also: Vec<When>,
    pub except: Vec<When>,
    pub title: String,
    pub description: String,
    pub location: String,
    pub organizer: Option<Mailbox>,
    pub attendees: Vec<Attendee>,
    /// Index of its component in the file.
    pub block: usize,
}

impl Vevent {
    pub fn recurs(&self) -> bool {
        !self.rules.is_empty() || !self.also.is_empty()
    }

    /// The error is one sentence for the person.
    pub fn read(source: &Source, at: usize, zones: &Zones) -> Result<Self, String> {
        let block = &source.blocks[at];
        let raw = source.text_of(block);
        if !block.ended {
            return Err("The event has no `END:VEVENT`.".to_owned());
        }
        if raw.len() > LARGEST {
            return Err("The event is too large to be read.".to_owned());
        }
        let event = component(raw, &ICalendarComponentType::VEvent);
        let event = event.ok_or_else(|| text::EVENT_NOT_READ.to_owned())?;
        let reader = Reader {
            event: &event,
            zones,
        };
        let start = reader.when(&ICalendarProperty::Dtstart, "DTSTART")?;
        let recurrence = reader.when(&ICalendarProperty::RecurrenceId, "RECURRENCE-ID")?;
        let start = start
            .or_else(|| recurrence.clone())
            .ok_or_else(|| text::event_without("DTSTART"))?;
        let title = reader.text(&ICalendarProperty::Summary, TITLE);
        let organizer = event.properties(&ICalendarProperty::Organizer);
        let attendees = event.properties(&ICalendarProperty::Attendee);
        Ok(Self {
            named: event.uid().is_some(),
            uid: event.uid().map_or_else(|| unnamed(raw), str::to_owned),
            later_too: recurrence.is_some() && reader.later_too(),
            recurrence,
            sequence: reader.sequence(),
            cancelled: matches!(event.status(), Some(ICalendarStatus::Cancelled)),
            free: matches!(
                event.transparency(),
                Some(ICalendarTransparency::Transparent)
            ),
            length: reader.length(&start)?,
            start,
            rules: rules(source, block),
            also: reader.dates(&ICalendarProperty::Rdate, "RDATE")?,
            except: reader.dates(&ICalendarProperty::Exdate, "EXDATE")?,
            title: clean::line(&title),
            description: clean::lines(&reader.text(&ICalendarProperty::Description, DESCRIPTION)),
            location: clean::line(&reader.text(&ICalendarProperty::Location, TITLE)),
            organizer: organizer.filter_map(attendee).next().map(|o| o.mailbox),
            attendees: attendees.filter_map(attendee).take(PEOPLE).collect(),
            block: at,
        })
    }
}

pub(super) fn component(raw: &str, kind: &ICalendarComponentType) -> Option<ICalendarComponent> {
    let text = format!("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{raw}\r\nEND:VCALENDAR\r\n");
    let Entry::ICalendar(calendar) = Parser::new(&text).entry() else {
        return None;
    };
    let mut components = calendar.components.into_iter();
    components.find(|component| component.component_type == *kind)
}

/// An event without a `UID` is identified by its whole text.
fn unnamed(raw: &str) -> String {
    alfred_core::digest::sha256_hex(raw.as_bytes())
}

/// Only the event's own rules, not those of nested alarms.
fn rules(source: &Source, block: &Block) -> Vec<String> {
    let mut depth = 0;
    let mut rules = Vec::new();
    for line in source.lines_of(block) {
        match line.name().as_str() {
            "BEGIN" => depth += 1,
            "END" => depth -= 1,
            "RRULE" if depth == 1 => rules.push(line.value().to_owned()),
            _ => {}
        }
    }
    rules
}

struct Reader<'a> {
    event: &'a ICalendarComponent,
    zones: &'a Zones,
}

impl Reader<'_> {
    fn text(&self, property: &ICalendarProperty, most: usize) -> String {
        let entry = self.event.property(property);
        let value = entry.and_then(|entry| entry.values.first());
        let text = value.and_then(ICalendarValue::as_text).unwrap_or_default();
        let mut text = text.to_owned();
        clean::cut(&mut text, most);
        text
    }

    fn sequence(&self) -> i64 {
        let entry = self.event.property(&ICalendarProperty::Sequence);
        let value = entry.and_then(|entry| entry.values.first());
        value
            .and_then(ICalendarValue::as_integer)
            .unwrap_or(0)
            .clamp(0, 1 << 30)
    }

    fn later_too(&self) -> bool {
        let entry = self.event.property(&ICalendarProperty::RecurrenceId);
        entry.is_some_and(|entry| entry.has_parameter(&ICalendarParameterName::Range))
    }

    fn when(&self, property: &ICalendarProperty, name: &str) -> Result<Option<When>, String> {
        let Some(entry) = self.event.property(property) else {
            return Ok(None);
        };
        match entry.values.first() {
            Some(ICalendarValue::PartialDateTime(date)) => self.moment(entry, date, name).map(Some),
            _ => Err(text::event_without(name)),
        }
    }

    /// `RDATE` and `EXDATE` may have several values and several lines.
    fn dates(&self, property: &ICalendarProperty, name: &str) -> Result<Vec<When>, String> {
        let mut dates = Vec::new();
        for entry in self.event.properties(property) {
            for value in &entry.values {
                let date = match value {
                    ICalendarValue::PartialDateTime(date) => date,
                    ICalendarValue::Period(
                        ICalendarPeriod::Range { start, .. }
                        | ICalendarPeriod::Duration { start, .. },
                    ) => start,
                    _ => return Err(text::event_without(name)),
                };
                dates.push(self.moment(entry, date, name)?);
            }
        }
        Ok(dates)
    }

    fn moment(
        &self,
        entry: &ICalendarEntry,
        date: &PartialDateTime,
        name: &str,
    ) -> Result<When, String> {
        let wrong = || text::event_without(name);
        let local = local(date).ok_or_else(wrong)?;
        if date.hour.is_none() {
            return Ok(When::day(local.date()));
        }
        if let (Some(hour), minute) = (date.tz_hour, date.tz_minute.unwrap_or(0)) {
            let east = i32::from(hour) * 3_600 + i32::from(minute) * 60;
            let offset = Offset::from_seconds(if date.tz_minus { -east } else { east });
            let zone = offset.map_err(|_| wrong())?.to_time_zone();
            let local = When::new(local, zone, Form::Utc);
            return local.in_utc().ok_or_else(wrong);
        }
        match entry.tz_id() {
            None => Ok(When::new(
                local,
                self.zones.floating.clone(),
                Form::Floating,
            )),
            Some(id) => {
                let zone = self.zones.get(id).ok_or_else(|| event_zone(name, id))?;
                Ok(When::new(local, zone, Form::Zoned(id.to_owned())))
            }
        }
    }

    fn length(&self, start: &When) -> Result<Length, String> {
        if let Some(end) = self.when(&ICalendarProperty::Dtend, "DTEND")? {
            return start
                .until(&end)
                .ok_or_else(|| EVENT_ENDS_BEFORE_IT_STARTS.to_owned());
        }
        let entry = self.event.property(&ICalendarProperty::Duration);
        match entry.and_then(|entry| entry.values.first()) {
            Some(ICalendarValue::Duration(duration)) => nominal(duration),
            Some(_) => Err(text::event_without("DURATION")),
            None if start.is_day() => Ok(Length::Nominal {
                days: 1,
                more: SignedDuration::ZERO,
            }),
            None => Ok(Length::Exact(SignedDuration::ZERO)),
        }
    }
}

pub(super) fn attendee(entry: &ICalendarEntry) -> Option<Attendee> {
    let mut address = clean::line(entry.calendar_address()?);
    let name = entry.parameter(&ICalendarParameterName::Cn);
    let mut name = clean::line(name.and_then(|name| name.as_text()).unwrap_or_default());
    clean::cut(&mut name, TITLE);
    clean::cut(&mut address, TITLE);
    Some(Attendee {
        mailbox: Mailbox::new(name, &address),
        attendance: attendance(entry),
    })
}

fn event_zone(field: &str, zone: &str) -> String {
    let zone: String = zone.chars().filter(|c| !c.is_control()).take(100).collect();
    format!(
        "`{field}`: I don't know the time zone \u{201c}{zone}\u{201d}. Please choose a city's zone for it in your calendar program."
    )
}

fn attendance(entry: &ICalendarEntry) -> Attendance {
    match entry.parameter(&ICalendarParameterName::Partstat) {
        Some(ICalendarParameterValue::Partstat(said)) => match said {
            ICalendarParticipationStatus::Accepted => Attendance::Accepted,
            ICalendarParticipationStatus::Tentative => Attendance::Tentative,
            ICalendarParticipationStatus::Declined | ICalendarParticipationStatus::Delegated => {
                Attendance::Declined
            }
            _ => Attendance::Unanswered,
        },
        _ => Attendance::Unanswered,
    }
}

fn local(date: &PartialDateTime) -> Option<DateTime> {
    let small = |part: Option<u8>| i8::try_from(part.unwrap_or(0)).ok();
    let year = i16::try_from(date.year?).ok()?;
    let day = jiff::civil::Date::new(year, small(Some(date.month?))?, small(Some(date.day?))?);
    // A leap second becomes the second before.
    let second = small(date.second)?;
    let second = if second == 60 { 59 } else { second };
    let time = jiff::civil::Time::new(small(date.hour)?, small(date.minute)?, second, 0);
    Some(day.ok()?.to_datetime(time.ok()?))
}

fn nominal(duration: &ICalendarDuration) -> Result<Length, String> {
    if duration.neg {
        return Err(EVENT_ENDS_BEFORE_IT_STARTS.to_owned());
    }
    let part = |n: u32, seconds: i64| i64::from(n) * seconds;
    let seconds =
        part(duration.hours, 3_600) + part(duration.minutes, 60) + part(duration.seconds, 1);
    Ok(Length::Nominal {
        days: part(duration.weeks, 7) + i64::from(duration.days),
        more: SignedDuration::from_secs(seconds),
    })
}
