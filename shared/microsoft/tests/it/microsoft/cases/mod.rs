//! Plays `outlook.txt`. A command holds calls, separated by `; `. `a while METHOD waits: b` makes `b` while Graph holds
//! that method of `a` before it takes effect, `a while METHOD ends: b` after that.

mod at_graph;
mod connect;

use alfred_core::id::EventId;
use alfred_core::ports::{
    AccountError, Calendar, Event, EventTime, Mail, MailQuery, MailStatus, NamedCredentials,
    NewEvent, Notice, OutgoingFile, OutgoingMail, Span,
};
use alfred_loopback::{Hold, Release};
use alfred_microsoft::Microsoft;
use alfred_testkit::MemorySecrets;
use alfred_testkit::conformance::mail::of_a_list;
use alfred_testkit::play::{Interpreter, assert_reviewed, play};
use async_trait::async_trait;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use at_graph::error_word;

use crate::microsoft::case::{answer, ben, lunch, no};
use crate::microsoft::support::{Outlook, account};

const STATES: [&str; 5] = ["unread", "read", "archived", "backlog", "processed"];

#[tokio::test]
async fn outlook_does_what_the_text_says() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/it/microsoft/cases/outlook.txt"
    );
    let text = include_str!("outlook.txt");
    let open = async || Played {
        outlook: Outlook::new().await,
        credentials: NamedCredentials(Arc::new(MemorySecrets::default())),
        ids: Mutex::default(),
    };
    assert_reviewed(path, text, &play(text, open).await);
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
    async fn calls(&self, calls: &str) -> String {
        let mut shown = Vec::new();
        for call in calls.split("; ") {
            let words: Vec<&str> = call.split(' ').collect();
            let done = match *words {
                ["consent", ref call @ ..] => Ok(self.connect(call).await),
                ["with", permissions, "alone", ref call @ ..] => {
                    let permissions = permissions.to_owned().leak();
                    let narrow = self.outlook.granted(permissions);
                    self.call(&narrow, call).await
                }
                ref call => self.call(&self.outlook.mail, call).await,
            };
            shown.push(done.unwrap_or_else(error_word));
        }
        shown.retain(|line| !line.is_empty());
        shown.join("\n")
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
                let event = client.event(of, &self.id(name).await).await?;
                event.map_or("none".into(), |event| self.event(event))
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
                self.event(client.respond(of, &id, &no(), key).await?)
            }
            ["declined?", name, key] => {
                let (id, attendance) = (self.id(name).await, no().attendance);
                let found = client.find_responded(of, &id, attendance, key).await?;
                found.map_or("none".into(), |event| self.event(event))
            }
            _ => return self.mail(client, call).await,
        })
    }

    async fn mail(&self, client: &Microsoft, call: &[&str]) -> Result<String, AccountError> {
        let of = &account();
        Ok(match *call {
            ["mails", ref words @ ..] => {
                let page = client.list(of, &query(words)).await?;
                format!("{} mails, more: {}", page.mails.len(), page.next.is_some())
            }
            ["set", "each", which] => {
                let (id, mut shown) = (&self.some(which)[0], Vec::new());
                for (from, to) in STATES.iter().flat_map(|from| STATES.map(|to| (from, to))) {
                    client.set_status(of, id, state(from)).await?;
                    client.set_status(of, id, state(to)).await?;
                    shown.push(format!("{from} to {to}: {}", self.labels(which)));
                }
                shown.join("\n")
            }
            ["set", which, to] => {
                let ids = self.some(which);
                let set = client.set_statuses(of, &ids, state(to)).await?;
                let set = set.into_iter().map(Result::unwrap);
                let mut set: Vec<Option<MailStatus>> = set.collect();
                let number = set.len();
                set.dedup();
                format!("{number} were {set:?}")
            }
            ["send", key, ref bytes @ ..] => {
                let files = bytes.iter().map(|bytes| OutgoingFile {
                    name: "film.mp4".into(),
                    content_type: "video/mp4".into(),
                    content: vec![7; bytes.parse().unwrap()],
                });
                let mail = OutgoingMail {
                    files: files.collect(),
                    ..answer()
                };
                self.receipt(&client.send(of, &mail, key).await?)
            }
            ["sent?", key] => {
                let found = client.find_sent(of, key).await?;
                found.map_or("none".into(), |sent| self.receipt(&sent))
            }
            ["references"] => {
                let read = Mail::read(client, of, &self.some("sentitems")[0]).await?;
                let read = read.unwrap();
                let own = read.references == read.message_id.into_iter().collect::<Vec<_>>();
                format!("its own id: {own}")
            }
            ["file"] => {
                let file = client.attachment(of, &self.some("sentitems")[0], 0).await?;
                let file = file.unwrap();
                let bytes = BTreeSet::from_iter(&file);
                format!("{} times {bytes:?}", file.len())
            }
            ["list", "page", ref above @ ..] => {
                let raw = String::from_utf8(of_a_list("")).unwrap();
                let raw = format!("{}\r\n{raw}", above.join(" "));
                let id = self
                    .outlook
                    .mailbox()
                    .deliver(raw.trim_start(), "inbox", json!({}));
                let read = Mail::read(client, of, &id.into()).await?.unwrap();
                format!("signed: {}", read.one_click.unwrap().signed)
            }
            _ => self.at_graph(call),
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
        ..lunch(Vec::new())
    };
    for field in fields {
        match field.split_once('=').unwrap_or((field, "")) {
            ("at", span) => new.span = times(span),
            ("guests", _) => new.attendees = vec![ben()],
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

fn query(words: &[&str]) -> MailQuery {
    MailQuery {
        limit: 500,
        status: words.iter().copied().map(state).collect(),
        ..MailQuery::default()
    }
}

fn state(word: &str) -> MailStatus {
    serde_json::from_value(word.into()).unwrap()
}

fn joined(lines: impl Iterator<Item = String>) -> String {
    let lines: Vec<String> = lines.collect();
    if lines.is_empty() {
        return "nothing".into();
    }
    lines.join("\n")
}
