//! Calls that change a calendar.

use alfred_core::id::EventId;
use alfred_core::ports::{AccountError, Attendance, Calendar, Event, EventTime, NewEvent};
use futures_util::future::join_all;
use jiff::tz::TimeZone;

use super::super::account::error_word;
use super::{World, new_event, times};

/// A note with iCalendar lines, which the adapter must escape.
const NOTE: &str =
    "The room is taken;\r\nATTENDEE;PARTSTAT=ACCEPTED:mailto:eve@evil.example\nEND:VEVENT";

pub(super) fn event(title: &str, fields: &[&str]) -> NewEvent {
    let text = "text=To talk about:\n- tables; chairs, benches\n- größer";
    let usual = ["at=11-27T09:00/09:45", "ben", text];
    new_event(title, &[&usual, fields].concat())
}

impl<P: Calendar + ?Sized> World<P> {
    /// Makes a change. Every event that it doesn't name stays as it is.
    pub(super) async fn change(&mut self, words: &[&str]) -> String {
        let before = self.all().await;
        let (id, shown) = match *words {
            ["make", times, "times", title, key] => {
                self.make(times.parse().unwrap(), &event(title, &[]), key)
                    .await
            }
            ["make", title, key, ref fields @ ..] => self.make(1, &event(title, fields), key).await,
            ["move", "again", name, key, span] => {
                let (id, shown) = self.done(&["move", name, key, span, NOTE]).await;
                // Guests would be told twice under one key.
                assert!(self.tells_guests || shown != "refused");
                (id, String::new())
            }
            ["move", name, key, span, "saying", "why"] => {
                self.done(&["move", name, key, span, NOTE]).await
            }
            ["move", _, _, _] if self.tells_guests => self.done(&[words, &[""]].concat()).await,
            ["cancel", name, key] => self.cancel(name, key, true).await,
            ["cancel", "quietly", name, key] => self.cancel(name, key, self.tells_guests).await,
            ["answer", _, _, "declined"] => self.done(&[words, &[NOTE]].concat()).await,
            _ => self.done(words).await,
        };
        let others = |events: Vec<Event>| -> Vec<Event> {
            let other = |event: &Event| event.id != id && event.series.as_ref() != Some(&id);
            events.into_iter().filter(other).collect()
        };
        let now = self.all().await;
        if shown == "refused" || shown == "none" {
            assert_eq!(now, before);
        }
        assert_eq!(others(now), others(before));
        shown
    }

    async fn done(&mut self, words: &[&str]) -> (EventId, String) {
        let done = self.calls.event(&*self.side.port, words).await;
        let done = done.map(|event| event.unwrap().unwrap());
        (self.id(words[1]).await, self.show_done(done).await)
    }

    async fn show_done(&mut self, done: Result<Event, AccountError>) -> String {
        match done {
            Ok(event) => self.show_found(Some(event)).await,
            Err(error) => error_word(error),
        }
    }

    /// Makes an event, several times at once if asked. Returns its id.
    async fn make(&mut self, times: usize, new: &NewEvent, key: &str) -> (EventId, String) {
        let (port, account) = (self.side.port.clone(), self.side.account.clone());
        let creates = (0..times).map(|_| port.create(&account, new, key));
        let mut made = join_all(creates).await;
        let first = made[0].as_ref().ok();
        assert!(made.iter().all(|one| one.as_ref().ok() == first));
        let found = port.find_created(&account, key).await.unwrap();
        let made = made.swap_remove(0);
        let id = made.as_ref().map(|event| event.id.clone());
        assert_eq!(found.map(|event| event.id), id.as_ref().ok().cloned());
        if let Ok(event) = &made
            && event.title == new.title
            && self.event(&event.id).await.is_some()
        {
            let words = (&event.description, &event.location);
            assert_eq!(words, (&new.description, &new.location));
            assert!(event.own && event.busy && event.series.is_some() == new.repeat.is_some());
            let guests = event.attendees.iter();
            let guests = guests.map(|guest| (guest.mailbox.clone(), guest.attendance));
            let invited = new.attendees.iter();
            let invited = invited.map(|one| (one.clone(), Attendance::Unanswered));
            assert!(guests.eq(invited));
        }
        let whole = made.as_ref().ok().and_then(|event| event.series.clone());
        let id = whole.or(id.ok()).unwrap_or_else(|| "".into());
        (id, self.show_done(made).await)
    }

    async fn cancel(&self, name: &str, key: &str, notify: bool) -> (EventId, String) {
        let (port, account) = (&self.side.port, &self.side.account);
        let id = self.id(name).await;
        let shown = match port.cancel(account, &id, notify, key).await {
            Ok(true) => {
                assert_eq!(self.event(&id).await, None);
                "cancelled".into()
            }
            Ok(false) => "none".into(),
            Err(error) => error_word(error),
        };
        (id, shown)
    }

    /// Creates a series that crosses a clock change. Returns the number of occurrences before September.
    pub(super) async fn repeats(&mut self, rule: &str, key: &str) -> String {
        let (port, account) = (self.side.port.clone(), self.side.account.clone());
        // A Tuesday; on 28 March clocks go forward.
        let first = "at=2028-02-29T09:00/09:45";
        let until = times("2028-02-01T00:00/2028-09-01T00:00");
        let new = event(rule, &[first, &format!("repeat={rule}")]);
        let made = match port.create(&account, &new, key).await {
            Ok(made) => made,
            Err(error) => return error_word(error),
        };
        assert_eq!(port.create(&account, &new, key).await.unwrap(), made);
        let mut there = self.within(until).await;
        there.retain(|event| event.title == rule);
        assert_eq!(there[0], made);
        assert!(there.iter().all(|event| event.series == made.series));
        let zone = TimeZone::get(&new.time_zone).unwrap();
        let expected = new.repeat.as_ref().unwrap().spans(new.span, zone);
        let expected = expected.take_while(|span| span.start < until.end);
        let expected = expected.map(EventTime::from);
        let times: Vec<EventTime> = there.iter().map(|event| event.time).collect();
        assert_eq!(times, expected.collect::<Vec<_>>());
        times.len().to_string()
    }
}
