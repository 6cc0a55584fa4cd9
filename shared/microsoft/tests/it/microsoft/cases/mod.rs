//! Plays `outlook.txt`. A command holds calls, separated by `; `. `a while METHOD waits: b` makes `b` while Graph holds
//! that method of `a` before it takes effect, `a while METHOD ends: b` after that.

mod at_graph;
mod connect;
mod mail;
mod once;

use alfred_core::id::EventId;
use alfred_core::ports::{
    AccountError, Attendance, Calendar, Event, EventTime, Mailbox, NamedCredentials, NewEvent,
    Notice, Response, Span,
};
use alfred_loopback::{Hold, Release};
use alfred_microsoft::Microsoft;
use alfred_testkit::MemorySecrets;
use alfred_testkit::conformance::calendar::COLLEAGUE;
use alfred_testkit::play::{Interpreter, assert_reviewed, play};
use async_trait::async_trait;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use at_graph::error_word;

use crate::microsoft::support::{Outlook, account};

#[tokio::test]
async fn outlook_does_what_the_text_says() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/it/microsoft/cases/outlook.txt"
    );
    let text = include_str!("outlook.txt");
    assert_reviewed(path, text, &play(text, Played::new).await);
}

struct Played {
    outlook: Outlook,
    credentials: NamedCredentials,
    /// The first event of each title. A series is `Title*`.
    ids: Mutex<BTreeMap<String, EventId>>,
}

#[async_trait]
impl Interpreter for Played {
    async fn perform(&mut self, command: &str) -> String {
        let Some((first, rest)) = command.split_once(" while ") else {
            return self.calls(command).await;
        };
        let (method, rest) = rest.split_once(' ').unwrap();
        let (hold, rest) = match rest.strip_prefix("waits: ") {
            Some(rest) => (Hold::BeforeEffect, rest),
            None => (Hold::AfterEffect, rest.strip_prefix("ends: ").unwrap()),
        };
        let mut gate = self.outlook.graph().hold(method, hold);
        let meanwhile = async {
            let held = gate.arrived().await;
            drop(gate);
            let shown = self.calls(rest).await;
            held.release(Release::Complete);
            shown
        };
        let (first, meanwhile) = tokio::join!(self.calls(first), meanwhile);
        format!("{meanwhile}\n{first}").trim_start().to_owned()
    }
}

impl Played {
    async fn new() -> Self {
        Self {
            outlook: Outlook::new().await,
            credentials: NamedCredentials(Arc::new(MemorySecrets::default())),
            ids: Mutex::default(),
        }
    }

    async fn calls(&self, calls: &str) -> String {
        let mut shown = Vec::new();
        for call in calls.split("; ") {
            shown.push(self.one(call).await.unwrap_or_else(error_word));
        }
        shown.retain(|line| !line.is_empty());
        shown.join("\n")
    }

    /// A call of this process, of `again` another, or of one `with` fewer permissions.
    async fn one(&self, call: &str) -> Result<String, AccountError> {
        let words: Vec<&str> = call.split(' ').collect();
        match *words {
            ["consent", ref call @ ..] => Ok(self.connect(call).await),
            ["again", ref call @ ..] => self.call(&self.outlook.again(), call).await,
            ["with", permissions, "alone", ref call @ ..] => {
                let narrow = self.outlook.granted(permissions.to_owned().leak());
                self.call(&narrow, call).await
            }
            ref call => self.call(&self.outlook.mail, call).await,
        }
    }

    async fn call(&self, client: &Microsoft, call: &[&str]) -> Result<String, AccountError> {
        let of = &account();
        Ok(match *call {
            ["within", span] => {
                let page = client.events(of, times(span)).await?;
                assert_eq!(page.unreadable, []);
                joined(page.events.into_iter().map(|event| self.event(event)))
            }
            ["count", span] => client
                .events(of, times(span))
                .await?
                .events
                .len()
                .to_string(),
            ["read", name] => {
                let id = self.id(name).await;
                self.found(client.event(of, &id).await?)
            }
            ["busy", span, address] => {
                let addresses = [address.to_owned()];
                let seen = client.availability(of, &addresses, times(span)).await?;
                format!("{seen:?}")
            }
            ["video", "calls"] => client.video_calls(of).await?.to_string(),
            ["make", title, key, ref fields @ ..] => {
                let new = new_event(title, fields);
                self.event(client.create(of, &new, key).await?)
            }
            ["move", name, key, span, ref note @ ..] => {
                let note = note.join(" ");
                let notice = Some(Notice { note }).filter(|notice| notice.note != "quietly");
                let id = self.id(name).await;
                let moved = client.reschedule(of, &id, times(span), notice.as_ref(), key);
                self.event(moved.await?)
            }
            ["cancel", name, key, ref quietly @ ..] => {
                let id = self.id(name).await;
                let cancelled = client.cancel(of, &id, quietly.is_empty(), key).await?;
                format!("cancelled: {cancelled}")
            }
            ["decline", name, key] => {
                let id = self.id(name).await;
                let no = Response {
                    attendance: Attendance::Declined,
                    note: "I'm away".into(),
                };
                self.event(client.respond(of, &id, &no, key).await?)
            }
            ["made?", key] => self.found(client.find_created(of, key).await?),
            ["moved?", name, key, span] => {
                let id = self.id(name).await;
                self.found(client.find_moved(of, &id, times(span), key).await?)
            }
            ["cancelled?", name, key] => {
                let id = self.id(name).await;
                self.found(client.find_cancelled(of, &id, key).await?)
            }
            ["declined?", name, key] => {
                let (id, no) = (self.id(name).await, Attendance::Declined);
                self.found(client.find_responded(of, &id, no, key).await?)
            }
            _ => return self.mail(client, call).await,
        })
    }

    async fn id(&self, name: &str) -> EventId {
        if !self.ids.lock().unwrap().contains_key(name) {
            let span = times("2026-11-01T00:00Z/2027-01-31T00:00Z");
            let page = self.outlook.mail.events(&account(), span).await;
            for event in page.unwrap().events {
                self.event(event);
            }
        }
        self.ids.lock().unwrap()[name].clone()
    }

    fn found(&self, event: Option<Event>) -> String {
        event.map_or("none".into(), |event| self.event(event))
    }

    /// Names an event and shows it.
    fn event(&self, event: Event) -> String {
        let mut ids = self.ids.lock().unwrap();
        ids.entry(event.title.clone()).or_insert(event.id);
        if let Some(series) = event.series {
            ids.entry(format!("{}*", event.title)).or_insert(series);
        }
        let time = match event.time {
            EventTime::Timed { start, end } => format!("{start}/{end}"),
            EventTime::AllDay { first, last } => format!("{first}/{last}"),
        };
        let mut parts = vec![format!("{} {time}", event.title)];
        if !event.busy {
            parts.push("free".into());
        }
        if !event.own {
            parts.push(format!("invited, {:?}", event.attendance));
        }
        let organizer = event.organizer.into_iter();
        parts.extend(organizer.map(|organizer| format!("of {}", organizer.address)));
        for guest in event.attendees {
            parts.push(format!("{} {:?}", guest.mailbox.address, guest.attendance));
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

/// A lunch with these fields, such as `guests` and `repeat=FREQ=DAILY`.
fn new_event(title: &str, fields: &[&str]) -> NewEvent {
    let mut new = NewEvent {
        title: title.into(),
        span: times("2026-12-14T12:00Z/2026-12-14T13:00Z"),
        time_zone: "Europe/Lisbon".into(),
        description: "At noon".into(),
        attendees: Vec::new(),
        repeat: None,
        video_call: false,
    };
    for field in fields {
        match field.split_once('=').unwrap_or((field, "")) {
            ("at", span) => new.span = times(span),
            ("guests", _) => new.attendees = vec![Mailbox::new("Ben Okafor", COLLEAGUE)],
            ("repeat", rule) => new.repeat = Some(rule.parse().unwrap()),
            ("video", _) => new.video_call = true,
            _ => panic!("no field {field}"),
        }
    }
    new
}

fn times(text: &str) -> Span {
    let (start, end) = text.split_once('/').unwrap();
    let [start, end] = [start, end].map(|at| at.parse().unwrap());
    Span { start, end }
}

fn joined(lines: impl Iterator<Item = String>) -> String {
    let lines: Vec<String> = lines.collect();
    if lines.is_empty() {
        return "nothing".into();
    }
    lines.join("\n")
}
