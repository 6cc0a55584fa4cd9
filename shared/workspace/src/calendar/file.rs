use crate::Result;
use alfred_core::ports::{Span, Unreadable};
use jiff::tz::TimeZone;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::series::{self, Series};
use super::source::Source;
use super::vevent::Vevent;
use super::zone::Zones;

/// One of the person's own calendars: path, display name, content.
pub(super) type Own = (PathBuf, String, Arc<Parsed>);

/// Which events are needed. A shelf may give more.
#[derive(Clone, Copy)]
pub(super) enum Wanted<'a> {
    /// Those that overlap the span.
    In(&'a Span),
    /// The event or series with this id.
    Event(&'a str),
    /// The same for one that Alfred made, so that the name of its place is known.
    Made(&'a str),
}

/// Storage of a person's calendars.
pub(super) trait Shelf: Send {
    /// The person's own calendars, the writable one first.
    fn own(&mut self, wanted: Wanted<'_>) -> Result<Vec<Own>>;

    /// The visible calendars of somebody else. `None` if there are none.
    fn others(&mut self, address: &str, span: &Span) -> Result<Option<Vec<Arc<Parsed>>>>;

    /// The path and display name for a new event of this `UID`.
    fn place_of(&self, uid: &str) -> (PathBuf, String);

    /// The content of a calendar, and its version. `None` if it doesn't exist.
    fn read(&mut self, path: &Path) -> Result<Option<(Vec<u8>, String)>>;

    /// Writes a calendar over this version. False if there is another by now.
    fn write(&mut self, path: &Path, version: Option<String>, text: String) -> Result<bool>;
}

pub(super) const EMPTY: &str =
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Alfred//Alfred//EN\r\nEND:VCALENDAR\r\n";

pub(super) struct Parsed {
    pub source: Option<Source>,
    pub series: Vec<Series>,
    pub unreadable: Vec<Unreadable>,
}

impl Parsed {
    pub fn find(&self, id: &str) -> Option<&Series> {
        self.series.iter().find(|series| series.has(id))
    }

    /// `name` is the file's name for messages.
    pub fn new(name: &str, bytes: Vec<u8>, floating: &TimeZone) -> Self {
        let text = String::from_utf8(bytes);
        let text =
            text.unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        let Some(source) = Source::parse(text) else {
            let reason = "The file isn't a calendar: it has no `BEGIN:VCALENDAR`.";
            return Self::unread(name, reason);
        };
        let zones = Zones::from_source(&source, floating);
        let (mut events, mut unreadable) = (Vec::new(), Vec::new());
        for (at, block) in source.blocks.iter().enumerate() {
            if block.name != "VEVENT" {
                continue;
            }
            match Vevent::read(&source, at, &zones) {
                Ok(event) => events.push(event),
                Err(reason) => {
                    let lines = source.lines_of(block).iter();
                    let mut named =
                        lines.filter(|line| matches!(line.name().as_str(), "SUMMARY" | "UID"));
                    let title = named.next().map_or("", |line| line.value());
                    unreadable.push(entry(name, title, reason));
                }
            }
        }
        Self {
            source: Some(source),
            series: series::grouped(events),
            unreadable,
        }
    }

    pub fn unread(name: &str, reason: impl Into<String>) -> Self {
        Self {
            source: None,
            series: Vec::new(),
            unreadable: vec![Unreadable {
                name: name.to_owned(),
                reason: reason.into(),
            }],
        }
    }
}

/// An entry that can't be read, with its file's name.
pub(super) fn entry(file: &str, title: &str, reason: String) -> Unreadable {
    let mut title = alfred_mime::clean::line(title);
    alfred_mime::clean::cut(&mut title, 200);
    let name = match title.as_str() {
        "" => file.to_owned(),
        title => format!("{file}: {title}"),
    };
    Unreadable { name, reason }
}
