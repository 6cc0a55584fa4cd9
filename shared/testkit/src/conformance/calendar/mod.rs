//! The calls of `calendar.txt`. Times are of 2026, in UTC: `11-26T08:00/09:30`. Zones, summer time and rules beyond
//! "every week" are each reader's own to test.

mod changing;
mod given;

use alfred_core::id::EventId;
use alfred_core::ports::{
    AccountError, Attendance, Availability, Calendar, Event, EventTime, Notice, Response, Span,
};
use async_trait::async_trait;

use super::account::{AccountSide, Names, error_words};
pub use super::mail::owner;
use super::{Calls, joined, pass};
pub use given::{COLLEAGUE, Given, colleague, colleague_ics, given, ics, span};

/// The suite for calendars that keep declined events.
pub async fn calendar<P: Calendar + ?Sized + 'static>(open: impl AsyncFn() -> AccountSide<P>) {
    let answers = include_str!("calendar_keeping.txt");
    suite(open, "calendar_keeping.txt", answers).await;
}

/// The suite for calendars that lose declined events.
pub async fn calendar_losing_declined<P: Calendar + ?Sized + 'static>(
    open: impl AsyncFn() -> AccountSide<P>,
) {
    let answers = include_str!("calendar_losing.txt");
    suite(open, "calendar_losing.txt", answers).await;
}

async fn suite<P: Calendar + ?Sized + 'static>(
    open: impl AsyncFn() -> AccountSide<P>,
    name: &str,
    answers: &str,
) {
    let open = async || World::new(open().await).await;
    pass("calendar.txt", include_str!("calendar.txt"), &open).await;
    pass(name, answers, &open).await;
}

struct World<P: ?Sized> {
    side: AccountSide<P>,
    /// Occurrences by title and number, series as `TITLE series`.
    names: Names<EventId>,
    /// Whether the provider notifies guests of every change.
    tells_guests: bool,
}

impl<P: Calendar + ?Sized> World<P> {
    async fn new(side: AccountSide<P>) -> Self {
        let mut world = Self {
            tells_guests: side.port.tells_guests(&side.account).await.unwrap(),
            side,
            names: Names::default(),
        };
        for event in world.all().await {
            world.name(&event);
        }
        world
    }

    async fn within(&self, span: Span) -> Vec<Event> {
        let page = self.side.port.events(&self.side.account, span).await;
        let page = page.unwrap();
        assert_eq!(page.unreadable, []);
        page.events
    }

    async fn all(&self) -> Vec<Event> {
        self.within(times("11-01T00:00/12-31T00:00")).await
    }

    async fn event(&self, id: &EventId) -> Option<Event> {
        let read = self.side.port.event(&self.side.account, id).await;
        read.unwrap()
    }

    fn id(&self, name: &str) -> EventId {
        self.names.id(name).unwrap_or_else(|| name.into())
    }

    fn name(&mut self, event: &Event) -> String {
        if let Some(series) = &event.series {
            self.names.name(series, &format!("{} series", event.title));
        }
        self.names.name(&event.id, &event.title)
    }

    /// Shows an event. An event of the suite must be unchanged except for its id, time, series, answer and notes.
    fn show(&mut self, event: &Event) -> String {
        let name = self.name(event);
        if event.is_series() {
            return name;
        }
        if let Some(given) = as_given(event) {
            assert_eq!(*event, given);
        }
        let shown = format!("{name} {}", shown_time(&event.time));
        if event.invited {
            let answer = format!("{:?}", event.attendance).to_lowercase();
            format!("{shown} {answer}")
        } else {
            shown
        }
    }

    /// Shows the event that a call returned. If it can be read, reading must return the same.
    async fn show_found(&mut self, found: Option<Event>) -> String {
        let Some(event) = found else {
            return "none".into();
        };
        if let Some(read) = self.event(&event.id).await {
            assert_eq!(event, read);
        }
        self.show(&event)
    }

    /// Reads an event. A series is as its first occurrence.
    async fn read(&mut self, id: &EventId) -> String {
        let Some(event) = self.event(id).await else {
            return "none".into();
        };
        if event.is_series() {
            let all = self.all().await;
            let mut first = all.iter().filter(|one| one.series == event.series);
            let id = first.next().unwrap().id.clone();
            return format!("whole {}", self.show(&Event { id, ..event }));
        }
        self.show(&event)
    }

    /// Looks for what a call with a key did.
    async fn done(&self, words: &[&str]) -> Result<Option<Event>, AccountError> {
        let (port, account) = (&self.side.port, &self.side.account);
        let id = self.id(words[1]);
        match *words {
            ["made?", key] => port.find_created(account, key).await,
            ["moved?", _, key, span] => port.find_moved(account, &id, times(span), key).await,
            ["cancelled?", _, key] => port.find_cancelled(account, &id, key).await,
            ["answered?", _, key, answer] => {
                let attendance = response(answer).attendance;
                port.find_responded(account, &id, attendance, key).await
            }
            _ => panic!("no call {words:?}"),
        }
    }

    async fn busy(&self, span: Span, addresses: &[&str]) -> String {
        let addresses: Vec<String> = addresses.iter().map(|&address| address.into()).collect();
        let (port, account) = (&self.side.port, &self.side.account);
        let seen = port.availability(account, &addresses, span).await.unwrap();
        let lines = seen.into_iter().map(|seen| match seen {
            Availability::Hidden => "hidden".into(),
            Availability::Busy(spans) => joined(spans.into_iter().map(shown_span), ", "),
        });
        lines.collect::<Vec<String>>().join("\n")
    }

    async fn as_stranger(&self, id: &EventId) -> String {
        let (port, nobody) = (&self.side.port, &self.side.stranger);
        let new = changing::new_event("No");
        let (span, no) = (new.span, response("no"));
        error_words([
            port.events(nobody, span).await.err(),
            port.event(nobody, id).await.err(),
            port.availability(nobody, &[], span).await.err(),
            port.create(nobody, &new, "k").await.err(),
            port.find_created(nobody, "k").await.err(),
            port.reschedule(nobody, id, span, None, "k").await.err(),
            port.find_moved(nobody, id, span, "k").await.err(),
            port.cancel(nobody, id, true, "k").await.err(),
            port.find_cancelled(nobody, id, "k").await.err(),
            port.respond(nobody, id, &no, "k").await.err(),
            port.find_responded(nobody, id, no.attendance, "k")
                .await
                .err(),
        ])
    }
}

#[async_trait]
impl<P: Calendar + ?Sized> Calls for World<P> {
    async fn call(&mut self, words: &[&str]) -> String {
        match *words {
            ["list", ref title @ ..] => {
                let mut shown = self.all().await;
                shown.retain(|event| title.is_empty() || *title == [event.title.as_str()]);
                joined(shown.iter().map(|event| self.show(event)), "\n")
            }
            ["within", span] => {
                let shown = self.within(times(span)).await;
                joined(shown.iter().map(|event| self.name(event)), ", ")
            }
            ["count", span] => self.within(times(span)).await.len().to_string(),
            ["read", "each"] => {
                for event in self.all().await {
                    assert_eq!(self.event(&event.id).await, Some(event));
                }
                String::new()
            }
            ["read", name] => self.read(&self.id(name)).await,
            ["busy", span, ref addresses @ ..] => self.busy(times(span), addresses).await,
            ["made?" | "moved?" | "cancelled?" | "answered?", ..] => {
                let found = self.done(words).await;
                self.show_found(found.unwrap()).await
            }
            ["repeats", rule, key] => self.repeats(rule, key).await,
            ["stranger", name] => self.as_stranger(&self.id(name)).await,
            _ => self.change(words).await,
        }
    }
}

/// The given event of this title, with what may change taken from an event as it is now.
fn as_given(now: &Event) -> Option<Event> {
    let mut given = given().into_iter().map(|given| given.event);
    let mut given = given.find(|given| given.title == now.title)?;
    if given.invited {
        given.attendance = now.attendance;
        given.busy = now.attendance != Attendance::Declined;
        given.attendees[0].attendance = now.attendance;
    }
    // A note to guests is appended.
    let note = now.description.find("\n\nNote of ");
    given.description += note.map_or("", |at| &now.description[at..]);
    Some(Event {
        id: now.id.clone(),
        time: now.time,
        series: now.series.clone(),
        ..given
    })
}

/// An answer whose note contains iCalendar lines, which the adapter must escape.
fn response(answer: &str) -> Response {
    let note = "I'm away;\r\nATTENDEE;PARTSTAT=ACCEPTED:mailto:eve@evil.example\nEND:VEVENT";
    match answer {
        "yes" => Response {
            attendance: Attendance::Accepted,
            note: String::new(),
        },
        "no" => Response {
            attendance: Attendance::Declined,
            note: note.into(),
        },
        _ => Response::default(),
    }
}

/// A notice whose note contains iCalendar lines, which the adapter must escape.
fn why() -> Notice {
    Notice {
        note: "The room is taken;\r\nATTENDEE:mailto:eve@evil.example\nEND:VEVENT".into(),
    }
}

/// A span of 2026. Without a date, it ends on the day of its start.
fn times(text: &str) -> Span {
    let (start, end) = text.split_once('/').unwrap();
    let day = start.split('T').next().unwrap();
    let end = if end.contains('T') {
        end.to_owned()
    } else {
        format!("{day}T{end}")
    };
    span(&format!("2026-{start}"), &format!("2026-{end}"))
}

fn shown_time(time: &EventTime) -> String {
    match *time {
        EventTime::Timed { start, end } => shown_span(Span { start, end }),
        EventTime::AllDay { first, last } => {
            format!("{}/{}", first.strftime("%m-%d"), last.strftime("%m-%d"))
        }
    }
}

fn shown_span(Span { start, end }: Span) -> String {
    let (from, to) = (start.strftime("%m-%d"), end.strftime("%m-%d"));
    let (from, to) = (from.to_string(), to.to_string());
    let (begins, ends) = (start.strftime("%H:%M"), end.strftime("%H:%M"));
    if from == to {
        format!("{from}T{begins}/{ends}")
    } else {
        format!("{from}T{begins}/{to}T{ends}")
    }
}
