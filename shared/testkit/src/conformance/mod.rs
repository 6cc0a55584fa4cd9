//! One suite for each port; every side passes the same one.
//!
//! A suite is a text of cases, as `play` reads it, with a function that plays it with a side:
//!
//! ```text
//! #[tokio::test]
//! async fn vault() {
//!     conformance::vault(async || Side::new(my_vault())).await;
//! }
//! ```
//!
//! The suites of mail, calendars, documents and sheets take an `AccountSide`. Each case gets a fresh side, and up to four
//! cases are played at once. A command holds calls, separated by `; `. A call is words; `«two words»` is one word, in it
//! `\n` and `\r` are line ends, and `«ab×3»` is `ababab`. `$` is a part of names that no other case has, so cases may
//! share one table. `ALFRED_CASE=word` plays the cases with this word alone.

use async_trait::async_trait;
use std::sync::Arc;

use crate::play::{Interpreter, cases, differences, play};

mod account;
mod files;
mod queue;
mod store;
mod stored;

pub mod calendar;
pub mod documents;
pub mod mail;
pub mod sheets;

pub use account::{AccountSide, Names, show_error};
pub use calendar::{calendar, calendar_losing_declined};
pub use documents::documents;
pub use files::{FilesUnderTest, files};
pub use mail::mail;
pub use queue::{Delivery, QueueUnderTest, queue};
pub use sheets::sheets;
pub use store::{StoreUnderTest, store};
pub use stored::{blobs, credentials, secrets, vault};

pub struct Side<P> {
    port: Arc<P>,
    keeps: Box<dyn Send + Sync>,
}

impl<P> Side<P> {
    pub fn new(port: P) -> Self {
        Self::with(port, ())
    }

    /// A port with the servers and folders that must live as long as the port.
    pub fn with(port: P, keeps: impl Send + Sync + 'static) -> Self {
        Self {
            port: Arc::new(port),
            keeps: Box::new(keeps),
        }
    }
}

#[async_trait]
trait Calls: Send {
    /// Makes a call and returns what it shows; nothing for a call that succeeds and returns nothing.
    async fn call(&mut self, words: &[&str]) -> String;
}

struct Case<C> {
    calls: C,
    /// Replaces `$`.
    unique: String,
}

#[async_trait]
impl<C: Calls> Interpreter for Case<C> {
    async fn perform(&mut self, command: &str) -> String {
        let mut lines = Vec::new();
        for call in command.split("; ") {
            let words = words(&call.replace('$', &self.unique));
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            lines.push(self.calls.call(&words).await);
        }
        lines.retain(|line| !line.is_empty());
        lines.join("\n").replace(&self.unique, "$")
    }
}

async fn pass<C: Calls>(name: &str, text: &str, open: impl AsyncFn() -> C) {
    let wanted = std::env::var("ALFRED_CASE").unwrap_or_default();
    let cases = cases(text).into_iter();
    let text: String = cases.filter(|case| case.contains(&wanted)).collect();
    assert!(!text.is_empty(), "{name}: no case contains {wanted:?}");
    let open = async || Case {
        calls: open().await,
        unique: unique(),
    };
    let now = play(&text, open).await;
    assert!(text == now, "{name}:\n{}", differences(&text, &now));
}

pub fn words(call: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = call;
    while !rest.is_empty() {
        let (word, after) = if let Some(quoted) = rest.strip_prefix('«') {
            let (word, after) = quoted.split_once('»').unwrap();
            (unquoted(word), after)
        } else {
            let (word, after) = rest.split_once(' ').unwrap_or((rest, ""));
            (word.to_owned(), after)
        };
        words.push(word);
        rest = after.trim_start();
    }
    words
}

fn unquoted(word: &str) -> String {
    let text = word.replace("\\n", "\n").replace("\\r", "\r");
    let text = text.replace("\\0", "\0");
    match text.rsplit_once('×') {
        Some((part, times)) => part.repeat(times.parse().unwrap()),
        None => text,
    }
}

fn quoted(text: &str) -> String {
    let repeats = |part: &&str| text.len() > 100 && part.repeat(text.len() / part.len()) == text;
    let mut parts = (1..=16).filter_map(|length| text.get(..length));
    if let Some(part) = parts.find(repeats) {
        return format!("«{part}×{}»", text.len() / part.len());
    }
    let plain = !text.is_empty() && !text.contains([' ', '\n', '\r']);
    if plain {
        return text.to_owned();
    }
    format!("«{}»", text.replace('\n', "\\n").replace('\r', "\\r"))
}

/// Joins results. Of equal neighbours it keeps one.
fn deduped(mut results: Vec<String>, separator: &str) -> String {
    results.dedup();
    results.join(separator)
}

/// `nothing` without words.
pub fn joined(words: impl IntoIterator<Item = String>, separator: &str) -> String {
    let words: Vec<String> = words.into_iter().collect();
    if words.is_empty() {
        return "nothing".into();
    }
    words.join(separator)
}

/// Every byte once, which is no text.
const ALL_BYTES: &str = "0..=255";

fn bytes(word: &str) -> Vec<u8> {
    if word == ALL_BYTES {
        (0..=255).collect()
    } else {
        word.into()
    }
}

fn shown(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => quoted(text),
        Err(_) if bytes.iter().copied().eq(0..=255) => ALL_BYTES.into(),
        Err(_) => format!("{bytes:?}"),
    }
}

/// A part of a name that no other run has.
pub fn unique() -> String {
    uuid::Uuid::now_v7().simple().to_string()
}
