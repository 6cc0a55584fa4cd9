//! Sends a mail by way of a draft, or keeps a draft for its owner, once for each key at any provider. A row under the
//! key's digest stores the progress. Between two steps the process may die, or another may work on the same mail:
//!
//! | row | what is certain |
//! |---|---|
//! | none, `Preparing` | nothing was sent; a stray draft may exist, which nothing sends |
//! | `Drafted` | it was sent if the draft is gone, since a draft can be sent only once |
//! | `Sent` | it was sent |

use crate::Result;
use alfred_core::keys;
use alfred_core::ports::{AccountError, Discarded, DraftRef, OutgoingMail, SentMail, StoreError};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::drafts::{Drafted, Drafts, Look, Parcel, Release};
use crate::stored::Progress;

/// Attempts when another process changes the row.
const LOOKS: usize = 5;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "stage", rename_all = "snake_case")]
enum Stage {
    Preparing,
    Drafted(Drafted),
    Sent(SentMail),
}

fn nobody_knows() -> AccountError {
    AccountError::unknown("the draft is gone, and the mail isn't found")
}

pub fn not_now(detail: impl std::fmt::Display) -> AccountError {
    AccountError::not_reached(detail)
}

pub struct Outbox<'a, D>(pub &'a D);

impl<D: Drafts> Outbox<'_, D> {
    pub async fn send(&self, mail: &OutgoingMail, key: &str) -> Result<SentMail> {
        let parcel = self.parcel(mail, key).await?;
        let _turn = self.0.mailbox().turns.of(&parcel.digest).await;
        for _ in 0..LOOKS {
            let (stage, version) = self.row(&parcel.digest).read().await?;
            let step = match stage {
                Some(Stage::Sent(sent)) => return Ok(sent),
                Some(Stage::Drafted(drafted)) => self.go_on(&parcel, drafted, version).await?,
                stage => self.prepared(&parcel, stage.is_some(), version).await?,
            };
            if let Some(sent) = step {
                return Ok(sent);
            }
        }
        Err(not_now("other processes are at the same mail"))
    }

    /// The mail sent under a key. If the row doesn't decide, the mailbox is searched.
    pub async fn find_sent(&self, key: &str) -> Result<Option<SentMail>> {
        // Fails first if no account is connected.
        self.0.address().await?;
        let digest = alfred_mime::digest(self.0.mailbox().account, key);
        match self.row(&digest).read().await?.0 {
            None | Some(Stage::Preparing) => Ok(None),
            Some(Stage::Sent(sent)) => Ok(Some(sent)),
            Some(Stage::Drafted(drafted)) => match self.look(&digest, &drafted).await? {
                Look::Sent(sent) => Ok(Some(sent)),
                Look::Draft | Look::Edited => Ok(None),
                Look::Gone => Err(nobody_knows()),
            },
        }
    }

    /// Keeps a draft for its owner, once for its key. It is never sent from here.
    pub async fn keep(&self, mail: &OutgoingMail, key: &str) -> Result<DraftRef> {
        let parcel = self.parcel(mail, &format!("draft\n{key}")).await?;
        let _turn = self.0.mailbox().turns.of(&parcel.digest).await;
        for _ in 0..LOOKS {
            let (stage, version) = self.row(&parcel.digest).read().await?;
            let written = match stage {
                Some(Stage::Drafted(drafted)) => Some(drafted),
                Some(Stage::Sent(_)) => return Err(not_now("a draft that was sent")),
                stage => {
                    let again = stage.is_some();
                    self.written(&parcel, again, version, None).await?
                }
            };
            if let Some(drafted) = written {
                let (id, version) = (drafted.draft, drafted.message);
                return Ok(DraftRef { id, version });
            }
        }
        Err(not_now("other processes are at the same draft"))
    }

    /// Deletes a draft if it is unedited. An edit between the check and the deletion is lost: providers
    /// delete unconditionally.
    pub async fn discard(&self, draft: &DraftRef) -> Result<Discarded> {
        // Fails first if no account is connected.
        self.0.address().await?;
        match self.0.version(&draft.id).await? {
            None => Ok(Discarded::Gone),
            Some(version) if version == draft.version => {
                self.0.delete(&draft.id).await?;
                Ok(Discarded::Deleted)
            }
            Some(_) => Ok(Discarded::Edited),
        }
    }

    async fn parcel<'m>(&self, mail: &'m OutgoingMail, key: &str) -> Result<Parcel<'m>> {
        mail.check()?;
        Ok(Parcel {
            mail,
            address: self.0.address().await?,
            digest: alfred_mime::digest(self.0.mailbox().account, key),
        })
    }

    /// A draft in another provider's mailbox can't be checked, so it counts as gone.
    async fn look(&self, digest: &str, drafted: &Drafted) -> Result<Look> {
        if drafted.provider != self.0.mailbox().provider {
            return Ok(Look::Gone);
        }
        self.0.look(digest, drafted).await
    }

    /// Continues an earlier attempt that wrote its draft. `None`: the row changed, so start over.
    async fn go_on(
        &self,
        parcel: &Parcel<'_>,
        drafted: Drafted,
        version: u64,
    ) -> Result<Option<SentMail>> {
        let now = self.0.mailbox().clock.now();
        match self.look(&parcel.digest, &drafted).await? {
            Look::Sent(sent) => Ok(Some(self.written_down(&parcel.digest, sent).await)),
            Look::Draft => {
                let again = Drafted {
                    tried: Some(now),
                    ..drafted
                };
                let stage = Stage::Drafted(again.clone());
                if !self.advance(&parcel.digest, version, &stage).await? {
                    return Ok(None);
                }
                self.sent(parcel, &again, version + 1).await.map(Some)
            }
            Look::Gone if drafted.in_flight(now) => Err(nobody_knows()),
            // The owner asked for the mail again after an unknown outcome, or has edited the draft.
            Look::Gone | Look::Edited => self.prepared(parcel, false, version).await,
        }
    }

    /// Writes the draft and sends it. `None`: another process was first.
    async fn prepared(
        &self,
        parcel: &Parcel<'_>,
        again: bool,
        version: u64,
    ) -> Result<Option<SentMail>> {
        let now = self.0.mailbox().clock.now();
        match self.written(parcel, again, version, Some(now)).await? {
            Some(drafted) => self.sent(parcel, &drafted, version + 2).await.map(Some),
            None => Ok(None),
        }
    }

    /// Writes the draft and stores its id. `None`: another process was first.
    async fn written(
        &self,
        parcel: &Parcel<'_>,
        again: bool,
        version: u64,
        tried: Option<Timestamp>,
    ) -> Result<Option<Drafted>> {
        let begun = self.advance(&parcel.digest, version, &Stage::Preparing);
        if !begun.await? {
            return Ok(None);
        }
        if again {
            self.0.clear(parcel).await?;
        }
        let now = self.0.mailbox().clock.now();
        let written = self.0.write(parcel, now).await?;
        if written.draft.is_empty() {
            return Err(not_now("a draft without an id"));
        }
        let drafted = Drafted {
            provider: self.0.mailbox().provider,
            draft: written.draft,
            message: written.message,
            message_id: written.message_id,
            since: now,
            tried,
        };
        let stage = Stage::Drafted(drafted.clone());
        if !self.advance(&parcel.digest, version + 1, &stage).await? {
            self.0.delete(&drafted.draft).await?;
            return Ok(None);
        }
        Ok(Some(drafted))
    }

    /// Sends a draft whose row has this version.
    async fn sent(&self, parcel: &Parcel<'_>, drafted: &Drafted, version: u64) -> Result<SentMail> {
        let why = match self.0.release(drafted).await {
            Ok(Release::Sent(sent)) => return Ok(self.written_down(&parcel.digest, sent).await),
            // The row stays, so the next look finds the mail's new id.
            Ok(Release::Unnamed(sent)) => return Ok(sent),
            Ok(Release::Refused(error)) => {
                self.0.delete(&drafted.draft).await?;
                self.row(&parcel.digest).forget().await.map_err(not_now)?;
                return Err(error);
            }
            Ok(Release::Lost(why)) => why,
            Err(error) => {
                self.untried(&parcel.digest, drafted, version).await;
                return Err(error);
            }
        };
        match self.0.look(&parcel.digest, drafted).await {
            Ok(Look::Sent(sent)) => Ok(self.written_down(&parcel.digest, sent).await),
            Ok(Look::Draft) => Err(not_now(why)),
            Ok(Look::Gone | Look::Edited) => Err(nobody_knows()),
            Err(error) => Err(AccountError::unknown(format!("{why}; {error}"))),
        }
    }

    /// Stores that nothing is in flight. If that fails, the next look only waits longer.
    async fn untried(&self, digest: &str, drafted: &Drafted, version: u64) {
        let stage = Stage::Drafted(Drafted {
            tried: None,
            ..drafted.clone()
        });
        if let Err(error) = self.advance(digest, version, &stage).await {
            tracing::warn!(%error, "a mail that wasn't sent is taken to be on its way for a while");
        }
    }

    fn row(&self, digest: &str) -> Progress<'_> {
        let mailbox = self.0.mailbox();
        Progress {
            store: mailbox.store,
            key: keys::mail_sent(mailbox.account, digest),
            now: mailbox.clock.now(),
        }
    }

    /// Changes the row's stage. False if another process has changed the row.
    async fn advance(&self, digest: &str, version: u64, to: &Stage) -> Result<bool> {
        match self.row(digest).advance(version, to).await {
            Ok(()) => Ok(true),
            Err(StoreError::Conflict { .. }) => Ok(false),
            Err(error) => Err(not_now(error)),
        }
    }

    async fn written_down(&self, digest: &str, sent: SentMail) -> SentMail {
        self.row(digest).finish(&Stage::Sent(sent.clone())).await;
        sent
    }
}
