//! The calls of `gmail.txt`.

use alfred_accounts::api::unsure;
use alfred_core::id::MailId;
use alfred_core::ports::{
    AccountError, DraftRef, Mail, MailQuery, MailStatus, MailSummary, OutgoingMail, SentMail,
};
use alfred_google::Google;
use alfred_testkit::conformance::mail::{draft, of_a_list, query, state};
use alfred_testkit::conformance::{Names, show_error};
use async_trait::async_trait;
use jiff::Timestamp;
use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::Duration;

use super::plain;
use crate::google::player::{Calls, Shown, plays, strs};
use crate::google::support::{World, account};

const UNREAD: &str = "INBOX UNREAD";

#[tokio::test]
async fn gmail_does_what_the_text_says() {
    plays("mail/gmail.txt", gmail).await;
}

pub fn gmail() -> Box<dyn Calls> {
    Box::new(Gmail::default())
}

#[derive(Default)]
struct Gmail {
    /// Subjects and ids in the order of arrival.
    mails: Mutex<Vec<(String, MailId)>>,
    receipts: Mutex<Names<SentMail>>,
}

#[async_trait]
impl Calls for Gmail {
    fn prefix(&self) -> &'static str {
        "gmail.users."
    }

    fn prepare(&self, _: &World) {}

    async fn port(&self, world: &World, google: &Google, words: &[&str]) -> Shown {
        let of = &account();
        Ok(Some(match *words {
            ["list", "page", server] => {
                let raw = of_a_list(&format!("{server}; "));
                let at = Timestamp::UNIX_EPOCH;
                let id = world.mailbox(|mailbox| mailbox.deliver(&raw, &["INBOX"], at));
                let read = google.read(of, &id.into()).await?.unwrap();
                format!("signed: {}", read.one_click.unwrap().signed)
            }
            ["list", ref words @ ..] => {
                let page = google.list(of, &query(words)).await?;
                lines(page.mails.iter().map(shown))
            }
            ["pages", how, ref words @ ..] => self.pages(world, google, how, query(words)).await?,
            ["states", which] => {
                let mails = google.summaries(of, &self.some(world, which)).await?;
                let states = mails.into_iter().map(|mail| mail.map(|mail| mail.status));
                lines(states.map(before))
            }
            ["read", subject] => {
                let id = &self.some(world, subject)[0];
                let read = google.read(of, id).await?.unwrap();
                format!("{}, truncated: {}", shown(&read.summary), read.truncated)
            }
            ["set", which, to] => {
                let ids = self.some(world, which);
                let set = google.set_statuses(of, &ids, state(to)).await?;
                let set = set.into_iter();
                lines(set.map(|set| set.map_or_else(show_error, before)))
            }
            _ => return self.outgoing(world, google, words).await,
        }))
    }

    fn inside(&self, world: &World, words: &[&str]) -> String {
        match *words {
            ["arrive", number, "mails"] => {
                let number: usize = number.parse().unwrap();
                for n in 0..number {
                    self.arrive(world, &n.to_string(), UNREAD, n as f64 / 4.0, 0);
                }
            }
            ["arrive", subject, "at", second] => {
                self.arrive(world, subject, UNREAD, second.parse().unwrap(), 0);
            }
            ["arrive", subject, "of", bytes, "bytes"] => {
                self.arrive(world, subject, UNREAD, 0.0, bytes.parse().unwrap());
            }
            ["arrive", subject, ref labels @ ..] => {
                self.arrive(world, subject, &labels.join(" "), 0.0, 0);
            }
            ["mark", subject, change] => {
                let id = &self.some(world, subject)[0];
                let (sign, label) = change.split_at(1);
                let [add, remove]: [&[&str]; 2] = match sign {
                    "+" => [&[label], &[]],
                    _ => [&[], &[label]],
                };
                world.mailbox(|mailbox| mailbox.relabel(id.as_str(), add, remove));
            }
            ["delete", which] => {
                let id = &self.some(world, which)[0];
                world.mailbox(|mailbox| mailbox.delete(id.as_str()));
            }
            ["forget", "history"] => world.mailbox(|mailbox| mailbox.forget_history()),
            ["replace", "Message-IDs"] => {
                world.mailbox(|mailbox| mailbox.replaces_message_id = true);
            }
            ["units"] => return world.local().units()["gmail"].to_string(),
            ["count", label] => return world.with_label(label).len().to_string(),
            ["kept?"] => return world.with_label("DRAFT").pop().unwrap_or("none".into()),
            ["labels", subject] => {
                let id = &self.some(world, subject)[0];
                let labels = world.mailbox(|mailbox| mailbox.labels_of(id.as_str()));
                return Vec::from_iter(labels.unwrap()).join(" ");
            }
            ["outbox"] => {
                let labels = ["SENT", "DRAFT"].into_iter();
                return lines(labels.flat_map(|label| outbox(world, label)));
            }
            _ => panic!("no call {words:?}"),
        }
        String::new()
    }
}

impl Gmail {
    /// Calls about mails and drafts that go out.
    async fn outgoing(&self, world: &World, google: &Google, words: &[&str]) -> Shown {
        let of = &account();
        Ok(Some(match *words {
            ["send", key, ref bytes @ ..] => {
                self.receipt(&google.send(of, &answer(bytes), key).await?)
            }
            ["sent?", key] => {
                let Some(sent) = google.find_sent(of, key).await? else {
                    return Ok(Some("none".into()));
                };
                assert_eq!(world.with_label("SENT"), [sent.id.to_string()]);
                let read = google.read(of, &sent.id).await?.unwrap();
                assert_eq!(read.message_id.as_ref(), Some(&sent.message_id));
                self.receipt(&sent)
            }
            ["file"] => {
                let id = &self.some(world, "SENT")[0];
                let file = google.attachment(of, id, 0).await?.unwrap();
                format!("{} times {:?}", file.len(), BTreeSet::from_iter(file))
            }
            ["keep", key] => {
                let kept = google.save_draft(of, &answer(&[]), key).await;
                // A failed attempt may leave a stray draft, which reaches nobody.
                let kept = kept.map_err(unsure)?;
                format!("{} {}", kept.id, kept.version)
            }
            ["discard", id, version] => {
                let (id, version) = (id.to_owned(), version.to_owned());
                let draft = DraftRef { id, version };
                format!("{:?}", google.discard_draft(of, &draft).await?)
            }
            _ => return Ok(None),
        }))
    }

    fn receipt(&self, sent: &SentMail) -> String {
        self.receipts.lock().unwrap().name(sent, "receipt")
    }

    fn arrive(&self, world: &World, subject: &str, labels: &str, second: f64, bytes: usize) {
        let mut raw = plain(subject);
        if bytes > 0 {
            raw.splice(0..0, *b"Content-Type: application/octet-stream\r\n");
            raw.resize(bytes, b'x');
        }
        let labels: Vec<&str> = labels.split(' ').collect();
        let id = world.mailbox(|mailbox| mailbox.deliver(&raw, &labels, at(second)));
        self.mails.lock().unwrap().push((subject.into(), id.into()));
    }

    /// All mails, the newest 500, those with a label, or the one of a subject.
    fn some(&self, world: &World, which: &str) -> Vec<MailId> {
        let mails = self.mails.lock().unwrap();
        let ids = mails.iter().map(|(_, id)| id.clone());
        match which {
            "all" => ids.collect(),
            "newest" => ids.skip(mails.len() - 500).collect(),
            which => match mails.iter().find(|(subject, _)| subject == which) {
                Some((_, id)) => vec![id.clone()],
                None => {
                    let ids = world.with_label(which).into_iter();
                    ids.map(MailId::from).collect()
                }
            },
        }
    }

    /// Page after page, each in another minute: all, or as many mails. `disturbed`, a mail arrives and one is archived
    /// after each page.
    async fn pages(
        &self,
        world: &World,
        google: &Google,
        how: &str,
        mut query: MailQuery,
    ) -> Result<String, AccountError> {
        let first = how.parse().unwrap_or(usize::MAX);
        let (mut pages, mut seen) = (0, Vec::new());
        loop {
            query.limit = query.limit.min(first - seen.len());
            let page = google.list(&account(), &query).await?;
            pages += 1;
            assert!(pages < 9, "the pages don't end");
            seen.extend(page.mails);
            world.clock.advance(Duration::from_secs(60));
            query.cursor = page.next;
            if query.cursor.is_none() || seen.len() == first {
                let total = page.total.number();
                return Ok(format!("{pages} pages of {total}: {}", run(&seen)));
            }
            if how == "disturbed" {
                self.arrive(world, "late", UNREAD, 3_600.0, 0);
                let last = &seen.last().unwrap().id;
                let archived = MailStatus::Archived;
                google.set_status(&account(), last, archived).await?;
                world.clock.advance(Duration::from_secs(60));
            }
        }
    }
}

/// Seconds after eight o'clock.
fn at(second: f64) -> Timestamp {
    let eight: Timestamp = "2026-11-20T08:00:00Z".parse().unwrap();
    eight + Duration::from_secs_f64(second)
}

/// An answer to "Lunch", with a file of this size if one is given.
fn answer(bytes: &[&str]) -> OutgoingMail {
    let bytes = bytes.iter().map(|bytes| format!("bytes={bytes}"));
    let fields: Vec<String> = bytes.chain(["reply=Lunch@example.com".into()]).collect();
    draft("Re: Lunch", &strs(&fields))
}

/// How mails of a label belong to the thread of `Lunch`.
fn outbox(world: &World, label: &str) -> Vec<String> {
    world.mailbox(|mailbox| {
        let (lunch, _) = mailbox.with_label("INBOX").remove(0);
        let mails = mailbox.with_label(label).into_iter().map(|(id, raw)| {
            let in_thread = mailbox.thread_of(&id) == mailbox.thread_of(&lunch);
            let raw = String::from_utf8_lossy(raw);
            let answers = raw.contains("In-Reply-To: <Lunch@example.com>");
            format!("{label}, in the thread of Lunch: {in_thread}, an answer to it: {answers}")
        });
        mails.collect()
    })
}

fn before(state: Option<MailStatus>) -> String {
    state.map_or("none".into(), |state| format!("{state:?}").to_lowercase())
}

fn shown(mail: &MailSummary) -> String {
    format!("{} {}", mail.subject, before(Some(mail.status)))
}

fn lines(lines: impl Iterator<Item = String>) -> String {
    lines.collect::<Vec<_>>().join("\n")
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
