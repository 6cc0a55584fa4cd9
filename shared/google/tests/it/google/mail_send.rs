//! A mail is sent once, or kept as a draft once: with any failure, and with two processes at work.

use alfred_accounts::api::unsure;
use alfred_core::ports::{AccountError, Mail, Mailbox, OutgoingFile, OutgoingMail, SentMail};
use alfred_google::Google;
use alfred_google_local::{Account, Fault, Hold, Release};
use std::time::Duration;

use crate::google::once::{Effect, once};
use crate::google::support::{World, account};

const CREATE: &str = "gmail.users.drafts.create";
const SEND: &str = "gmail.users.drafts.send";
const KEY: &str = "k";

fn answer() -> OutgoingMail {
    OutgoingMail {
        to: vec![Mailbox::new("Ben Okafor", "ben@example.com")],
        subject: "Re: Lunch".into(),
        text: "At noon.".into(),
        in_reply_to: Some("Lunch@example.com".into()),
        references: vec!["Lunch@example.com".into()],
        ..OutgoingMail::default()
    }
}

/// With the mail that is answered.
async fn given(replaces_message_id: bool) -> World {
    let world = World::new().await;
    world.arrive("Lunch", "2026-11-20T08:00:00Z");
    world.mailbox(|mailbox| mailbox.replaces_message_id = replaces_message_id);
    world
}

impl World {
    fn with_label(&self, label: &str) -> Vec<String> {
        self.mailbox(|mailbox| {
            let mails = mailbox.with_label(label).into_iter();
            mails.map(|(id, _)| id).collect()
        })
    }

    fn is_in_thread_of_lunch(&self, id: &str) -> bool {
        let lunch = self.with_label("INBOX").remove(0);
        self.mailbox(|mailbox| mailbox.thread_of(id) == mailbox.thread_of(&lunch))
    }

    async fn send(&self, mail: &OutgoingMail) -> Result<SentMail, AccountError> {
        self.google.send(&account(), mail, KEY).await
    }
}

#[derive(Clone, Copy, Debug)]
enum Outgoing {
    Mail { replaced: bool },
    Draft,
}

impl Effect for Outgoing {
    fn calls(self) -> &'static [&'static str] {
        let all = &[
            "gmail.users.getProfile",
            "gmail.users.messages.list",
            CREATE,
            SEND,
            "gmail.users.messages.get",
        ];
        match self {
            Self::Mail { .. } => all,
            Self::Draft => &all[..3],
        }
    }

    async fn world(self) -> World {
        given(matches!(self, Self::Mail { replaced: true })).await
    }

    async fn make(self, google: &Google) -> Result<(), AccountError> {
        match self {
            Self::Mail { .. } => google.send(&account(), &answer(), KEY).await.map(drop),
            // A failed attempt may leave a stray draft, which reaches nobody.
            Self::Draft => {
                let kept = google.save_draft(&account(), &answer(), KEY).await;
                kept.map(drop).map_err(unsure)
            }
        }
    }

    async fn is_found(self, world: &World, google: &Google) -> Result<bool, AccountError> {
        if let Self::Draft = self {
            return Ok(self.count(world) > 0);
        }
        let Some(sent) = google.find_sent(&account(), KEY).await? else {
            return Ok(false);
        };
        assert_eq!(world.with_label("SENT"), [sent.id.to_string()]);
        let read = Mail::read(google, &account(), &sent.id).await?;
        assert_eq!(read.unwrap().message_id, Some(sent.message_id));
        Ok(true)
    }

    fn is_known_at_once(self) -> bool {
        true
    }

    fn count(self, world: &World) -> usize {
        let label = match self {
            Self::Mail { .. } => "SENT",
            Self::Draft => "DRAFT",
        };
        world.with_label(label).len()
    }

    fn check(self, world: &World) {
        let (sent, drafts) = (world.with_label("SENT"), world.with_label("DRAFT"));
        assert_eq!(sent.len() + drafts.len(), 1, "{self:?}");
        let mut all = sent.iter().chain(&drafts);
        assert!(all.all(|id| world.is_in_thread_of_lunch(id)), "{self:?}");
    }
}

#[tokio::test]
async fn a_mail_is_sent_once() {
    once(Outgoing::Mail { replaced: false }).await;
}

#[tokio::test]
async fn a_mail_is_sent_once_if_google_replaces_its_message_id() {
    once(Outgoing::Mail { replaced: true }).await;
}

#[tokio::test]
async fn a_draft_is_kept_once() {
    once(Outgoing::Draft).await;
}

#[tokio::test]
async fn a_discarded_draft_is_not_kept_again() {
    let world = given(false).await;
    let keep = || async { world.google.save_draft(&account(), &answer(), KEY).await };
    let draft = keep().await.unwrap();
    let discarded = world.google.discard_draft(&account(), &draft).await;
    discarded.unwrap();
    assert_eq!(keep().await.unwrap(), draft);
    assert!(world.with_label("DRAFT").is_empty());
}

#[tokio::test]
async fn a_call_that_is_late_sends_nothing_more() {
    for call in [CREATE, SEND] {
        let world = given(true).await;
        let next = world.another_process();
        let mut gate = world.local().hold(call, Hold::BeforeEffect);
        let mail = answer();
        let other = async {
            let held = gate.arrived().await;
            drop(gate);
            let sent = next.send(&account(), &mail, KEY).await;
            held.release(Release::Complete);
            sent.unwrap()
        };
        let (late, receipt) = tokio::join!(world.send(&mail), other);
        assert_eq!(late.unwrap(), receipt, "{call}");
        assert_eq!(world.with_label("SENT"), [receipt.id.to_string()], "{call}");
        Outgoing::Mail { replaced: true }.check(&world);
    }
}

#[tokio::test]
async fn two_processes_at_once_have_one_receipt() {
    let world = given(true).await;
    let (next, mail, of) = (world.another_process(), answer(), account());
    let other = next.send(&of, &mail, KEY);
    let (first, other, third) = tokio::join!(world.send(&mail), other, world.send(&mail));
    let first = first.unwrap();
    assert_eq!([other.unwrap(), third.unwrap()], [first.clone(), first]);
}

#[tokio::test]
async fn if_the_sent_mail_was_deleted_the_outcome_is_unknown() {
    let world = given(false).await;
    world.local().fail_next(SEND, 1, Fault::DropAfter);
    let mut gate = world
        .local()
        .hold("gmail.users.drafts.get", Hold::BeforeEffect);
    let mail = answer();
    let owner = async {
        let held = gate.arrived().await;
        drop(gate);
        let sent = world.with_label("SENT").remove(0);
        world.mailbox(|mailbox| mailbox.delete(&sent));
        held.release(Release::Complete);
    };
    let (first, ()) = tokio::join!(world.send(&mail), owner);
    let found = world.google.find_sent(&account(), KEY).await;
    let again = world.send(&mail).await;
    for error in [first.err(), found.err(), again.err()] {
        assert!(
            matches!(error, Some(AccountError::Unknown { .. })),
            "{error:?}"
        );
    }
    // By then its owner was asked, and wants it sent.
    world.clock.advance(Duration::from_secs(180));
    world.send(&mail).await.unwrap();
    assert_eq!(world.with_label("SENT").len(), 1);
}

#[tokio::test]
async fn a_mail_arrives_with_its_headers_and_another_subject_is_another_thread() {
    let world = given(false).await;
    let ben = "ben@example.com";
    world.local().put_account(Account::new(ben, "Ben Okafor"));
    world.send(&answer()).await.unwrap();
    let inbox = world.local().with_account(ben, |ben| {
        let inbox = ben.mailbox.with_label("INBOX").into_iter();
        let inbox = inbox.map(|(_, raw)| String::from_utf8_lossy(raw).into_owned());
        inbox.collect::<Vec<_>>()
    });
    let inbox = inbox.unwrap();
    assert_eq!(inbox.len(), 1);
    for header in ["X-Alfred-Key: ", "In-Reply-To: <Lunch@example.com>"] {
        assert!(inbox[0].contains(header), "{header}");
    }
    let other = OutgoingMail {
        subject: "Dinner".into(),
        ..answer()
    };
    let dinner = world.google.send(&account(), &other, "other").await;
    assert!(!world.is_in_thread_of_lunch(dinner.unwrap().id.as_str()));
}

#[tokio::test]
async fn a_large_file_is_sent_whole_and_once() {
    let world = given(true).await;
    let film = OutgoingFile {
        name: "film.mp4".into(),
        content_type: "video/mp4".into(),
        content: vec![7; 6_000_000],
    };
    let mail = OutgoingMail {
        files: vec![film.clone()],
        ..answer()
    };
    world.local().fail_next(CREATE, 1, Fault::DropAfter);
    let lost = world.send(&mail).await;
    assert!(
        matches!(lost, Err(AccountError::NotReached { .. })),
        "{lost:?}"
    );
    let receipt = world.send(&mail).await.unwrap();
    Outgoing::Mail { replaced: true }.check(&world);
    let there = world.google.attachment(&account(), &receipt.id, 0).await;
    assert!(there.unwrap() == Some(film.content), "byte by byte");
}
