//! Outgoing mail, once for each key. A row under the key's digest stores the progress:
//!
//! | row | what is certain |
//! |---|---|
//! | none | nothing was sent |
//! | `Sending` | its bytes may have left; only the copy in `Sent` proves its arrival |
//! | `Sent` | the server accepted it |

use crate::Result;
use alfred_accounts::Progress;
use alfred_accounts::drafts::in_flight;
use alfred_accounts::outbox::not_now;
use alfred_core::id::MailId;
use alfred_core::keys;
use alfred_core::ports::{Account, AccountError, OutgoingMail, SentMail};
use alfred_mime::Draft;
use alfred_smtp::Parcel;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use crate::imap::id::Name;
use crate::imap::line::{Bytes, Line};
use crate::imap::mail::{ImapAccount, Person};
use crate::imap::shelf::Shelf;

/// Longest look at the sent mails, or storing of a copy. An effect has 30 s, and a delivery takes up to 25 s of it.
const COPY_PATIENCE: Duration = Duration::from_secs(4);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "stage", rename_all = "snake_case")]
enum Stage {
    Sending { since: Timestamp },
    Sent(SentMail),
}

/// A mail with its key's digest.
pub(crate) struct Outgoing<'a> {
    account: &'a Account,
    pub person: &'a Person,
    pub digest: String,
    pub message_id: String,
}

fn nobody_knows() -> AccountError {
    AccountError::unknown("the mail was given to the server, and its answer was never read")
}

impl<'a> Outgoing<'a> {
    pub fn new(account: &'a Account, person: &'a Person, key: &str) -> Self {
        let digest = alfred_mime::digest(account, key);
        Self {
            account,
            person,
            message_id: alfred_mime::message_id_of(&digest, &person.mailbox),
            digest,
        }
    }

    /// The mail's bytes, as stored in a mailbox.
    pub fn written(&self, mail: &OutgoingMail, at: Timestamp) -> Result<Vec<u8>> {
        let draft = Draft {
            mail,
            from: &self.person.mailbox,
            message_id: &self.message_id,
            at,
            header: None,
        };
        draft.to_bytes().map_err(not_now)
    }

    async fn copy_on(&self, line: &mut Line) -> Result<Option<SentMail>> {
        let search = format!("HEADER Message-ID \"{}\"", self.message_id);
        let found = line.entries(Shelf::Sent, &search).await?;
        let found = line.read(&found, 0).await?;
        let receipt = |bytes: &Bytes| self.receipt(bytes.name().id(), bytes.entry.at);
        Ok(found.first().map(receipt))
    }

    fn receipt(&self, id: MailId, at: Timestamp) -> SentMail {
        SentMail {
            id,
            message_id: self.message_id.clone(),
            at,
        }
    }
}

impl ImapAccount<'_> {
    pub(crate) async fn send_once(&self, mail: &OutgoingMail, key: &str) -> Result<SentMail> {
        mail.check()?;
        let out = Outgoing::new(self.account, self.person, key);
        let _turn = self.all.turns.of(&out.digest).await;
        let (stage, version) = self.row(&out).read().await?;
        let now = self.all.clock.now();
        match stage {
            Some(Stage::Sent(sent)) => return Ok(sent),
            Some(Stage::Sending { since }) => {
                if let Some(sent) = self.copy(&out).await? {
                    return Ok(self.written_down(&out, sent).await);
                }
                if in_flight(since, now) {
                    return Err(nobody_knows());
                }
                // The owner was asked after the unknown outcome and wants it sent again.
            }
            None => {}
        }
        let at = Timestamp::from_second(now.as_second()).unwrap_or(now);
        let bytes = out.written(mail, at)?;
        let parcel = Parcel::new(&self.person.mailbox, mail, bytes)?;
        // If an earlier attempt has an unknown outcome, a failure of this one doesn't settle it.
        let ours = AtomicBool::new(false);
        let begin = async || {
            // All recipients are accepted; from here on the mail may be sent.
            let stage = Stage::Sending { since: now };
            let begun = self.row(&out).advance(version, &stage).await;
            begun.map_err(io::Error::other)?;
            ours.store(version == 0, Relaxed);
            Ok(())
        };
        let done = async |outcome| {
            let ours = ours.load(Relaxed);
            self.outcome(&out, &parcel, at, outcome, ours).await
        };
        let sent = self.person.smtp.deliver(&parcel, begin, done).await?;
        if let Err(error) = self.keep_copy(&out, &parcel, at).await {
            tracing::warn!(%error, "a mail was sent, and no copy of it is kept in its mailbox");
        }
        Ok(sent)
    }

    pub(crate) async fn find(&self, key: &str) -> Result<Option<SentMail>> {
        let out = Outgoing::new(self.account, self.person, key);
        match self.row(&out).read().await?.0 {
            None => Ok(None),
            Some(Stage::Sent(sent)) => Ok(Some(sent)),
            Some(Stage::Sending { .. }) => match self.copy(&out).await? {
                Some(sent) => Ok(Some(self.written_down(&out, sent).await)),
                None => Err(nobody_knows()),
            },
        }
    }

    async fn outcome(
        &self,
        out: &Outgoing<'_>,
        parcel: &Parcel,
        at: Timestamp,
        outcome: Result<()>,
        ours: bool,
    ) -> Result<SentMail> {
        match outcome {
            Ok(()) => {
                let sent = out.receipt(Name::of_whole(at, parcel.bytes()).id(), at);
                Ok(self.written_down(out, sent).await)
            }
            Err(error @ AccountError::Unknown { .. }) => Err(error),
            Err(nothing) => {
                if ours {
                    let gone = self.row(out).forget().await;
                    // Nothing was sent, but the row still says that it may have been.
                    gone.map_err(AccountError::unknown)?;
                }
                Err(nothing)
            }
        }
    }

    /// The copy in the sent mails, by the owner or the server.
    async fn copy(&self, out: &Outgoing<'_>) -> Result<Option<SentMail>> {
        self.within(COPY_PATIENCE, async |line| out.copy_on(line).await)
            .await
    }

    /// Adds a copy to the sent mails, unless the server has done so.
    async fn keep_copy(&self, out: &Outgoing<'_>, parcel: &Parcel, at: Timestamp) -> Result<()> {
        self.within(COPY_PATIENCE, async |line| {
            if out.copy_on(line).await?.is_some() {
                return Ok(());
            }
            let append = line.append(Shelf::Sent, "(\\Seen)", at, parcel.bytes());
            append.await
        })
        .await
    }

    fn row(&self, out: &Outgoing<'_>) -> Progress<'_> {
        Progress {
            store: &*self.all.store,
            key: keys::smtp_sent(out.account, &out.digest),
            now: self.all.clock.now(),
        }
    }

    async fn written_down(&self, out: &Outgoing<'_>, sent: SentMail) -> SentMail {
        self.row(out).finish(&Stage::Sent(sent.clone())).await;
        sent
    }
}
