//! The calls of the texts beside this file: one person's folder, read and changed by programs and by the ports.

mod calendar;
mod documents;
mod mail;
mod smtp;

use crate::support::{Folder, ana};

use alfred_core::id::MailId;
use alfred_core::ports::{AccountError, Mailbox, Unreadable};
use alfred_testkit::conformance::calendar::CalendarCalls;
use alfred_testkit::conformance::{self, show_error};
use alfred_testkit::play::{Interpreter, assert_played};
use alfred_testkit::smtp_server::Server;
use async_trait::async_trait;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use jiff::Timestamp;
use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::Sender;

#[derive(Clone)]
struct World {
    folder: Folder,
    server: Arc<Server>,
    /// Ends the slowness of the server.
    go_on: Option<Sender<()>>,
    span: String,
    calendar: String,
    head: String,
    also: String,
    calls: Arc<CalendarCalls>,
    /// Mails that were shown; their numbers begin with 1.
    mails: Vec<MailId>,
}

impl World {
    fn new() -> Self {
        Self {
            folder: Folder::new(),
            server: Arc::new(Server::start()),
            go_on: None,
            span: "11-01T00:00/12-01T00:00".into(),
            calendar: "calendar.ics".into(),
            head: String::new(),
            also: String::new(),
            calls: Arc::new(CalendarCalls::new(ana())),
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
                let at = Timestamp::from_second(second.parse().unwrap());
                folder.set_modified(path, at.unwrap());
            }
            ["reopen"] => folder.reopen(),
            ["span", text] => self.span = text.into(),
            ["calendar", path] => self.calendar = path.into(),
            ["head", ref lines @ ..] => self.head = lines.join("\n") + "\n",
            ["also", ref lines @ ..] => self.also += &calendar::component(lines),
            _ => {
                // `read` is of mails.
                if let Some(shown) = self.mail(words).await? {
                    return Ok(shown);
                }
                if let Some(shown) = self.calendar(words).await? {
                    return Ok(shown);
                }
                return match self.smtp(words).await {
                    None => self.document(words).await,
                    Some(shown) => Ok(shown),
                };
            }
        }
        Ok(String::new())
    }

    async fn shown(&mut self, words: &[&str]) -> String {
        self.call(words).await.unwrap_or_else(show_error)
    }
}

struct Player {
    world: World,
    /// Calls that are under way, by name.
    begun: HashMap<String, BoxFuture<'static, String>>,
}

#[async_trait]
impl Interpreter for Player {
    async fn perform(&mut self, command: &str) -> String {
        let words = conformance::words(command);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut lines = Vec::new();
        for call in words.split(|word| *word == ";") {
            lines.push(match *call {
                ["begin", name, ref call @ ..] => {
                    self.begin(name, call);
                    String::new()
                }
                ["end", name] => self.begun.remove(name).unwrap().await,
                ["drop", name] => {
                    drop(self.begun.remove(name).unwrap());
                    String::new()
                }
                _ => self.world.shown(call).await,
            });
        }
        lines.retain(|line| !line.is_empty());
        lines.join("\n")
    }
}

impl Player {
    fn begin(&mut self, name: &str, call: &[&str]) {
        let mut world = self.world.clone();
        let call: Vec<String> = call.iter().map(|&word| word.to_owned()).collect();
        let mut begun = async move {
            let words: Vec<&str> = call.iter().map(String::as_str).collect();
            world.shown(&words).await
        }
        .boxed();
        assert!(begun.as_mut().now_or_never().is_none());
        self.begun.insert(name.into(), begun);
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

fn names(path: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(path) else {
        return vec!["none".into()];
    };
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

/// The number of an id. A new one gets the next number.
fn number<I: Clone + PartialEq>(known: &mut Vec<I>, id: &I) -> usize {
    let at = known.iter().position(|one| one == id);
    let at = at.unwrap_or_else(|| {
        known.push(id.clone());
        known.len() - 1
    });
    at + 1
}

fn numbered<I: Clone>(known: &[I], number: &str) -> I {
    known[number.parse::<usize>().unwrap() - 1].clone()
}

fn mailbox(role: &str, mailbox: &Mailbox) -> String {
    format!("{role} {} <{}>", mailbox.name, mailbox.address)
}

/// The names of the flags that are set.
fn which(flags: &[(bool, &'static str)]) -> impl Iterator<Item = &'static str> {
    let set = flags.iter().filter(|(is_set, _)| *is_set);
    set.map(|(_, flag)| *flag)
}

fn reasons(unreadable: &[Unreadable]) -> impl Iterator<Item = String> {
    let lines = unreadable.iter();
    lines.map(|one| format!("{}: {}", one.name, one.reason))
}

async fn played(name: &str) {
    let open = async || Player {
        world: World::new(),
        begun: HashMap::new(),
    };
    let path = format!("{}/tests/it/folder/{name}", env!("CARGO_MANIFEST_DIR"));
    assert_played(&path, open).await;
}

#[tokio::test]
async fn calendars() {
    played("calendars.txt").await;
}

#[tokio::test]
async fn mails() {
    played("mails.txt").await;
}

#[tokio::test]
async fn documents() {
    played("documents.txt").await;
}

#[tokio::test]
async fn notices() {
    played("notices.txt").await;
}

#[tokio::test]
async fn sending() {
    played("sending.txt").await;
}
