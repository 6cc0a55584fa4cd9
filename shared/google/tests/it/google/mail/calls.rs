//! Plays `gmail.txt`. A command holds calls, separated by `; `. `a & b` makes both at once. `a while METHOD waits: b`
//! makes `b` while Google holds that method of `a`.

use alfred_core::id::MailId;
use alfred_core::ports::{
    AccountError, DraftRef, Mail, MailQuery, MailStatus, MailSummary, OutgoingFile, OutgoingMail,
    SentMail,
};
use alfred_google::Google;
use alfred_testkit::play::{Interpreter, assert_reviewed, play};
use async_trait::async_trait;
use futures_util::future::join_all;
use jiff::Timestamp;
use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::Duration;

use super::once::answer;
use super::plain;
use crate::google::support::{World, account, error_word, fault};

const UNREAD: &str = "INBOX UNREAD";

#[tokio::test]
async fn gmail_does_what_the_text_says() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/it/google/mail/gmail.txt"
    );
    let text = include_str!("gmail.txt");
    let open = async || Played {
        world: World::new().await,
        mails: Mutex::default(),
        receipts: Mutex::default(),
    };
    assert_reviewed(path, text, &play(text, open).await);
}

struct Played {
    world: World,
    /// Subjects and ids in the order of arrival.
    mails: Mutex<Vec<(String, MailId)>>,
    receipts: Mutex<Vec<SentMail>>,
}

#[async_trait]
impl Interpreter for Played {
    async fn perform(&mut self, command: &str) -> String {
        let calls = async |calls: String| self.calls(&calls).await;
        self.world
            .concurrently(command, "gmail.users.", calls)
            .await
    }
}

impl Played {
    async fn calls(&self, calls: &str) -> String {
        let mut shown = Vec::new();
        for call in calls.split("; ") {
            shown.extend(join_all(call.split(" & ").map(|call| self.call(call))).await);
        }
        shown.retain(|line| !line.is_empty());
        shown.join("\n")
    }

    async fn call(&self, call: &str) -> String {
        let words: Vec<&str> = call.split(' ').collect();
        let done = match *words {
            ["other", ref call @ ..] => self.port(&self.world.another_process(), call).await,
            ["with", scope, "alone", ref call @ ..] => {
                let narrow = self.world.consented_to(&[scope]);
                self.port(&narrow, call).await
            }
            ref call => self.port(&self.world.google, call).await,
        };
        done.unwrap_or_else(error_word)
    }

    /// Makes a call of the port.
    async fn port(&self, google: &Google, call: &[&str]) -> Result<String, AccountError> {
        let of = &account();
        Ok(match *call {
            ["list", ref words @ ..] => {
                let mails = google.list(of, &query(words)).await?.mails;
                grouped(mails.iter().map(shown))
            }
            ["pages", ref words @ ..] => self.pages(google, words).await?,
            ["states", which] => {
                let mails = google.summaries(of, &self.some(which)).await?;
                grouped(
                    mails
                        .into_iter()
                        .map(|mail| before(mail.map(|mail| mail.status))),
                )
            }
            ["read", subject] => {
                let read = google.read(of, &self.some(subject)[0]).await?.unwrap();
                format!("{}, truncated: {}", shown(&read.summary), read.truncated)
            }
            ["set", which, to] => {
                let ids = self.some(which);
                let set = google.set_statuses(of, &ids, state(to)).await?;
                grouped(
                    set.into_iter()
                        .map(|set| set.map_or_else(error_word, before)),
                )
            }
            ["send", key, ref bytes @ ..] => {
                let files = bytes.iter().map(|bytes| OutgoingFile {
                    name: "film.mp4".into(),
                    content_type: "video/mp4".into(),
                    content: vec![7; bytes.parse().unwrap()],
                });
                let mail = OutgoingMail {
                    files: files.collect(),
                    ..answer()
                };
                self.receipt(google.send(of, &mail, key).await?)
            }
            ["sent?", key] => self.receipt(google.find_sent(of, key).await?.unwrap()),
            ["file"] => {
                let file = google.attachment(of, &self.some("SENT")[0], 0).await?;
                let file = file.unwrap();
                format!("{} times {:?}", file.len(), BTreeSet::from_iter(file))
            }
            ["keep", key] => {
                let kept = google.save_draft(of, &answer(), key).await?;
                format!("{} {}", kept.id, kept.version)
            }
            ["discard", id, version] => {
                let (id, version) = (id.to_owned(), version.to_owned());
                let draft = DraftRef { id, version };
                format!("{:?}", google.discard_draft(of, &draft).await?)
            }
            _ => self.at_google(call),
        })
    }

    /// Changes something at Google, or looks at it.
    fn at_google(&self, call: &[&str]) -> String {
        let world = &self.world;
        match *call {
            ["arrive", number, "mails"] => {
                let number: usize = number.parse().unwrap();
                (0..number).for_each(|n| self.arrive(&n.to_string(), UNREAD, n as f64 / 4.0, 0));
            }
            ["arrive", subject, "at", second] => {
                self.arrive(subject, UNREAD, second.parse().unwrap(), 0);
            }
            ["arrive", subject, "of", bytes, "bytes"] => {
                self.arrive(subject, UNREAD, 0.0, bytes.parse().unwrap());
            }
            ["arrive", subject, ref labels @ ..] => self.arrive(subject, &labels.join(" "), 0.0, 0),
            ["mark", subject, change] => {
                let id = &self.some(subject)[0];
                let (sign, label) = change.split_at(1);
                let [add, remove]: [&[&str]; 2] = match sign {
                    "+" => [&[label], &[]],
                    _ => [&[], &[label]],
                };
                world.mailbox(|mailbox| mailbox.relabel(id.as_str(), add, remove));
            }
            ["delete", which] => {
                let id = &self.some(which)[0];
                world.mailbox(|mailbox| mailbox.delete(id.as_str()));
            }
            ["forget", "history"] => world.mailbox(|mailbox| mailbox.forget_history()),
            ["replace", "Message-IDs"] => {
                world.mailbox(|mailbox| mailbox.replaces_message_id = true);
            }
            ["fail", methods, times, ref words @ ..] => {
                for method in methods.split(',') {
                    let method = format!("gmail.users.{method}").replace("gmail.users.*", "*");
                    let times = times.parse().unwrap();
                    world.local().fail_next(&method, times, fault(words));
                }
            }
            ["wait", seconds] => self.wait(seconds.parse().unwrap()),
            ["calls", method] => return world.calls(&format!("gmail.users.{method}")).to_string(),
            ["units"] => return world.local().units()["gmail"].to_string(),
            ["count", label] => return world.with_label(label).len().to_string(),
            ["labels", subject] => {
                let labels =
                    world.mailbox(|mailbox| mailbox.labels_of(self.some(subject)[0].as_str()));
                return Vec::from_iter(labels.unwrap()).join(" ");
            }
            _ => panic!("no call {call:?}"),
        }
        String::new()
    }

    fn arrive(&self, subject: &str, labels: &str, second: f64, bytes: usize) {
        let mut raw = plain(subject);
        if bytes > 0 {
            raw.splice(0..0, *b"Content-Type: application/octet-stream\r\n");
            raw.resize(bytes, b'x');
        }
        let labels: Vec<&str> = labels.split(' ').collect();
        let id = self
            .world
            .mailbox(|mailbox| mailbox.deliver(&raw, &labels, at(second)));
        self.mails.lock().unwrap().push((subject.into(), id.into()));
    }

    /// All mails, the newest 500, those with a label, or the one of a subject.
    fn some(&self, which: &str) -> Vec<MailId> {
        let mails = self.mails.lock().unwrap();
        let ids = mails.iter().map(|(_, id)| id.clone());
        match which {
            "all" => ids.collect(),
            "newest" => ids.skip(mails.len() - 500).collect(),
            which => match mails.iter().find(|(subject, _)| subject == which) {
                Some((_, id)) => vec![id.clone()],
                None => self
                    .world
                    .with_label(which)
                    .into_iter()
                    .map(MailId::from)
                    .collect(),
            },
        }
    }

    fn receipt(&self, sent: SentMail) -> String {
        let mut receipts = self.receipts.lock().unwrap();
        if !receipts.contains(&sent) {
            receipts.push(sent.clone());
        }
        let at = receipts.iter().position(|known| *known == sent);
        format!("receipt {}", at.unwrap() + 1)
    }

    /// Page after page, each in another minute. `first=N` ends after N mails. If it is `disturbed`, a mail arrives and
    /// one is archived after each page.
    async fn pages(&self, google: &Google, words: &[&str]) -> Result<String, AccountError> {
        let first = words.iter().find_map(|word| word.strip_prefix("first="));
        let first: usize = first.map_or(usize::MAX, |first| first.parse().unwrap());
        let (mut query, mut pages, mut seen) = (query(words), 0, Vec::new());
        loop {
            query.limit = query.limit.min(first - seen.len());
            let page = google.list(&account(), &query).await?;
            pages += 1;
            assert!(pages < 9, "the pages don't end");
            seen.extend(page.mails);
            self.wait(60);
            query.cursor = page.next;
            if query.cursor.is_none() || seen.len() == first {
                let total = page.total.number();
                return Ok(format!("{pages} pages of {total}: {}", run(&seen)));
            }
            if words.contains(&"disturbed") {
                self.arrive("late", UNREAD, 3_600.0, 0);
                let last = &seen.last().unwrap().id;
                google
                    .set_status(&account(), last, MailStatus::Archived)
                    .await?;
                self.wait(60);
            }
        }
    }

    fn wait(&self, seconds: u64) {
        self.world.clock.advance(Duration::from_secs(seconds));
    }
}

/// Seconds after eight o'clock.
fn at(second: f64) -> Timestamp {
    let eight: Timestamp = "2026-11-20T08:00:00Z".parse().unwrap();
    eight + Duration::from_secs_f64(second)
}

fn query(words: &[&str]) -> MailQuery {
    let mut query = MailQuery {
        limit: 1_000,
        ..MailQuery::default()
    };
    for word in words {
        match word.split_once('=') {
            Some(("limit", number)) => query.limit = number.parse().unwrap(),
            Some(("status", word)) => query.status.push(state(word)),
            Some(("since", second)) => query.since = Some(at(second.parse().unwrap())),
            _ => {}
        }
    }
    query
}

fn state(word: &str) -> MailStatus {
    serde_json::from_value(word.into()).unwrap()
}

fn before(state: Option<MailStatus>) -> String {
    state.map_or("none".into(), |state| format!("{state:?}").to_lowercase())
}

fn shown(mail: &MailSummary) -> String {
    format!("{} {}", mail.subject, before(Some(mail.status)))
}

/// The subjects. Numbers that count down are shown as `9 to 0`.
fn run(mails: &[MailSummary]) -> String {
    let subjects: Vec<&str> = mails.iter().map(|mail| mail.subject.as_str()).collect();
    let number = |subject: &str| subject.parse::<u64>().ok();
    let counts_down = |pair: &[&str]| number(pair[0]) == Some(number(pair[1]).unwrap_or(9999) + 1);
    match subjects.as_slice() {
        [first, .., last] if subjects.windows(2).all(counts_down) => format!("{first} to {last}"),
        subjects => subjects.join(", "),
    }
}

/// Equal neighbours once, with their number.
fn grouped(words: impl Iterator<Item = String>) -> String {
    let words: Vec<String> = words.collect();
    let groups = words.chunk_by(|one, other| one == other);
    let groups: Vec<String> = groups
        .map(|group| match group {
            [one] => one.clone(),
            many => format!("{} ×{}", many[0], many.len()),
        })
        .collect();
    groups.join(", ")
}
