//! Plays `calendar.txt`. A command holds calls, separated by `; `. `a while METHOD waits: b` makes `b` while Google holds
//! that method of `a` before it takes effect, `a while METHOD ends: b` after that. `Team 2` is the second date of "Team"
//! that a case has seen, `Team*` the series.

use alfred_core::id::EventId;
use alfred_core::ports::{
    AccountError, Attendance, Availability, Calendar, Event, EventTime, Mailbox, NewEvent, Notice,
    Span,
};
use alfred_google_local::Options;
use alfred_testkit::conformance::{Names, words};
use alfred_testkit::play::{Interpreter, assert_reviewed, play};
use async_trait::async_trait;
use std::sync::Mutex;

use super::failing::{ben, lunch, response};
use super::{with, world};
use crate::google::support::{World, account, error_word};

#[tokio::test]
async fn google_calendar_does_what_the_text_says() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/it/google/calendar/calendar.txt"
    );
    let text = include_str!("calendar.txt");
    let open = async || Played {
        world: world().await,
        names: Mutex::default(),
    };
    assert_reviewed(path, text, &play(text, open).await);
}

pub struct Played {
    pub world: World,
    names: Mutex<Names<EventId>>,
}

#[async_trait]
impl Interpreter for Played {
    async fn perform(&mut self, command: &str) -> String {
        if let Some(calls) = command.strip_prefix("quota ") {
            let mut options = Options::default();
            options.quotas.calendar = calls.parse().unwrap();
            self.world = with(options).await;
            return String::new();
        }
        let calls = async |calls: String| self.calls(&calls).await;
        self.world.concurrently(command, "calendar.", calls).await
    }
}

impl Played {
    async fn calls(&self, calls: &str) -> String {
        let mut shown = Vec::new();
        for call in calls.split("; ") {
            let words = words(call);
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let done = self.call(&words).await;
            shown.push(done.unwrap_or_else(|error| match error {
                AccountError::Refused { reason } => format!("refused: {reason}"),
                other => error_word(other),
            }));
        }
        shown.retain(|line| !line.is_empty());
        shown.join("\n")
    }

    /// Makes a call of the port.
    async fn call(&self, call: &[&str]) -> Result<String, AccountError> {
        let (google, of) = (&self.world.google, &account());
        Ok(match *call {
            ["within", span] => {
                let page = google.events(of, times(span)).await?;
                let mut lines = self.events(page.events);
                let unreadable = page.unreadable.into_iter();
                lines.extend(unreadable.map(|one| format!("{}: {}", one.name, one.reason)));
                lines.join("\n")
            }
            ["count", span] => {
                let page = google.events(of, times(span)).await?;
                page.events.len().to_string()
            }
            ["read", name] => self.found(google.event(of, &self.id(name).await).await?),
            ["busy", span, ref addresses @ ..] => {
                let addresses: Vec<String> = addresses.iter().flat_map(|word| some(word)).collect();
                let seen = google.availability(of, &addresses, times(span)).await?;
                let seen: Vec<String> = seen.into_iter().map(busy).collect();
                let same = seen.chunk_by(|one, next| one == next);
                let lines = same.map(|same| format!("{} {}", same.len(), same[0]));
                lines.collect::<Vec<_>>().join("\n")
            }
            ["video", "calls"] => google.video_calls(of).await?.to_string(),
            ["make", title, key, ref fields @ ..] => {
                let new = new_event(title, fields);
                self.event(google.create(of, &new, key).await?)
            }
            ["made?", key] => self.found(google.find_created(of, key).await?),
            ["move", name, key, span, ref note @ ..] => {
                let id = self.id(name).await;
                let note = note.first().map(|&note| Notice { note: note.into() });
                let moved = google.reschedule(of, &id, times(span), note.as_ref(), key);
                self.event(moved.await?)
            }
            ["moved?", name, key, span] => {
                let id = self.id(name).await;
                self.found(google.find_moved(of, &id, times(span), key).await?)
            }
            ["cancel", name, key, ref quietly @ ..] => {
                let id = self.id(name).await;
                let cancelled = google.cancel(of, &id, quietly.is_empty(), key).await?;
                format!("cancelled: {cancelled}")
            }
            ["cancelled?", name, key] => {
                let id = self.id(name).await;
                self.found(google.find_cancelled(of, &id, key).await?)
            }
            ["answer", name, key, answer, ref note @ ..] => {
                let response = response(answer, note.first().unwrap_or(&""));
                let id = self.id(name).await;
                self.event(google.respond(of, &id, &response, key).await?)
            }
            ["answered?", name, key, answer] => {
                let (id, answer) = (self.id(name).await, response(answer, "").attendance);
                self.found(google.find_responded(of, &id, answer, key).await?)
            }
            _ => self.at_google(call),
        })
    }

    async fn id(&self, name: &str) -> EventId {
        if self.named(name).is_none() {
            let all = times("2026-11-01T00:00Z/2027-01-31T00:00Z");
            let page = self.world.google.events(&account(), all).await;
            self.events(page.unwrap().events);
        }
        self.named(name).unwrap_or_else(|| name.into())
    }

    pub fn named(&self, name: &str) -> Option<EventId> {
        self.names.lock().unwrap().id(name)
    }

    fn name(&self, id: &EventId, title: &str) -> String {
        self.names.lock().unwrap().name(id, title)
    }

    fn events(&self, events: Vec<Event>) -> Vec<String> {
        events.into_iter().map(|event| self.event(event)).collect()
    }

    fn found(&self, event: Option<Event>) -> String {
        event.map_or("none".into(), |event| self.event(event))
    }

    fn event(&self, event: Event) -> String {
        let series = event.series.as_ref();
        let series = series.map(|id| self.name(id, &format!("{}*", event.title)));
        let mut parts = vec![self.name(&event.id, &event.title)];
        parts.extend(
            series
                .filter(|name| *name != parts[0])
                .map(|name| format!("of {name}")),
        );
        parts.push(match event.time {
            EventTime::Timed { start, end } => format!("{start}/{end}"),
            EventTime::AllDay { first, last } => format!("{first}/{last}"),
        });
        if !event.busy {
            parts.push("free".into());
        }
        if !event.own || !matches!(event.attendance, Attendance::Accepted) {
            parts.push(format!("own: {}, {:?}", event.own, event.attendance));
        }
        let organizer = event.organizer.into_iter();
        parts.extend(organizer.map(|one| format!("by {} <{}>", one.name, one.address)));
        if event.attendees.len() > 9 {
            parts.push(format!("{} guests", event.attendees.len()));
        } else {
            let guests = event.attendees.into_iter();
            parts.extend(
                guests.map(|guest| format!("{} {:?}", guest.mailbox.address, guest.attendance)),
            );
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

/// An address, or that many.
fn some(word: &str) -> Vec<String> {
    match word.parse() {
        Ok(number) => (0..number)
            .map(|n: u32| format!("p{n}@example.com"))
            .collect(),
        Err(_) => vec![word.to_owned()],
    }
}

fn busy(seen: Availability) -> String {
    match seen {
        Availability::Hidden => "hidden".into(),
        Availability::Busy(spans) => {
            let spans = spans.iter();
            let spans = spans.map(|span| format!("{}/{}", span.start, span.end));
            format!("busy {}", spans.collect::<Vec<_>>().join(", "))
        }
    }
}

/// A lunch with these fields: `ben`, `guest=ADDRESS`, `repeat=RULE`, `video`.
fn new_event(title: &str, fields: &[&str]) -> NewEvent {
    let mut new = NewEvent {
        title: title.into(),
        ..lunch()
    };
    for field in fields {
        match field.split_once('=').unwrap_or((field, "")) {
            ("ben", _) => new.attendees.push(ben()),
            ("guest", address) => new.attendees.push(Mailbox::new("", address)),
            ("repeat", rule) => new.repeat = Some(rule.parse().unwrap()),
            ("video", _) => new.video_call = true,
            _ => panic!("no field {field}"),
        }
    }
    new
}

pub fn times(text: &str) -> Span {
    let (start, end) = text.split_once('/').unwrap();
    let [start, end] = [start, end].map(|at| at.parse().unwrap());
    Span { start, end }
}
