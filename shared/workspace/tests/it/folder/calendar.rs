//! The calls about calendars.

use super::{World, bytes, reasons};
use crate::support::{ana, span};

use alfred_core::id::EventId;
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
            ["span", text] => {
                self.span = times(text);
                String::new()
            }
            ["calendar", path] => {
                self.calendar = path.into();
                String::new()
            }
            ["head", ref lines @ ..] => {
                self.head = lines.join("\n") + "\n";
                String::new()
            }
            ["also", ref lines @ ..] => {
                self.also += &component(lines);
                String::new()
            }
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
                let made = port.create(&ana, &new, key).await?;
                self.event(&made)
            }
            ["move", number, time, key, ref note @ ..] => {
                let notice = note.first().map(|&note| Notice { note: note.into() });
                let id = self.id(number);
                let moved = port.reschedule(&ana, &id, times(time), notice.as_ref(), key);
                let moved = moved.await?;
                self.event(&moved)
            }
            ["cancel", number, key, ref notify @ ..] => {
                let id = self.id(number);
                let cancelled = port.cancel(&ana, &id, notify == ["notify"], key).await?;
                cancelled.to_string()
            }
            ["answer", number, key, note] => {
                let id = self.id(number);
                let no = Response {
                    attendance: Attendance::Declined,
                    note: note.into(),
                };
                let answered = port.respond(&ana, &id, &no, key).await?;
                self.event(&answered)
            }
            ["made?", key] => self.found(port.find_created(&ana, key).await?),
            ["moved?", number, time, key] => {
                let id = self.id(number);
                self.found(port.find_moved(&ana, &id, times(time), key).await?)
            }
            ["cancelled?", number, key] => {
                let id = self.id(number);
                self.found(port.find_cancelled(&ana, &id, key).await?)
            }
            ["answered?", number, key] => {
                let (id, no) = (self.id(number), Attendance::Declined);
                self.found(port.find_responded(&ana, &id, no, key).await?)
            }
            ["busy", ref addresses @ ..] => {
                let addresses: Vec<String> = addresses.iter().map(|&one| one.into()).collect();
                let seen = port.availability(&ana, &addresses, self.span).await?;
                let lines: Vec<String> = seen.iter().map(availability).collect();
                lines.join("\n")
            }
            _ => return Ok(None),
        };
        Ok(Some(shown))
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

    fn id(&self, number: &str) -> EventId {
        let number: usize = number.parse().unwrap();
        self.events[number - 1].id.clone()
    }

    fn found(&mut self, found: Option<Event>) -> String {
        found.map_or("none".into(), |event| self.event(&event))
    }

    /// An event with its number. An event that is new gets the next number.
    fn event(&mut self, event: &Event) -> String {
        let known = self.events.iter().position(|known| known.id == event.id);
        let at = known.unwrap_or_else(|| {
            self.events.push(event.clone());
            self.events.len() - 1
        });
        let time = match event.time {
            EventTime::Timed { start, end } => format!("{start}/{end}"),
            EventTime::AllDay { first, last } => format!("{first}/{last}"),
        };
        let mut shown = format!("{} {} {time} {:?}", at + 1, event.title, event.attendance);
        let flags = [
            (event.series.is_some(), " series"),
            (event.own, " own"),
            (event.busy, " busy"),
        ];
        let flags = flags.iter().filter(|(is_set, _)| *is_set);
        shown.extend(flags.map(|(_, flag)| *flag));
        if let Some(by) = &event.organizer {
            shown += &format!(" by {} <{}>", by.name, by.address);
        }
        let others = event.attendees.iter().map(|other| &other.mailbox);
        shown.extend(others.map(|other| format!(" with {} <{}>", other.name, other.address)));
        shown
    }
}

/// A component. Without a `UID` among its lines it has the one that most events of the texts have.
fn component(lines: &[&str]) -> String {
    let lines = lines.join("\n");
    let head = if lines.contains("UID:") {
        ""
    } else {
        "UID:u\nSUMMARY:s\n"
    };
    format!("BEGIN:VEVENT\n{head}{lines}\nEND:VEVENT\n")
}

fn times(text: &str) -> Span {
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
