//! Ana's mailbox and calendar.
//!
//! - `inbox` gives her the mails of the ports' suite. `mail {"id": "m1", "from": "Ben <ben@example.com>", …}` arrives;
//!   what isn't given is as in `fixtures::mail`. `written {…}` is a mail that she sent elsewhere.
//! - `calendar` connects an empty one. `event {"title": "Team", "start": …, "end": …}` adds to it; what isn't given is as
//!   in `fixtures::event`. `busy ben@example.com START/END` is a colleague whose busy times she sees.
//!   `moves team START/END` and `cancels team` are what she does with an event elsewhere.
//!   `refilled` changes the files of her mails. `locked m1` fails the next change of a mail. `edits draft-2 At one.` is
//!   what she does with a draft elsewhere.
//! - `documents` gives her a document and a sheet. `appends - theirs` is what somebody else does with the document.
//! - `no accounts` disconnects all.
//! - `fail mail.send after unknown`: `away`, `unknown`, `expired`, `unconnected`, or `refused`.
//! - Facts: `mails`, `outbox`, `drafts`, `events`, `notes` (the document) and `cells` (of the sheet); `told`: of what the calendar notified guests, with which notes.

use alfred_core::ports::{
    AccountError, AccountService, Accounts, Attendance, Attendee, Calendar, Event, EventTime,
    MailMessage, MailQuery, Mailbox, NewEvent, OutgoingMail, Span,
};
use alfred_testkit::conformance::mail::mails;
use alfred_testkit::{MemoryCalendar, MemoryMail, When, fixtures};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::sync::Arc;

use super::Story;
use crate::in_memory::accounts::ana;

#[derive(Default)]
pub struct Office {
    mail: Option<Arc<MemoryMail>>,
    calendar: Option<Arc<MemoryCalendar>>,
    events: Vec<Event>,
    busy: Vec<(String, Vec<Span>)>,
}

impl Story {
    /// False if the act isn't one of these.
    pub(super) async fn gives(&mut self, act: &str) -> bool {
        let (verb, rest) = act.split_once(' ').unwrap_or((act, ""));
        match verb {
            "inbox" => self.office.mail = Some(self.world.has_mails(mails())),
            "mail" => self.mailbox().arrive(&ana(), mail(rest)),
            "written" => self.mailbox().sent_elsewhere(&ana(), mail(rest)),
            "calendar" => self.connect_calendar(),
            "event" if self.events.is_empty() => {
                self.office.events.push(event(rest));
                self.connect_calendar();
            }
            "event" => self.adds(&event(rest)).await,
            "busy" => {
                let (address, spans) = rest.split_once(' ').unwrap_or((rest, ""));
                let spans = spans.split_whitespace().map(span).collect();
                self.office.busy.push((address.to_owned(), spans));
                self.connect_calendar();
            }
            "moves" => {
                let (id, to) = rest.split_once(' ').unwrap();
                let (calendar, id) = (self.calendar(), id.into());
                let moved = calendar.reschedule(&ana(), &id, span(to), None, "k").await;
                moved.unwrap();
            }
            "cancels" => {
                let (calendar, id) = (self.calendar(), rest.into());
                let cancelled = calendar.cancel(&ana(), &id, false, "k").await;
                assert!(cancelled.unwrap(), "no event {rest}");
            }
            "refilled" => self.mailbox().refill_files(&ana(), b'y'),
            "locked" => {
                let locked = account_error("mail", "refused");
                self.mailbox()
                    .fail_to_change(&ana(), rest, When::Before, locked);
            }
            "edits" => {
                let (id, text) = rest.split_once(' ').unwrap();
                self.mailbox().edit_draft(&ana(), id, text);
            }
            "documents" => self.world.has_documents().await,
            "appends" => self.world.append(&format!("{rest}\n")).await,
            "no" => self
                .world
                .change_ports(|ports| ports.accounts = Accounts::none()),
            _ => return false,
        }
        true
    }

    fn mailbox(&mut self) -> Arc<MemoryMail> {
        let (world, mail) = (&mut self.world, &mut self.office.mail);
        let mail = mail.get_or_insert_with(|| world.has_mails(Vec::new()));
        mail.clone()
    }

    fn connect_calendar(&mut self) {
        let busy = self.office.busy.iter();
        let busy = busy.map(|(address, spans)| (address.as_str(), spans.as_slice()));
        let busy: Vec<(&str, &[Span])> = busy.collect();
        let calendar = self.world.has_events(self.office.events.clone(), &busy);
        self.office.calendar = Some(calendar);
    }

    fn calendar(&self) -> &MemoryCalendar {
        self.office.calendar.as_ref().unwrap()
    }

    /// Ana adds an event elsewhere while Alfred works.
    async fn adds(&self, event: &Event) {
        let EventTime::Timed { start, end } = event.time else {
            panic!("only timed events are added later");
        };
        let new = NewEvent {
            title: event.title.clone(),
            span: Span { start, end },
            time_zone: "Europe/Berlin".into(),
            description: String::new(),
            location: String::new(),
            attendees: Vec::new(),
            repeat: None,
            video_call: false,
        };
        let calendar = self.calendar();
        calendar.create(&ana(), &new, &event.title).await.unwrap();
    }

    pub(super) async fn account_fact(&self, fact: &str) -> Option<Vec<String>> {
        let mail = self.office.mail.as_ref();
        Some(match fact {
            "mails" => {
                use alfred_core::ports::Mail;
                let query = MailQuery {
                    limit: 100,
                    ..MailQuery::default()
                };
                let page = mail?.list(&ana(), &query).await.unwrap();
                let mails = page.mails.into_iter();
                let shown = mails.map(|mail| format!("{} {:?}", mail.subject, mail.status));
                shown.collect()
            }
            "outbox" => {
                let sent = mail?.sent(&ana());
                sent.iter().map(|sent| outgoing(&sent.mail)).collect()
            }
            "drafts" => {
                let kept = mail?.drafts(&ana());
                kept.iter().map(|kept| outgoing(&kept.mail)).collect()
            }
            "events" => {
                let calendar = self.office.calendar.as_ref()?;
                let all = span("2026-11-01T00:00:00Z/2027-12-31T00:00:00Z");
                let page = calendar.events(&ana(), all).await.unwrap();
                page.events.iter().map(shown).collect()
            }
            "notes" => vec![self.world.notes().await.text],
            "cells" => vec![self.world.cells().await.to_string()],
            "told" => {
                let calendar = self.office.calendar.as_ref()?;
                let told = calendar.told(&ana()).into_iter();
                let told = told.map(|id| format!("guests of {id} are notified"));
                told.chain(calendar.notes(&ana())).collect()
            }
            _ => return None,
        })
    }
}

fn shown(event: &Event) -> String {
    let time = match event.time {
        EventTime::Timed { start, end } => format!("{start}/{end}"),
        EventTime::AllDay { first, last } => format!("{first}/{last}"),
    };
    let guests = event.attendees.iter().map(|guest| {
        let answer = format!("{:?}", guest.attendance).to_lowercase();
        format!(", {} {answer}", guest.mailbox.address)
    });
    format!("{} {time}{}", event.title, guests.collect::<String>())
}

/// A mail that goes out, in lines.
fn outgoing(mail: &OutgoingMail) -> String {
    let addresses = |list: &[Mailbox]| {
        let all = list.iter().map(|one| one.address.as_str());
        all.collect::<Vec<_>>().join(", ")
    };
    let mut lines = vec![format!("to {}: {}", addresses(&mail.to), mail.subject)];
    if !mail.cc.is_empty() {
        lines.push(format!("cc {}", addresses(&mail.cc)));
    }
    lines.extend(mail.files.iter().map(|file| {
        let start = String::from_utf8_lossy(&file.content);
        let start: String = start.chars().take(20).collect();
        let (name, kind, bytes) = (&file.name, &file.content_type, file.content.len());
        format!("with {name}, {kind}, {bytes} bytes: {start:?}")
    }));
    lines.push(mail.text.clone());
    lines.join("\n")
}

pub fn span(text: &str) -> Span {
    let (start, end) = text.split_once('/').unwrap();
    let [start, end] = [start, end].map(|at| at.parse().unwrap());
    Span { start, end }
}

/// `Name <address>`, or an address.
fn mailbox(text: &str) -> Mailbox {
    let named = text.strip_suffix('>');
    match named.and_then(|named| named.split_once(" <")) {
        Some((name, address)) => Mailbox::new(name, address),
        None => Mailbox::new("", text),
    }
}

fn mail(text: &str) -> MailMessage {
    let mut given: Value = serde_json::from_str(text).unwrap();
    let mut take = |field: &str| given[field].take().as_str().unwrap_or_default().to_owned();
    let [id, from, subject, body] = ["id", "from", "subject", "text"].map(&mut take);
    for list in ["to", "cc", "reply_to"] {
        for one in given[list].as_array_mut().into_iter().flatten() {
            *one = json!(mailbox(one.as_str().unwrap()));
        }
    }
    let mail = fixtures::mail(&id, mailbox(&from), &subject, &body);
    over(&mail, &given)
}

fn event(text: &str) -> Event {
    let mut given: Value = serde_json::from_str(text).unwrap();
    let mut take = |field: &str| given[field].take().as_str().unwrap_or_default().to_owned();
    let [title, start, end] = ["title", "start", "end"].map(&mut take);
    for guest in given["attendees"].as_array_mut().into_iter().flatten() {
        if let Some(mailbox) = guest.as_str().map(mailbox) {
            let attendance = Attendance::Accepted;
            *guest = json!(Attendee {
                mailbox,
                attendance
            });
        }
    }
    let event = fixtures::event(&title.to_lowercase(), &title, &start, &end);
    over(&event, &given)
}

/// A value with these fields replaced; of a mail also those of its summary.
fn over<T: serde::Serialize + DeserializeOwned>(fixture: &T, given: &Value) -> T {
    let mut whole = serde_json::to_value(fixture).unwrap();
    for (name, value) in given.as_object().unwrap() {
        if value.is_null() {
            continue;
        }
        if whole["summary"].get(name).is_some() {
            whole["summary"][name] = value.clone();
        } else {
            whole[name] = value.clone();
        }
    }
    serde_json::from_value(whole).unwrap()
}

/// The error of a port such as `mail`.
pub fn account_error(port: &str, word: &str) -> AccountError {
    let detail = || "planned".to_owned();
    match word {
        "away" => AccountError::NotReached {
            detail: detail(),
            retry_after: None,
        },
        "unknown" => AccountError::Unknown { detail: detail() },
        "expired" if port == "calendar" => AccountError::Expired(AccountService::Calendar),
        "expired" => AccountError::Expired(AccountService::Mail),
        "unconnected" => AccountError::NotConnected(AccountService::Calendar),
        "refused" => AccountError::refused("It is locked."),
        _ => panic!("no error {word}"),
    }
}
