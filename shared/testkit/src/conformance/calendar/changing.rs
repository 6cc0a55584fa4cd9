//! Calls that change a calendar.

use alfred_core::id::EventId;
use alfred_core::ports::{
    AccountError, Attendance, Calendar, Event, EventTime, Mailbox, NewEvent, Notice, Span,
};
use futures_util::future::join_all;
use jiff::tz::TimeZone;

use super::super::account::error_word;
use super::{COLLEAGUE, World, response, span, times, why};

pub(super) fn new_event(title: &str) -> NewEvent {
    NewEvent {
        title: title.into(),
        span: times("11-27T09:00/09:45"),
        time_zone: "Europe/Lisbon".into(),
        description: "To talk about:\n- tables; chairs, benches\n- größer".into(),
        attendees: vec![Mailbox::new("Ben Okafor", COLLEAGUE)],
        repeat: None,
        video_call: false,
    }
}

impl<P: Calendar + ?Sized> World<P> {
    /// Makes a change. Every event that it doesn't name stays as it is.
    pub(super) async fn change(&mut self, words: &[&str]) -> String {
        let before = self.all().await;
        let (id, shown) = match *words {
            ["make", title, key, ref fields @ ..] => self.make(title, key, fields).await,
            ["move", "again", name, key, span] => {
                let shown = self.reschedule(name, key, span, Some(why())).await;
                // Guests would be told twice under one key.
                assert!(self.tells_guests || shown != "refused");
                (self.id(name), String::new())
            }
            ["move", name, key, span, "saying", "why"] => {
                let shown = self.reschedule(name, key, span, Some(why())).await;
                (self.id(name), shown)
            }
            ["move", name, key, span] => {
                let quiet = self.tells_guests.then(Notice::default);
                let shown = self.reschedule(name, key, span, quiet).await;
                (self.id(name), shown)
            }
            ["cancel", name, key] => (self.id(name), self.cancel(name, key, true).await),
            ["cancel", "quietly", name, key] => {
                let shown = self.cancel(name, key, self.tells_guests).await;
                (self.id(name), shown)
            }
            ["answer", name, key, answer] => {
                let (port, account) = (self.side.port.clone(), self.side.account.clone());
                let answer = response(answer);
                let answered = port.respond(&account, &self.id(name), &answer, key).await;
                (self.id(name), self.show_done(answered).await)
            }
            _ => panic!("no call {words:?}"),
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

    async fn show_done(&mut self, done: Result<Event, AccountError>) -> String {
        match done {
            Ok(event) => self.show_found(Some(event)).await,
            Err(error) => error_word(error),
        }
    }

    /// Makes an event, several times at once if asked. Returns its id.
    async fn make(&mut self, title: &str, key: &str, fields: &[&str]) -> (EventId, String) {
        let (port, account) = (self.side.port.clone(), self.side.account.clone());
        let (mut new, mut times_at_once) = (new_event(title), 1);
        for field in fields {
            match field.split_once('=').unwrap() {
                ("at", text) => new.span = times(text),
                ("zone", zone) => new.time_zone = zone.into(),
                ("guest", address) => new.attendees[0].address = address.into(),
                ("times", number) => times_at_once = number.parse().unwrap(),
                _ => panic!("no field {field}"),
            }
        }
        let creates = (0..times_at_once).map(|_| port.create(&account, &new, key));
        let mut made = join_all(creates).await;
        assert!(
            made.iter()
                .all(|one| one.as_ref().ok() == made[0].as_ref().ok())
        );
        let found = port.find_created(&account, key).await.unwrap();
        let made = made.swap_remove(0);
        let id = made.as_ref().map(|event| event.id.clone());
        assert_eq!(found.map(|event| event.id), id.as_ref().ok().cloned());
        if let Ok(event) = &made
            && event.title == title
            && self.event(&event.id).await.is_some()
        {
            assert_eq!(event.description, new.description);
            assert!(event.own && event.busy && event.series.is_none());
            let guests = event.attendees.iter();
            let guests = guests.map(|guest| (guest.mailbox.clone(), guest.attendance));
            let invited = (new.attendees[0].clone(), Attendance::Unanswered);
            assert_eq!(guests.collect::<Vec<_>>(), [invited]);
        }
        (id.unwrap_or_else(|_| "".into()), self.show_done(made).await)
    }

    async fn reschedule(
        &mut self,
        name: &str,
        key: &str,
        span: &str,
        notice: Option<Notice>,
    ) -> String {
        let (port, account) = (self.side.port.clone(), self.side.account.clone());
        let (id, span) = (self.id(name), times(span));
        let moved = port.reschedule(&account, &id, span, notice.as_ref(), key);
        let moved = moved.await;
        self.show_done(moved).await
    }

    async fn cancel(&mut self, name: &str, key: &str, notify: bool) -> String {
        let (port, account) = (&self.side.port, &self.side.account);
        let id = self.id(name);
        match port.cancel(account, &id, notify, key).await {
            Ok(true) => {
                assert_eq!(self.event(&id).await, None);
                "cancelled".into()
            }
            Ok(false) => "none".into(),
            Err(error) => error_word(error),
        }
    }

    /// Creates a series that crosses a clock change. Returns the number of occurrences before September.
    pub(super) async fn repeats(&mut self, rule: &str, key: &str) -> String {
        let (port, account) = (self.side.port.clone(), self.side.account.clone());
        // A Tuesday; on 28 March clocks go forward.
        let first = span("2028-02-29T09:00:00", "2028-02-29T09:45:00");
        let until = span("2028-02-01T00:00:00", "2028-09-01T00:00:00");
        let new = NewEvent {
            span: first,
            repeat: Some(rule.parse().unwrap()),
            ..new_event(rule)
        };
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
        let expected = new.repeat.as_ref().unwrap().spans(first, zone);
        let expected = expected.take_while(|span| span.start < until.end);
        let expected = expected.map(|Span { start, end }| EventTime::Timed { start, end });
        let times: Vec<EventTime> = there.iter().map(|event| event.time).collect();
        assert_eq!(times, expected.collect::<Vec<_>>());
        times.len().to_string()
    }
}
