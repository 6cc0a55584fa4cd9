//! What goes out, once for a key. A row under the key's digest says how far it is; between two steps a process may
//! die, or another may be at the same mail:
//!
//! | row | what is certain |
//! |---|---|
//! | none, `Preparing` | nothing was sent; a draft may lie there that nobody sends |
//! | `Drafted` | it was sent if the draft is gone: Gmail sends a draft once, whoever asks |
//! | `Sent` | it was sent |

use alfred_core::id::MailId;
use alfred_core::keys;
use alfred_core::ports::{
    AccountError, AccountService, Mailbox, OutgoingMail, SentMail, StoreError, Write,
};
use alfred_core::text;
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use tokio::sync::{Mutex, MutexGuard};

use super::look::Look;
use super::wire::{Draft, Listing};
use super::{Gmail, not_stored};
use crate::google::api::{Ask, CallError};
use crate::google::upload::Upload;

/// The header by which a mail is found whose `Message-ID` Google has replaced.
pub(super) const KEY_HEADER: &str = "X-Alfred-Key";
/// How long a call to send may still be at work somewhere, or its mail not yet be found.
const IN_FLIGHT: SignedDuration = SignedDuration::from_mins(2);
/// Times a row is read again that another process has changed.
pub(super) const LOOKS: usize = 5;

/// One at a time sends under a key; a few keys share a turn.
pub(in crate::google) struct Turns([Mutex<()>; 32]);

impl Default for Turns {
    fn default() -> Self {
        Self(std::array::from_fn(|_| Mutex::default()))
    }
}

impl Turns {
    pub(in crate::google) async fn of(&self, digest: &str) -> MutexGuard<'_, ()> {
        let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one(digest);
        let at = usize::try_from(hash % 32).unwrap_or_default();
        self.0[at].lock().await
    }
}

/// How far a mail is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "stage", rename_all = "snake_case")]
pub(super) enum Stage {
    Preparing,
    Drafted(Drafted),
    Sent {
        id: MailId,
        message_id: String,
        at: Timestamp,
    },
}

/// A draft on its way out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Drafted {
    pub draft: String,
    /// Its message: another one once somebody has edited it.
    pub message: String,
    /// As it was written.
    pub message_id: String,
    /// When it was written.
    pub since: Timestamp,
    /// When it was last tried.
    tried: Timestamp,
}

/// A mail of a key.
pub(super) struct Parcel<'a> {
    mail: &'a OutgoingMail,
    pub digest: String,
    from: Mailbox,
    pub message_id: String,
}

impl Parcel<'_> {
    /// As the draft that lies there since then.
    pub fn lying_as(&self, draft: Draft, since: Timestamp) -> Drafted {
        Drafted {
            draft: draft.id,
            message: draft.message.id,
            message_id: self.message_id.clone(),
            since,
            tried: since,
        }
    }
}

fn nobody_knows() -> AccountError {
    AccountError::Unknown {
        detail: "the draft is gone, and the mail isn't found".into(),
    }
}

pub(super) fn not_now(detail: impl Into<String>) -> AccountError {
    AccountError::NotReached {
        detail: detail.into(),
        retry_after: None,
    }
}

impl Gmail<'_> {
    pub(super) async fn parcel<'m>(
        &self,
        mail: &'m OutgoingMail,
        key: &str,
    ) -> Result<Parcel<'m>, AccountError> {
        mail.check()?;
        let email = self.profile().await?.email_address;
        let digest = alfred_mime::digest(self.account, key);
        let address = alfred_mime::ascii_domain(&email);
        let domain = address.rsplit_once('@').map_or("localhost", |(_, d)| d);
        Ok(Parcel {
            mail,
            message_id: format!("{digest}@{domain}"),
            digest,
            from: Mailbox::new("", &email),
        })
    }

    pub(super) async fn send(
        &self,
        mail: &OutgoingMail,
        key: &str,
    ) -> Result<SentMail, AccountError> {
        let parcel = self.parcel(mail, key).await?;
        let _turn = self.google.sending.of(&parcel.digest).await;
        for _ in 0..LOOKS {
            let (stage, version) = self.stage(&parcel.digest).await?;
            let step = match stage {
                Some(Stage::Sent { id, message_id, at }) => {
                    return Ok(SentMail { id, message_id, at });
                }
                Some(Stage::Drafted(drafted)) => self.go_on(&parcel, drafted, version).await?,
                stage => self.prepared(&parcel, stage.is_some(), version).await?,
            };
            if let Some(sent) = step {
                return Ok(sent);
            }
        }
        Err(not_now("other processes are at the same mail"))
    }

    /// What was sent under a key, by its row and, where that isn't sure, by what is in the mailbox.
    pub(super) async fn find_sent(&self, key: &str) -> Result<Option<SentMail>, AccountError> {
        // Whoever has connected nothing is told that first.
        self.profile().await?;
        let digest = alfred_mime::digest(self.account, key);
        match self.stage(&digest).await?.0 {
            None | Some(Stage::Preparing) => Ok(None),
            Some(Stage::Sent { id, message_id, at }) => Ok(Some(SentMail { id, message_id, at })),
            Some(Stage::Drafted(drafted)) => match self.look(&digest, &drafted).await? {
                Look::Sent(sent) => Ok(Some(sent)),
                Look::Draft | Look::Edited => Ok(None),
                Look::Gone => Err(nobody_knows()),
            },
        }
    }

    /// An earlier attempt got as far as its draft. `None`: from the beginning.
    async fn go_on(
        &self,
        parcel: &Parcel<'_>,
        drafted: Drafted,
        version: u64,
    ) -> Result<Option<SentMail>, AccountError> {
        let now = self.google.clock.now();
        match self.look(&parcel.digest, &drafted).await? {
            Look::Sent(sent) => Ok(Some(self.written_down(&parcel.digest, sent).await)),
            Look::Draft => {
                let again = Drafted {
                    tried: now,
                    ..drafted
                };
                match self
                    .advance(&parcel.digest, version, &Stage::Drafted(again.clone()))
                    .await?
                {
                    true => self.sent(parcel, &again).await.map(Some),
                    false => Ok(None),
                }
            }
            Look::Gone if now < drafted.tried.saturating_add(IN_FLIGHT).unwrap_or(now) => {
                Err(nobody_knows())
            }
            // Its owner was asked meanwhile, and wants it once more; or has made the draft their own.
            Look::Gone | Look::Edited => self.prepared(parcel, false, version).await,
        }
    }

    /// Writes the draft and sends it. `None`: another process was first.
    async fn prepared(
        &self,
        parcel: &Parcel<'_>,
        again: bool,
        version: u64,
    ) -> Result<Option<SentMail>, AccountError> {
        if !self
            .advance(&parcel.digest, version, &Stage::Preparing)
            .await?
        {
            return Ok(None);
        }
        if again {
            for draft in self.own_drafts(parcel).await? {
                self.delete_draft(&draft.id).await?;
            }
        }
        let drafted = self.drafted(parcel).await?;
        let stage = Stage::Drafted(drafted.clone());
        if !self.advance(&parcel.digest, version + 1, &stage).await? {
            self.delete_draft(&drafted.draft).await?;
            return Ok(None);
        }
        self.sent(parcel, &drafted).await.map(Some)
    }

    /// Makes a draft of it.
    pub(super) async fn drafted(&self, parcel: &Parcel<'_>) -> Result<Drafted, AccountError> {
        let now = self.google.clock.now();
        let created = self.created(parcel, now).await?;
        match created.id.is_empty() {
            true => Err(not_now("a draft without an id")),
            false => Ok(parcel.lying_as(created, now)),
        }
    }

    async fn created(&self, parcel: &Parcel<'_>, at: Timestamp) -> Result<Draft, AccountError> {
        let draft = alfred_mime::Draft {
            mail: parcel.mail,
            from: &parcel.from,
            message_id: &parcel.message_id,
            at,
            itip: None,
            header: Some((KEY_HEADER, &parcel.digest)),
        };
        let raw = draft
            .to_bytes()
            .map_err(|error| not_now(error.to_string()))?;
        let mut message = json!({});
        if let Some(thread) = self.thread(parcel.mail).await? {
            message["threadId"] = json!(thread);
        }
        let ask = match parcel.mail.files.is_empty() {
            true => {
                message["raw"] = json!(BASE64_URL_SAFE.encode(raw));
                let body = json!({"message": message});
                Ask::post(AccountService::MailSend, self.url("drafts"), body)
            }
            false => {
                let upload = Upload {
                    content_type: "message/rfc822",
                    content: raw,
                };
                let body = json!({"message": message});
                let url = self.upload_url("drafts");
                Ask::post(AccountService::MailSend, url, body).with_upload(upload)
            }
        };
        match self.call(&ask).await {
            Ok(created) => Ok(created),
            // It may lie there now; nobody sends it.
            Err(CallError::Account(AccountError::Unknown { detail })) => Err(not_now(detail)),
            Err(CallError::Status { code: 413, .. }) => {
                Err(AccountError::refused(text::google_too_large()))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The thread of the mail that is answered, if it is in this mailbox.
    async fn thread(&self, mail: &OutgoingMail) -> Result<Option<String>, AccountError> {
        let answered = mail
            .in_reply_to
            .as_deref()
            .and_then(alfred_mime::message_id);
        let Some(answered) = answered.filter(|id| !id.contains('"')) else {
            return Ok(None);
        };
        let q = format!("rfc822msgid:{answered}");
        let ask = self.get("messages").query("q", q).query("maxResults", 1);
        let found: Listing = self.call(&ask).await?;
        Ok(found.messages.into_iter().find_map(|named| named.thread_id))
    }

    /// Sends a draft whose row stands.
    async fn sent(&self, parcel: &Parcel<'_>, drafted: &Drafted) -> Result<SentMail, AccountError> {
        let body = json!({"id": drafted.draft});
        let ask = Ask::post(AccountService::MailSend, self.url("drafts/send"), body);
        let why = match self.google.api.call(self.account, &ask).await {
            Ok(answer) => match answer["id"].as_str() {
                Some(id) => {
                    return Ok(match self.receipt(id, drafted).await {
                        Some(sent) => self.written_down(&parcel.digest, sent).await,
                        // The row stays as it is, so that the next look sees how it is named now.
                        None => SentMail {
                            id: id.into(),
                            message_id: drafted.message_id.clone(),
                            at: self.google.clock.now(),
                        },
                    });
                }
                None => "an answer without an id".to_owned(),
            },
            Err(CallError::Account(AccountError::Unknown { detail })) => detail,
            Err(CallError::Status { code: 404, .. }) => "the draft is gone".to_owned(),
            Err(refused @ CallError::Status { .. }) => {
                self.delete_draft(&drafted.draft).await?;
                self.forget(&parcel.digest).await?;
                return Err(refused.into());
            }
            Err(error) => return Err(error.into()),
        };
        match self.look(&parcel.digest, drafted).await {
            Ok(Look::Sent(sent)) => Ok(self.written_down(&parcel.digest, sent).await),
            Ok(Look::Draft) => Err(not_now(why)),
            Ok(Look::Gone | Look::Edited) => Err(nobody_knows()),
            Err(error) => Err(AccountError::Unknown {
                detail: format!("{why}; {error}"),
            }),
        }
    }

    pub(super) async fn stage(&self, digest: &str) -> Result<(Option<Stage>, u64), AccountError> {
        let key = keys::gmail_sent(self.account, digest);
        let Some(item) = self.google.store.get(&key).await.map_err(not_stored)? else {
            return Ok((None, 0));
        };
        let version = item.version;
        let stage = item.decode("mail on its way out").map_err(not_stored)?;
        Ok((Some(stage), version))
    }

    /// Whether the row is at this stage now; not if another process has changed it.
    pub(super) async fn advance(
        &self,
        digest: &str,
        version: u64,
        to: &Stage,
    ) -> Result<bool, AccountError> {
        let key = keys::gmail_sent(self.account, digest);
        let body = serde_json::to_value(to).map_err(|error| not_now(error.to_string()))?;
        match self.commit(vec![Write::over(key, version, body)]).await {
            Ok(()) => Ok(true),
            Err(StoreError::Conflict { .. }) => Ok(false),
            Err(error) => Err(not_stored(error)),
        }
    }

    async fn forget(&self, digest: &str) -> Result<(), AccountError> {
        let key = keys::gmail_sent(self.account, digest);
        let gone = self.commit(vec![Write::delete(key, None)]).await;
        gone.map_err(not_stored)
    }

    /// It is out: its receipt must not be lost over the row, which the next look makes good.
    async fn written_down(&self, digest: &str, sent: SentMail) -> SentMail {
        let SentMail { id, message_id, at } = sent.clone();
        let stage = serde_json::to_value(Stage::Sent { id, message_id, at });
        let key = keys::gmail_sent(self.account, digest);
        match stage.map(|body| Write::put(key, None, body)) {
            Ok(write) => {
                if let Err(error) = self.commit(vec![write]).await {
                    tracing::error!(%error, "a mail that was sent isn't written down as sent");
                }
            }
            Err(error) => tracing::error!(%error, "a mail that was sent can't be written down"),
        }
        sent
    }
}
