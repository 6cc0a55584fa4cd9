//! A sample workspace: mail, calendars and documents of the local Slack's people. Dates are relative to the
//! day it is created.

use jiff::ToSpan;
use jiff::civil::{Date, Time, Weekday};
use jiff::tz::TimeZone;
use rust_embed::RustEmbed;
use std::fs;
use std::io;
use std::path::Path;

/// `HANDLE/mail/…` are mails, `HANDLE/documents/…` documents and sheets, `calendars/ADDRESS.ics` is the
/// calendar of that address.
#[derive(RustEmbed)]
#[folder = "sample"]
#[include = "*.eml"]
#[include = "*.ics"]
#[include = "*.md"]
#[include = "*.csv"]
struct Files;

#[derive(Clone, Copy, Debug)]
pub struct Sample;

impl Sample {
    /// Handles, which name the folders, and addresses.
    pub const PEOPLE: [(&'static str, &'static str); 3] = [
        ("ana", "ana@example.com"),
        ("ben", "ben@example.com"),
        ("chiyo", "chiyo@example.com"),
    ];

    /// Creates the sample atomically. False if something exists at the path. Everybody can see all calendars.
    pub fn lay(folder: &Path, today: Date) -> io::Result<bool> {
        if folder.try_exists()? {
            return Ok(false);
        }
        let above = folder.parent().ok_or(io::ErrorKind::InvalidInput)?;
        fs::create_dir_all(above)?;
        let mut settings = tempfile::Builder::new();
        let new = settings.prefix(".workspace-").tempdir_in(above)?;
        for path in Files::iter() {
            for place in places(&path) {
                let place = new.path().join(place);
                fs::create_dir_all(place.parent().ok_or(io::ErrorKind::InvalidInput)?)?;
                fs::write(place, text(&path, today)?)?;
            }
        }
        fs::rename(new.keep(), folder)?;
        Ok(true)
    }
}

fn places(path: &str) -> Vec<String> {
    let calendar = path.strip_prefix("calendars/");
    let Some(address) = calendar.and_then(|name| name.strip_suffix(".ics")) else {
        return vec![path.to_owned()];
    };
    let people = Sample::PEOPLE.iter();
    people
        .map(|(handle, own)| {
            if *own == address {
                format!("{handle}/calendar.ics")
            } else {
                format!("{handle}/people/{address}.ics")
            }
        })
        .collect()
}

/// The text with its dates filled in, and CRLF line ends for mail and calendars.
fn text(path: &str, today: Date) -> io::Result<String> {
    let wrong = || io::Error::other(format!("the sample's {path} is damaged"));
    let file = Files::get(path).ok_or_else(wrong)?;
    let template = std::str::from_utf8(&file.data).map_err(|_| wrong())?;
    let mut parts = template.split("{{");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (said, after) = part.split_once("}}").ok_or_else(wrong)?;
        text.push_str(&date(said, today).ok_or_else(wrong)?);
        text.push_str(after);
    }
    let text = text.replace("\r\n", "\n");
    let is_document = path.contains("/documents/");
    Ok(text.replace('\n', if is_document { "\n" } else { "\r\n" }))
}

/// `mail -2 09:14` is a mail date two days ago (UTC), `day +3` a date in words, `ics week+8` iCalendar
/// digits. `week` is the Monday of this week.
fn date(said: &str, today: Date) -> Option<String> {
    let mut words = said.split(' ');
    let (kind, day) = (words.next()?, words.next()?);
    let mut days: i64 = day.trim_start_matches("week").parse().ok()?;
    if day.starts_with("week") {
        days -= i64::from(today.weekday().since(Weekday::Monday));
    }
    let day = today.checked_add(days.days()).ok()?;
    match (kind, words.next()) {
        ("mail", Some(time)) => {
            let time = Time::strptime("%H:%M", time).ok()?;
            let at = day.to_datetime(time).to_zoned(TimeZone::UTC).ok()?;
            Some(at.strftime("%a, %d %b %Y %H:%M:%S +0000").to_string())
        }
        ("day", None) => Some(day.strftime("%A %-d %B").to_string()),
        ("ics", None) => Some(day.strftime("%Y%m%d").to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_given_from_the_day() {
        let today = "2026-11-21".parse().unwrap();
        let cases = [
            ("mail -2 09:14", "Thu, 19 Nov 2026 09:14:00 +0000"),
            ("day +3", "Tuesday 24 November"),
            ("ics week+8", "20261124"),
            ("ics week-28", "20261019"),
        ];
        for (said, expected) in cases {
            assert_eq!(date(said, today).as_deref(), Some(expected), "{said}");
        }
        assert_eq!(date("mail -2", today), None);
    }

    #[test]
    fn it_is_laid_once() {
        let above = tempfile::tempdir().unwrap();
        let folder = above.path().join("data/workspace");
        let today = "2026-11-21".parse().unwrap();
        assert!(Sample::lay(&folder, today).unwrap());
        fs::remove_file(folder.join("ana/calendar.ics")).unwrap();
        assert!(!Sample::lay(&folder, today).unwrap());
        assert!(!folder.join("ana/calendar.ics").exists());
        assert!(folder.join("ben/people/ana@example.com.ics").exists());
        assert_eq!(fs::read_dir(above.path().join("data")).unwrap().count(), 1);
    }
}
