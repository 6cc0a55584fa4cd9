//! The calls of `calendar.txt`. Zones, summer time and rules beyond "every week" are each reader's own to test.

mod calls;
mod changing;
mod given;

use alfred_core::id::EventId;
use alfred_core::ports::{Attendance, Attendee, Calendar, Event, EventChange, Response, Span};
use async_trait::async_trait;

use super::account::{AccountSide, error_words};
pub use super::mail::owner;
use super::{Calls, joined, pass};
pub use calls::{CalendarCalls, new_event, times};
pub use given::{COLLEAGUE, Given, colleague, colleague_ics, given, ics};

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
    calls: CalendarCalls,
    /// Whether the provider notifies guests of every change.
    tells_guests: bool,
}

impl<P: Calendar + ?Sized> World<P> {
    async fn new(side: AccountSide<P>) -> Self {
        let world = Self {
            tells_guests: side.port.tells_guests(&side.account).await.unwrap(),
            calls: CalendarCalls::new(side.account.clone()),
            side,
        };
        for event in world.all().await {
            world.calls.name(&event);
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
        self.side.port.event(&self.side.account, id).await.unwrap()
    }

    async fn id(&self, name: &str) -> EventId {
        self.calls.id(&*self.side.port, name).await
    }

    /// Shows an event. An event of the suite must be unchanged except for its id, time, series, answer and notes.
    fn show(&self, event: &Event) -> String {
        let name = self.calls.name(event);
        if event.is_series() {
            return name;
        }
        if let Some(given) = as_given(event) {
            assert_eq!(*event, given);
        }
        let shown = format!("{name} {}", calls::show_time(&event.time));
        if event.invited {
            let answer = format!("{:?}", event.attendance).to_lowercase();
            format!("{shown} {answer}")
        } else {
            shown
        }
    }

    /// Shows the event that a call returned. If it can be read, reading must return the same.
    async fn show_found(&self, found: Option<Event>) -> String {
        let Some(event) = found else {
            return "none".into();
        };
        if let Some(read) = self.event(&event.id).await {
            assert_eq!(event, read);
        }
        self.show(&event)
    }

    /// Reads an event. A series is as its first occurrence.
    async fn read(&self, id: &EventId) -> String {
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

    async fn as_stranger(&self, id: &EventId) -> String {
        let (port, nobody) = (&self.side.port, &self.side.stranger);
        let (new, change) = (new_event("No", &[]), EventChange::default());
        let (span, attendance) = (new.span, Attendance::Declined);
        let no = Response {
            attendance,
            note: String::new(),
        };
        error_words([
            port.events(nobody, span).await.err(),
            port.event(nobody, id).await.err(),
            port.availability(nobody, &[], span).await.err(),
            port.create(nobody, &new, "k").await.err(),
            port.find_created(nobody, "k").await.err(),
            port.reschedule(nobody, id, span, None, "k").await.err(),
            port.find_moved(nobody, id, span, "k").await.err(),
            port.change(nobody, id, &change, "k").await.err(),
            port.find_changed(nobody, id, &change, "k").await.err(),
            port.cancel(nobody, id, true, "k").await.err(),
            port.find_cancelled(nobody, id, "k").await.err(),
            port.respond(nobody, id, &no, "k").await.err(),
            port.find_responded(nobody, id, attendance, "k").await.err(),
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
                joined(shown.iter().map(|event| self.calls.name(event)), ", ")
            }
            ["read", "each"] => {
                for event in self.all().await {
                    assert_eq!(self.event(&event.id).await, Some(event));
                }
                String::new()
            }
            ["read", name] => self.read(&self.id(name).await).await,
            ["guests", name] => {
                let event = self.event(&self.id(name).await).await.unwrap();
                let guest = |it: &Attendee| format!("{} {:?}", it.mailbox.address, it.attendance);
                let shown = event.attendees.iter().map(guest).chain([event.location]);
                joined(shown.filter(|one| !one.is_empty()), ", ")
            }
            [look, ..] if look.ends_with('?') => {
                let found = self.calls.event(&*self.side.port, words).await;
                self.show_found(found.unwrap().unwrap()).await
            }
            ["count" | "busy", ..] => {
                let shown = self.calls.call(&*self.side.port, words).await;
                shown.unwrap().unwrap()
            }
            ["repeats", rule, key] => self.repeats(rule, key).await,
            ["stranger", name] => self.as_stranger(&self.id(name).await).await,
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
