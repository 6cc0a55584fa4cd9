//! A mail is sent once, or kept as a draft once: with any failure, and with two processes at work.

use alfred_accounts::api::unsure;
use alfred_core::ports::{AccountError, Mail, Mailbox, OutgoingMail};
use alfred_google::Google;

use super::plain;
use crate::google::once::{Effect, once};
use crate::google::support::{World, account};

const KEY: &str = "k";

/// The answer to `Lunch`.
pub fn answer() -> OutgoingMail {
    OutgoingMail {
        to: vec![Mailbox::new("Ben Okafor", "ben@example.com")],
        subject: "Re: Lunch".into(),
        text: "At noon.".into(),
        in_reply_to: Some("Lunch@example.com".into()),
        references: vec!["Lunch@example.com".into()],
        ..OutgoingMail::default()
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
            "gmail.users.drafts.create",
            "gmail.users.drafts.send",
            "gmail.users.messages.get",
        ];
        match self {
            Self::Mail { .. } => all,
            Self::Draft => &all[..3],
        }
    }

    async fn world(self) -> World {
        let world = World::new().await;
        world.mailbox(|mailbox| {
            let at = "2026-11-20T08:00:00Z".parse().unwrap();
            mailbox.deliver(&plain("Lunch"), &["INBOX", "UNREAD"], at);
            mailbox.replaces_message_id = matches!(self, Self::Mail { replaced: true });
        });
        world
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

    /// Nothing else is left, and the mail is in the thread of `Lunch`.
    fn check(self, world: &World) {
        world.mailbox(|mailbox| {
            let [mut left, drafts, inbox] =
                ["SENT", "DRAFT", "INBOX"].map(|label| mailbox.with_label(label));
            left.extend(drafts);
            assert_eq!(left.len(), 1, "{self:?}");
            let (id, raw) = &left[0];
            assert_eq!(mailbox.thread_of(id), mailbox.thread_of(&inbox[0].0));
            let raw = String::from_utf8_lossy(raw);
            assert!(raw.contains("In-Reply-To: <Lunch@example.com>"), "{raw}");
        });
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
