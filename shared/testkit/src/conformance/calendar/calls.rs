//! Calls of calendars in texts of cases. Times are in UTC, of 2026 unless a year is given: `11-26T08:00/09:30`.
//! `Team 2` is the second event of this title that a case has seen, `Team*` a series.

use alfred_core::id::EventId;
use alfred_core::ports::{
    Account, AccountError, Attendance, Attendee, Availability, Calendar, Event, EventChange,
    EventPage, EventTime, Mailbox, NewEvent, Notice, Response, Span,
};
use jiff::Timestamp;
use std::sync::Mutex;

use super::super::{account::Names, joined};
use super::COLLEAGUE;

/// More attendees than these are counted only.
const MANY: usize = 9;

/// Makes calls for one person, and names the events that it shows.
pub struct CalendarCalls {
    account: Account,
    names: Mutex<Names<EventId>>,
}

impl CalendarCalls {
    pub fn new(account: Account) -> Self {
        let names = Mutex::default();
        Self { account, names }
    }

    /// Makes a call and shows its result. `None` if it isn't one of a calendar.
    pub async fn call<P: Calendar + ?Sized>(
        &self,
        port: &P,
        words: &[&str],
    ) -> Result<Option<String>, AccountError> {
        let of = &self.account;
        Ok(Some(match *words {
            ["within", span] => self.show_page(&port.events(of, times(span)).await?),
            ["count", span] => {
                let page = port.events(of, times(span)).await?;
                assert_eq!(page.unreadable, []);
                page.events.len().to_string()
            }
            ["busy", span, ref addresses @ ..] => {
                let addresses: Vec<String> = addresses.iter().map(|&one| one.into()).collect();
                let seen = port.availability(of, &addresses, times(span)).await?;
                joined(seen.into_iter().map(show_availability), "\n")
            }
            ["video", "calls"] => port.video_calls(of).await?.to_string(),
            ["cancel", name, key, ref quietly @ ..] => {
                let id = self.id(port, name).await;
                let cancelled = port.cancel(of, &id, quietly.is_empty(), key).await?;
                format!("cancelled: {cancelled}")
            }
            _ => {
                let show = |event: Option<Event>| event.map_or("none".into(), |it| self.show(&it));
                return Ok(self.event(port, words).await?.map(show));
            }
        }))
    }

    /// Makes a call that finds or returns an event. `None` if it is another call.
    pub async fn event<P: Calendar + ?Sized>(
        &self,
        port: &P,
        words: &[&str],
    ) -> Result<Option<Option<Event>>, AccountError> {
        let of = &self.account;
        Ok(Some(match *words {
            ["make", title, key, ref fields @ ..] => {
                Some(port.create(of, &new_event(title, fields), key).await?)
            }
            ["made?", key] => port.find_created(of, key).await?,
            ["read", name] => port.event(of, &self.id(port, name).await).await?,
            ["move", name, key, span, ref note @ ..] => {
                let id = self.id(port, name).await;
                let notice = note.first().map(|&note| Notice { note: note.into() });
                let moved = port.reschedule(of, &id, times(span), notice.as_ref(), key);
                Some(moved.await?)
            }
            ["moved?", name, key, span] => {
                let id = self.id(port, name).await;
                port.find_moved(of, &id, times(span), key).await?
            }
            ["change", name, key, ref fields @ ..] => {
                let (id, change) = (self.id(port, name).await, change(fields));
                Some(port.change(of, &id, &change, key).await?)
            }
            ["changed?", name, key, ref fields @ ..] => {
                let (id, change) = (self.id(port, name).await, change(fields));
                port.find_changed(of, &id, &change, key).await?
            }
            ["cancelled?", name, key] => {
                let id = self.id(port, name).await;
                port.find_cancelled(of, &id, key).await?
            }
            ["answer", name, key, answer, ref note @ ..] => {
                let id = self.id(port, name).await;
                let response = Response {
                    attendance: attendance(answer),
                    note: note.concat(),
                };
                Some(port.respond(of, &id, &response, key).await?)
            }
            ["answered?", name, key, answer] => {
                let (id, answer) = (self.id(port, name).await, attendance(answer));
                port.find_responded(of, &id, answer, key).await?
            }
            _ => return Ok(None),
        }))
    }

    /// The id of an event by its name. An unknown name may be of an event of this winter that wasn't shown; any
    /// other is an id.
    pub async fn id<P: Calendar + ?Sized>(&self, port: &P, name: &str) -> EventId {
        if self.known(name).is_none() {
            let winter = times("11-01T00:00/2027-01-31T00:00");
            let page = port.events(&self.account, winter).await.unwrap();
            page.events.iter().for_each(|event| drop(self.name(event)));
        }
        self.known(name).unwrap_or_else(|| name.into())
    }

    /// The id of an event that was named.
    pub fn known(&self, name: &str) -> Option<EventId> {
        self.names.lock().unwrap().id(name)
    }

    pub fn name(&self, event: &Event) -> String {
        self.series(event);
        self.names.lock().unwrap().name(&event.id, &event.title)
    }

    fn series(&self, event: &Event) -> Option<String> {
        let title = format!("{}*", event.title);
        let mut names = self.names.lock().unwrap();
        event.series.as_ref().map(|id| names.name(id, &title))
    }

    /// Shows events, and why others can't be read.
    pub fn show_page(&self, page: &EventPage) -> String {
        let events = page.events.iter().map(|event| self.show(event));
        let unreadable = page.unreadable.iter();
        let unreadable = unreadable.map(|one| format!("{}: {}", one.name, one.reason));
        joined(events.chain(unreadable), "\n")
    }

    /// Shows an event. Most are the owner's, accepted and busy, so only what differs is shown of that.
    pub fn show(&self, event: &Event) -> String {
        let name = self.name(event);
        let mut parts = vec![format!("{name} {}", show_time(&event.time))];
        // Names come from the titles that were seen first.
        if !name.starts_with(&event.title) || event.title.is_empty() {
            parts.push(format!("called {:?}", event.title));
        }
        if !event.is_series() {
            parts.extend(self.series(event).map(|series| format!("of {series}")));
        }
        if !event.busy {
            parts.push("free".into());
        }
        if !event.own || event.attendance != Attendance::Accepted {
            parts.push(format!("own: {}, {:?}", event.own, event.attendance));
        }
        let organizer = event.organizer.iter();
        parts.extend(organizer.map(|organizer| format!("by {}", show_mailbox(organizer))));
        if event.attendees.len() > MANY {
            parts.push(format!("{} guests", event.attendees.len()));
        } else {
            let guest =
                |it: &Attendee| format!("{} {:?}", show_mailbox(&it.mailbox), it.attendance);
            parts.extend(event.attendees.iter().map(guest));
        }
        if !event.location.is_empty() {
            parts.push(format!("at {}", event.location));
        }
        if !event.description.is_empty() {
            parts.push(format!("{:?}", event.description));
        }
        parts.join(", ")
    }
}

/// A new event with fields such as `at=12-14T12:00/13:00`, `ben`, `repeat=FREQ=DAILY` and `video`.
pub fn new_event(title: &str, fields: &[&str]) -> NewEvent {
    let mut new = NewEvent {
        title: title.into(),
        span: times("12-14T12:00/13:00"),
        time_zone: "Europe/Lisbon".into(),
        description: "At noon".into(),
        location: String::new(),
        attendees: Vec::new(),
        repeat: None,
        video_call: false,
    };
    for field in fields {
        match field.split_once('=').unwrap_or((field, "")) {
            ("at", span) => new.span = times(span),
            ("zone", zone) => new.time_zone = zone.into(),
            ("place", place) => new.location = place.into(),
            ("text", text) => new.description = text.into(),
            ("alone", _) => new.attendees.clear(),
            ("ben", _) => new.attendees.push(Mailbox::new("Ben Okafor", COLLEAGUE)),
            ("guest", guest) => {
                let (name, address) = guest.split_once('<').unwrap_or(("", guest));
                let guest = Mailbox::new(name.trim(), address.trim_end_matches('>'));
                new.attendees.push(guest);
            }
            ("repeat", rule) => new.repeat = Some(rule.parse().unwrap()),
            ("video", _) => new.video_call = true,
            _ => panic!("no field {field}"),
        }
    }
    new
}

/// A change with fields such as `place=Room`, `add=ben@example.com` and `remove=ben@example.com`.
fn change(fields: &[&str]) -> EventChange {
    let mut change = EventChange::default();
    for field in fields {
        let (name, value) = field.split_once('=').unwrap();
        match name {
            "place" => change.location = Some(value.into()),
            "add" => change.add.push(Mailbox::new("", value)),
            "remove" => change.remove.push(value.into()),
            _ => panic!("no field {field}"),
        }
    }
    change
}

fn attendance(word: &str) -> Attendance {
    serde_json::from_value(word.into()).unwrap()
}

/// A span. Without a date, it ends on the day of its start.
pub fn times(text: &str) -> Span {
    let (start, end) = text.split_once('/').unwrap();
    let (day, _) = start.split_once('T').unwrap();
    let on_this_day = format!("{day}T{end}");
    let end = if end.contains('T') { end } else { &on_this_day };
    let [start, end] = [start, end].map(|text| time(text).parse().unwrap());
    Span { start, end }
}

/// A time with its year and its zone.
fn time(text: &str) -> String {
    let has_year = text.find('-') != Some(2);
    let year = if has_year { "" } else { "2026-" };
    format!("{year}{text}Z")
}

pub(super) fn show_time(time: &EventTime) -> String {
    match *time {
        EventTime::Timed { start, end } => show_span(Span { start, end }),
        EventTime::AllDay { first, last } => {
            let [first, last] = [first, last].map(|day| shorten(&day.to_string()));
            format!("{first}/{last}")
        }
    }
}

fn show_span(Span { start, end }: Span) -> String {
    let [start, end] = [start, end].map(|at: Timestamp| shorten(&at.to_string()));
    let (day, _) = start.split_once('T').unwrap();
    let same_day = end.strip_prefix(day).and_then(|end| end.strip_prefix('T'));
    format!("{start}/{}", same_day.unwrap_or(&end))
}

/// A day or time without what `time` and `times` add.
fn shorten(text: &str) -> String {
    let text = text.strip_prefix("2026-").unwrap_or(text);
    let text = text.trim_end_matches('Z');
    text.strip_suffix(":00").unwrap_or(text).into()
}

fn show_availability(seen: Availability) -> String {
    match seen {
        Availability::Hidden => "hidden".into(),
        Availability::Busy(spans) => joined(spans.into_iter().map(show_span), ", "),
    }
}

fn show_mailbox(mailbox: &Mailbox) -> String {
    let shown = format!("{} <{}>", mailbox.name, mailbox.address);
    shown.trim_start().into()
}
