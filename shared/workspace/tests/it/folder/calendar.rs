//! The calls about calendars, beside those of every calendar.

use super::{World, bytes, reasons};

use alfred_core::ports::{AccountError, EventPage, EventTime};
use alfred_testkit::conformance::calendar::times;
use std::time::Instant;

/// More events than these are counted only.
const MANY: usize = 20;

impl World {
    /// `None` if the call isn't one about calendars.
    pub(super) async fn calendar(&self, words: &[&str]) -> Result<Option<String>, AccountError> {
        Ok(Some(match *words {
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
                let port = &self.folder.workspace;
                return self.calls.call(port, &["within", &self.span]).await;
            }
            _ => return self.calls.call(&self.folder.workspace, words).await,
        }))
    }

    /// When the events of the span are, and what can't be read.
    async fn starts(&self) -> String {
        let began = Instant::now();
        let EventPage { events, unreadable } = self.folder.events(times(&self.span)).await;
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
}

/// A component. Without a `UID` among its lines it has the one that most events of the texts have.
pub(super) fn component(lines: &[&str]) -> String {
    let lines = lines.join("\n");
    let is_whole = lines.contains("UID:");
    let head = if is_whole { "" } else { "UID:u\nSUMMARY:s\n" };
    format!("BEGIN:VEVENT\n{head}{lines}\nEND:VEVENT\n")
}
