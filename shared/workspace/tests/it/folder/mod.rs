//! The calls of the texts beside this file: one person's folder, read and changed by programs and by the ports.

mod calendar;
mod documents;
mod mail;

use crate::support::{Folder, span};

use alfred_core::id::MailId;
use alfred_core::ports::{AccountError, Event, Span, Unreadable};
use alfred_testkit::conformance;
use alfred_testkit::play::{Interpreter, assert_reviewed, play};
use async_trait::async_trait;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

struct World {
    folder: Folder,
    span: Span,
    /// The calendar file that `event` writes.
    calendar: String,
    head: String,
    also: String,
    /// Events that were shown; their numbers begin with 1.
    events: Vec<Event>,
    /// Mails that were shown; their numbers begin with 1.
    mails: Vec<MailId>,
}

impl World {
    fn new() -> Self {
        Self {
            folder: Folder::new(),
            span: span("2026-11-01T00:00:00Z", "2026-12-01T00:00:00Z"),
            calendar: "calendar.ics".into(),
            head: String::new(),
            also: String::new(),
            events: Vec::new(),
            mails: Vec::new(),
        }
    }

    async fn call(&mut self, words: &[&str]) -> Result<String, AccountError> {
        let folder = &mut self.folder;
        match *words {
            ["put", path, ref parts @ ..] => folder.put(path, bytes(&parts.concat())),
            ["text", path] => return Ok(text(&folder.path(path))),
            ["lines", path, start] => {
                let text = text(&folder.path(path));
                let lines = text.lines().filter(|line| line.starts_with(start));
                return Ok(lines.collect::<Vec<_>>().join("\n"));
            }
            ["replace", path, old, new] => {
                let text = folder.text(path);
                assert!(text.contains(old), "{text}");
                folder.put(path, text.replace(old, new));
            }
            ["files", path] => return Ok(names(&folder.path(path)).join("\n")),
            ["only", path] => {
                let folder = folder.path(path);
                let [name] = names(&folder).try_into().unwrap();
                return Ok(text(&folder.join::<String>(name)));
            }
            ["link", path, target] => symlink(folder.path(target), folder.path(path)).unwrap(),
            ["rename", from, to] => fs::rename(folder.path(from), folder.path(to)).unwrap(),
            ["remove", path] => fs::remove_file(folder.path(path)).unwrap(),
            ["modified", path, second] => {
                let at = UNIX_EPOCH + Duration::from_secs(second.parse().unwrap());
                let file = fs::File::options().append(true).open(folder.path(path));
                file.unwrap().set_modified(at).unwrap();
            }
            ["reopen"] => folder.reopen(),
            _ => {
                let shown = match self.calendar(words).await? {
                    None => self.mail(words).await?,
                    shown => shown,
                };
                return match shown {
                    None => self.document(words).await,
                    Some(shown) => Ok(shown),
                };
            }
        }
        Ok(String::new())
    }
}

#[async_trait]
impl Interpreter for World {
    async fn perform(&mut self, command: &str) -> String {
        let words = conformance::words(command);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match self.call(&words).await {
            Ok(shown) => shown,
            Err(AccountError::Refused { reason }) => format!("refused: {reason}"),
            Err(AccountError::Unknown { .. }) => "unknown".into(),
            Err(error) => panic!("{error}"),
        }
    }
}

/// The bytes of a word, in which `\xFF` is one byte.
fn bytes(word: &str) -> Vec<u8> {
    let mut parts = word.split("\\x");
    let mut bytes: Vec<u8> = parts.next().unwrap().into();
    for part in parts {
        bytes.push(u8::from_str_radix(&part[..2], 16).unwrap());
        bytes.extend_from_slice(&part.as_bytes()[2..]);
    }
    bytes
}

/// A file with its carriage returns and what is no UTF-8 as words have them.
fn text(path: &Path) -> String {
    let Ok(bytes) = fs::read(path) else {
        return "none".into();
    };
    let chunks = bytes.utf8_chunks().map(|chunk| {
        let invalid = chunk.invalid().iter().map(|byte| format!("\\x{byte:02X}"));
        chunk.valid().replace('\r', "\\r") + &invalid.collect::<String>()
    });
    chunks.collect()
}

/// The names in a folder; `none` without the folder.
fn names(path: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(path) else {
        return vec!["none".into()];
    };
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

fn reasons(unreadable: &[Unreadable]) -> impl Iterator<Item = String> {
    let lines = unreadable.iter();
    lines.map(|one| format!("{}: {}", one.name, one.reason))
}

async fn played(name: &str, reviewed: &str) {
    let now = play(reviewed, async || World::new()).await;
    let path = format!("{}/tests/it/folder/{name}", env!("CARGO_MANIFEST_DIR"));
    assert_reviewed(&path, reviewed, &now);
}

#[tokio::test]
async fn calendars() {
    played("calendars.txt", include_str!("calendars.txt")).await;
}

#[tokio::test]
async fn mails() {
    played("mails.txt", include_str!("mails.txt")).await;
}

#[tokio::test]
async fn documents() {
    played("documents.txt", include_str!("documents.txt")).await;
}
