//! Outgoing mail, once for each key. Without SMTP it is only written to `sent/`. With SMTP a mail is in
//! `outbox/` until the server has answered, and then in `sent/`. After a crash a mail in `outbox/` has an
//! unknown outcome.

use alfred_core::ports::{AccountError, OutgoingMail, SentMail};
use alfred_core::text;
use alfred_mime::{Draft, Raw, digest, message_id_of};
use jiff::Timestamp;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::time::timeout_at;

use super::index::{Shelf, Stamp};
use super::scan::HEAD;
use crate::caller::{Caller, blocking};
use crate::person::{Identity, not_reached, unknown};
use crate::{Result, folder};
use alfred_smtp::{Parcel, Smtp};

const OUTBOX: &str = "outbox";

/// Sends a person's mails one at a time.
#[derive(Default)]
pub(crate) struct Outgoing {
    turn: tokio::sync::Mutex<()>,
    /// The name of the mail that had the last turn.
    latest: Mutex<String>,
}

pub(crate) struct Letter<'a> {
    pub mail: &'a OutgoingMail,
    pub key: &'a str,
    pub at: Timestamp,
    pub caller: &'a Caller,
}

impl Outgoing {
    /// Sends a mail, or returns the one sent under its key. `root` is the mail folder. Sends nothing if the
    /// caller is gone or would have to wait longer than it allows.
    pub async fn send(
        &self,
        root: &Path,
        who: &Identity,
        letter: &Letter<'_>,
        smtp: Option<Arc<Smtp>>,
    ) -> Result<SentMail> {
        let place = Arc::new(Place::new(root, who, letter.key));
        // Each attempt to send writes this file anew, with another inode.
        let seen = stamp_of(&place.outbox)?.filter(|_| !self.is_sending(&place.name));
        let turn = timeout_at(letter.caller.queues_until, self.turn.lock()).await;
        let Ok(_turn) = turn else {
            if self.is_sending(&place.name) {
                return Err(nobody_knows());
            }
            let busy = "another mail of this person is still under way";
            return Err(AccountError::not_reached(busy));
        };
        letter.caller.check()?;
        self.latest().clone_from(&place.name);
        if let Some(sent) = place.sent()? {
            return Ok(sent);
        }
        // A caller that was waiting when the outcome became unknown didn't request a retry.
        let now = stamp_of(&place.outbox)?;
        if now.is_some() && now != seen {
            return Err(nobody_knows());
        }
        let draft = Draft {
            mail: letter.mail,
            from: &who.mailbox,
            message_id: &place.message_id,
            at: letter.at,
            header: None,
        };
        let bytes = draft.to_bytes().map_err(not_reached)?;
        let Some(smtp) = smtp else {
            return blocking(move || place.written(&bytes)).await;
        };
        let parcel = Parcel::new(&who.mailbox, letter.mail, bytes)?;
        deliver(&smtp, place, Arc::new(parcel), letter.caller).await
    }

    fn latest(&self) -> MutexGuard<'_, String> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_sending(&self, name: &str) -> bool {
        self.turn.try_lock().is_err() && *self.latest() == name
    }
}

/// Delivers to the server, by way of `outbox/`.
async fn deliver(
    smtp: &Smtp,
    place: Arc<Place>,
    parcel: Arc<Parcel>,
    caller: &Caller,
) -> Result<SentMail> {
    // An earlier send has an unknown outcome, which stays unknown whatever this one does.
    let repeated = place.is_under_way()?;
    let begin = || {
        let (place, parcel, caller) = (place.clone(), parcel.clone(), caller.clone());
        let begun = blocking(move || {
            place.begin(parcel.bytes()).map_err(not_reached)?;
            // From here on a look-up finds the file.
            caller.check()
        });
        async move { begun.await.map_err(io::Error::other) }
    };
    let done = |outcome| {
        let (place, parcel) = (place.clone(), parcel.clone());
        blocking(move || place.written_down(outcome, &parcel, repeated))
    };
    let sent = smtp.deliver(&parcel, begin, done).await;
    sent.map_err(|error| match error {
        // The server is the deployment's, so the owner can't reconnect it.
        AccountError::Expired(_) => AccountError::refused(text::MAIL_SERVER_LOGIN),
        other => other,
    })
}

/// The mail sent under this key. `Unknown` if it is in `outbox/`.
pub(crate) fn find_sent(root: &Path, who: &Identity, key: &str) -> Result<Option<SentMail>> {
    let place = Place::new(root, who, key);
    let sent = place.sent()?;
    if sent.is_none() && place.is_under_way()? {
        return Err(nobody_knows());
    }
    Ok(sent)
}

fn nobody_knows() -> AccountError {
    AccountError::unknown("the mail was given to the server, and its answer was never read")
}

/// The paths of a key's mail. The file name is a digest, so no foreign text becomes a path.
struct Place {
    name: String,
    message_id: String,
    outbox: PathBuf,
    sent: PathBuf,
}

impl Place {
    fn new(root: &Path, who: &Identity, key: &str) -> Self {
        let name = digest(&who.account, key);
        let file = |folder: &str| root.join(folder).join(format!("{name}.eml"));
        Self {
            message_id: message_id_of(&name, &who.mailbox),
            outbox: file(OUTBOX),
            sent: file(Shelf::Sent.name()),
            name,
        }
    }

    fn sent(&self) -> Result<Option<SentMail>> {
        let Some(stamp) = stamp_of(&self.sent)? else {
            return Ok(None);
        };
        let (bytes, whole) = folder::head(&self.sent, HEAD).map_err(not_reached)?;
        let raw = Raw {
            bytes: &bytes,
            whole,
            size: stamp.size,
            modified: stamp.modified,
        };
        Ok(Some(self.receipt(&raw)))
    }

    fn receipt(&self, raw: &Raw<'_>) -> SentMail {
        SentMail {
            id: raw.id(),
            message_id: self.message_id.clone(),
            at: raw.summary().map_or(raw.modified, |s| s.received_at),
        }
    }

    fn is_under_way(&self) -> Result<bool> {
        self.outbox.try_exists().map_err(not_reached)
    }

    /// Writes to `sent/` only.
    fn written(&self, bytes: &[u8]) -> Result<SentMail> {
        self.create_folders().map_err(not_reached)?;
        folder::create(&self.sent, bytes).map_err(unknown)?;
        let sent = self.sent()?;
        sent.ok_or_else(|| AccountError::unknown("the mail that was written isn't there"))
    }

    /// Records the server's answer for later look-ups.
    fn written_down(
        &self,
        outcome: Result<()>,
        parcel: &Parcel,
        repeated: bool,
    ) -> Result<SentMail> {
        match outcome {
            Ok(()) => {
                if let Err(error) = folder::rename(&self.outbox, &self.sent) {
                    // It was sent, so a failed rename must not lose its receipt.
                    tracing::error!(%error, "a mail that was sent stays in the outbox");
                }
                let now = Timestamp::now();
                Ok(self.receipt(&Raw::whole(parcel.bytes(), now)))
            }
            Err(error @ AccountError::Unknown { .. }) => Err(error),
            Err(nothing) => {
                if !repeated {
                    folder::remove(&self.outbox).map_err(unknown)?;
                }
                Err(nothing)
            }
        }
    }

    fn begin(&self, bytes: &[u8]) -> io::Result<()> {
        self.create_folders()?;
        folder::replace(&self.outbox, bytes)
    }

    fn create_folders(&self) -> io::Result<()> {
        let folders = [&self.outbox, &self.sent].map(|file| file.parent());
        let mut folders = folders.into_iter().flatten();
        folders.try_for_each(fs::create_dir_all)
    }
}

fn stamp_of(file: &Path) -> Result<Option<Stamp>> {
    let found = fs::metadata(file).and_then(|found| Stamp::from_metadata(&found));
    folder::optional(found).map_err(not_reached)
}
