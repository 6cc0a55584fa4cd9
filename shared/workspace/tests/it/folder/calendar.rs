//! The calls about calendars.

use super::{World, bytes, mailbox, number, numbered, reasons, which};
use crate::support::{ana, span};

use alfred_core::ports::{
    AccountError, Attendance, Availability, Calendar, Event, EventPage, EventTime, Mailbox,
    NewEvent, Notice, Response, Span,
};
use std::time::Instant;

/// More events than these are counted only.
const MANY: usize = 20;

impl World {
    /// `None` if the call isn't one about calendars.
    pub(super) async fn calendar(
        &mut self,
        words: &[&str],
    ) -> Result<Option<String>, AccountError> {
        let (port, ana) = (self.folder.workspace.clone(), ana());
        let shown = match *words {
            ["event", ref lines @ ..] => {
                let text = format!(
                    "BEGIN:VCALENDAR\nVERSION:2.0\n{}{}{}END:VCALENDAR\n",
                    self.head,
                    self.also,
                    component(lines)
                );
                self.folder.put(&self.calendar, bytes(&text));
                self.starts().await
            }
            ["starts"] => self.starts().await,
            ["list"] => {
                let page = self.folder.events(self.span).await;
                let lines = page.events.iter().map(|event| self.event(event));
                let lines: Vec<String> = lines.collect();
                lines.join("\n")
            }
            ["cancel", number, key, ref notify @ ..] => {
                let (id, notify) = (numbered(&self.events, number), notify == ["notify"]);
                let cancelled = port.cancel(&ana, &id, notify, key).await?;
                cancelled.to_string()
            }
            ["busy", ref addresses @ ..] => {
                let addresses: Vec<String> = addresses.iter().map(|&one| one.into()).collect();
                let seen = port.availability(&ana, &addresses, self.span).await?;
                let lines: Vec<String> = seen.iter().map(availability).collect();
                lines.join("\n")
            }
            _ => match self.changed(words).await? {
                None => return Ok(None),
                Some(None) => "none".into(),
                Some(Some(event)) => self.event(&event),
            },
        };
        Ok(Some(shown))
    }

    /// The event that a change or a look-up returns. `None` if the call is neither.
    async fn changed(&self, words: &[&str]) -> Result<Option<Option<Event>>, AccountError> {
        let (port, ana) = (&self.folder.workspace, ana());
        let id = |number| numbered(&self.events, number);
        let declined = Attendance::Declined;
        let found = match *words {
            ["make", key, title, time, zone, ref guest @ ..] => {
                let (attendees, description) = match *guest {
                    [name, address, text] => (vec![Mailbox::new(name, address)], text),
                    _ => (Vec::new(), ""),
                };
                let new = NewEvent {
                    title: title.into(),
                    span: times(time),
                    time_zone: zone.into(),
                    description: description.into(),
                    attendees,
                    repeat: None,
                    video_call: false,
                };
                Some(port.create(&ana, &new, key).await?)
            }
            ["move", number, time, key, ref note @ ..] => {
                let notice = note.first().map(|&note| Notice { note: note.into() });
                let (id, time) = (id(number), times(time));
                let moved = port.reschedule(&ana, &id, time, notice.as_ref(), key);
                Some(moved.await?)
            }
            ["answer", number, key, note] => {
                let no = Response {
                    attendance: declined,
                    note: note.into(),
                };
                Some(port.respond(&ana, &id(number), &no, key).await?)
            }
            ["made?", key] => port.find_created(&ana, key).await?,
            ["moved?", number, time, key] => {
                let (id, time) = (id(number), times(time));
                port.find_moved(&ana, &id, time, key).await?
            }
            ["cancelled?", number, key] => port.find_cancelled(&ana, &id(number), key).await?,
            ["answered?", number, key] => {
                let id = id(number);
                port.find_responded(&ana, &id, declined, key).await?
            }
            _ => return Ok(None),
        };
        Ok(Some(found))
    }

    /// When the events of the span are, and what can't be read.
    async fn starts(&self) -> String {
        let began = Instant::now();
        let EventPage { events, unreadable } = self.folder.events(self.span).await;
        assert!(began.elapsed().as_secs() < 60, "took {:?}", began.elapsed());
        let starts = if events.len() > MANY {
            format!("{} events", events.len())
        } else {
            let starts = events.iter().map(|event| match event.time {
                EventTime::Timed { start, .. } => start.to_string(),
                EventTime::AllDay { first, last } => format!("{first}/{last}"),
            });
            starts.collect::<Vec<_>>().join(" ")
        };
        let lines = [starts].into_iter().chain(reasons(&unreadable));
        let lines: Vec<String> = lines.filter(|line| !line.is_empty()).collect();
        lines.join("\n")
    }

    /// An event with its number.
    fn event(&mut self, event: &Event) -> String {
        let number = number(&mut self.events, &event.id);
        let time = match event.time {
            EventTime::Timed { start, end } => format!("{start}/{end}"),
            EventTime::AllDay { first, last } => format!("{first}/{last}"),
        };
        let mut shown = format!("{number} {} {time} {:?}", event.title, event.attendance);
        shown.extend(which(&[
            (event.series.is_some(), " series"),
            (event.own, " own"),
            (event.busy, " busy"),
        ]));
        shown.extend(event.organizer.iter().map(|by| mailbox(" by", by)));
        let others = event.attendees.iter();
        shown.extend(others.map(|other| mailbox(" with", &other.mailbox)));
        shown
    }
}

/// A component. Without a `UID` among its lines it has the one that most events of the texts have.
pub(super) fn component(lines: &[&str]) -> String {
    let lines = lines.join("\n");
    let head = if lines.contains("UID:") {
        ""
    } else {
        "UID:u\nSUMMARY:s\n"
    };
    format!("BEGIN:VEVENT\n{head}{lines}\nEND:VEVENT\n")
}

pub(super) fn times(text: &str) -> Span {
    let (start, end) = text.split_once('/').unwrap();
    span(start, end)
}

fn availability(seen: &Availability) -> String {
    match seen {
        Availability::Hidden => "hidden".into(),
        Availability::Busy(spans) => {
            let spans = spans.iter().map(|one| format!("{}/{}", one.start, one.end));
            format!("busy {}", spans.collect::<Vec<_>>().join(" "))
        }
    }
}
