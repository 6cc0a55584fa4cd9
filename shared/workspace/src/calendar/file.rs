//! A calendar's file: read once as long as it stays the same, and written so that what another program
//! wrote meanwhile isn't lost.

use alfred_core::ports::{AccountError, Unreadable};
use alfred_core::text;
use jiff::tz::TimeZone;
use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::series::{self, Series};
use super::source::Source;
use super::vevent::Vevent;
use super::zone::Zones;
use crate::folder;
use crate::person::{not_reached, unknown};

/// A larger file isn't read.
const LARGEST: u64 = 50 * 1_024 * 1_024;
/// How often a file may change under our hands.
const TRIES: usize = 5;
const EMPTY: &str =
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Alfred//Alfred//EN\r\nEND:VCALENDAR\r\n";

/// A file that was read.
pub(super) struct Parsed {
    pub source: Option<Source>,
    pub series: Vec<Series>,
    pub unreadable: Vec<Unreadable>,
}

/// Files by what was read of them.
#[derive(Default)]
pub(super) struct Files(HashMap<PathBuf, (Stamp, Arc<Parsed>)>);

type Stamp = (u64, SystemTime);

impl Parsed {
    /// `name` is how the person knows the file.
    pub fn new(name: &str, bytes: Vec<u8>, floating: &TimeZone) -> Self {
        let text = String::from_utf8(bytes);
        let text =
            text.unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        let Some(source) = Source::parse(text) else {
            return Self::unread(name, text::no_calendar_in_file());
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

    fn unread(name: &str, reason: String) -> Self {
        Self {
            source: None,
            series: Vec::new(),
            unreadable: vec![Unreadable {
                name: name.to_owned(),
                reason,
            }],
        }
    }
}

/// An entry of a file that can't be read.
pub(super) fn entry(file: &str, title: &str, reason: String) -> Unreadable {
    let mut title = alfred_mime::clean::line(title);
    alfred_mime::clean::cut(&mut title, 200);
    let name = match title.as_str() {
        "" => file.to_owned(),
        title => format!("{file}: {title}"),
    };
    Unreadable { name, reason }
}

impl Files {
    /// What is in a file now; `None` when there is none.
    pub fn read(
        &mut self,
        path: &Path,
        name: &str,
        floating: &TimeZone,
    ) -> io::Result<Option<Arc<Parsed>>> {
        // A link, which may lead out of the folder, is none.
        let found = folder::optional(fs::symlink_metadata(path))?.filter(fs::Metadata::is_file);
        let Some(found) = found else {
            self.0.remove(path);
            return Ok(None);
        };
        let stamp = (found.len(), found.modified()?);
        if let Some((known, parsed)) = self.0.get(path)
            && *known == stamp
        {
            return Ok(Some(parsed.clone()));
        }
        let parsed = Arc::new(match found.len() {
            0..=LARGEST => Parsed::new(name, fs::read(path)?, floating),
            _ => Parsed::unread(name, text::file_too_large()),
        });
        // Written within the tick of the clock in which it was read, it may change without a sign.
        if stamp.1.elapsed().is_ok_and(|age| age.as_millis() > 50) {
            self.0.insert(path.to_owned(), (stamp, parsed.clone()));
        }
        Ok(Some(parsed))
    }

    /// Writes what `change` makes of the file. When another program wrote it meanwhile, `change` sees what is there now.
    pub fn change<T>(
        &mut self,
        path: &Path,
        name: &str,
        floating: &TimeZone,
        mut change: impl FnMut(&Parsed, &Source) -> Result<(T, Option<String>), AccountError>,
    ) -> Result<T, AccountError> {
        for _ in 0..TRIES {
            let before = folder::optional(fs::read(path)).map_err(not_reached)?;
            let bytes = before.clone().unwrap_or_else(|| EMPTY.as_bytes().to_vec());
            if bytes.len() as u64 > LARGEST || std::str::from_utf8(&bytes).is_err() {
                return Err(AccountError::refused(text::calendar_not_written(name)));
            }
            let parsed = Parsed::new(name, bytes, floating);
            let Some(source) = &parsed.source else {
                return Err(AccountError::refused(text::calendar_not_written(name)));
            };
            let (result, new) = change(&parsed, source)?;
            let Some(new) = new else { return Ok(result) };
            if folder::optional(fs::read(path)).map_err(not_reached)? != before {
                continue;
            }
            folder::replace(path, new.as_bytes()).map_err(unknown)?;
            self.0.remove(path);
            return Ok(result);
        }
        Err(AccountError::NotReached {
            detail: format!("{name} keeps changing"),
            retry_after: None,
        })
    }
}
