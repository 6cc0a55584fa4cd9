//! Outgoing mail, once for each key. Without SMTP it is only written to `sent/`. With SMTP a mail is in
//! `outbox/` until the server has answered, and then in `sent/`. After a crash a mail in `outbox/` has an
//! unknown outcome.

use alfred_core::ports::{AccountError, OutgoingMail, SentMail};
use alfred_core::text;
use alfred_mime::{Draft, Raw, digest, message_id_of};
use jiff::Timestamp;
use std::collections::HashMap;
use std::fs;
use std::future::ready;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use tokio::runtime::Handle;

use super::index::{Shelf, Stamp};
use super::scan::HEAD;
use crate::caller::Caller;
use crate::folder;
use crate::person::{Identity, not_reached, unknown};
use alfred_smtp::{Parcel, Smtp};

const OUTBOX: &str = "outbox";

/// Sends a person's mails one at a time.
#[derive(Default)]
pub(crate) struct Outgoing {
    /// Number of sends that have begun.
    entered: AtomicU64,
    line: Mutex<Line>,
    /// Signalled when no send is running.
    free: Condvar,
}

#[derive(Default)]
struct Line {
    /// The name of the mail being sent.
    under_way: Option<String>,
    /// For each name with an unknown outcome: how many sends had begun by then. Those were already waiting,
    /// so they are not retries that somebody requested.
    unknown: HashMap<String, u64>,
}

/// The right to send, until dropped.
struct Turn<'a>(&'a Outgoing);

pub(crate) struct Letter<'a> {
    pub mail: &'a OutgoingMail,
    pub key: &'a str,
    pub at: Timestamp,
    pub caller: &'a Caller,
}

impl Outgoing {
    /// Sends a mail, or returns the one sent under its key. `root` is the mail folder. Sends nothing if the
    /// caller is gone or would have to wait longer than it allows.
    pub fn send(
        &self,
        root: &Path,
        who: &Identity,
        letter: &Letter<'_>,
        smtp: Option<&Smtp>,
    ) -> Result<SentMail, AccountError> {
        let ticket = self.entered.fetch_add(1, Ordering::SeqCst);
        let place = Place::new(root, who, letter.key);
        let turn = self.turn(&place.name, letter.caller)?;
        if let Some(sent) = place.sent()? {
            return Ok(sent);
        }
        if turn.became_unknown(&place.name, ticket) {
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
        let sent = match smtp {
            None => place.written(&bytes),
            Some(smtp) => {
                let parcel = Parcel::new(&who.mailbox, letter.mail, bytes)?;
                place.delivered(smtp, &parcel, letter.caller)
            }
        };
        if matches!(sent, Err(AccountError::Unknown { .. })) {
            turn.is_unknown(place.name);
        }
        sent
    }

    fn line(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits as long as the caller allows.
    fn turn(&self, name: &str, caller: &Caller) -> Result<Turn<'_>, AccountError> {
        let waited = self
            .free
            .wait_timeout_while(self.line(), caller.queues(), |line| {
                line.under_way.is_some()
            });
        let (mut line, _) = waited.unwrap_or_else(PoisonError::into_inner);
        match &line.under_way {
            Some(other) if other == name => return Err(nobody_knows()),
            Some(_) => {
                let busy = io::Error::other("another mail of this person is still under way");
                return Err(not_reached(busy));
            }
            None => {}
        }
        caller.check()?;
        line.under_way = Some(name.to_owned());
        Ok(Turn(self))
    }
}

impl Turn<'_> {
    /// Whether the outcome became unknown while the holder of this ticket was waiting.
    fn became_unknown(&self, name: &str, ticket: u64) -> bool {
        let line = self.0.line();
        line.unknown.get(name).is_some_and(|by| ticket < *by)
    }

    fn is_unknown(&self, name: String) {
        let begun = self.0.entered.load(Ordering::SeqCst);
        self.0.line().unknown.insert(name, begun);
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.line().under_way = None;
        self.0.free.notify_all();
    }
}

/// The mail sent under this key. `Unknown` if it is in `outbox/`.
pub(crate) fn find_sent(
    root: &Path,
    who: &Identity,
    key: &str,
) -> Result<Option<SentMail>, AccountError> {
    let place = Place::new(root, who, key);
    let sent = place.sent()?;
    if sent.is_none() && place.is_under_way().map_err(not_reached)? {
        return Err(nobody_knows());
    }
    Ok(sent)
}

fn nobody_knows() -> AccountError {
    AccountError::Unknown {
        detail: "the mail was given to the server, and its answer was never read".into(),
    }
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

    fn sent(&self) -> Result<Option<SentMail>, AccountError> {
        let found = folder::optional(fs::metadata(&self.sent)).map_err(not_reached)?;
        let Some(found) = found else { return Ok(None) };
        let stamp = Stamp::from_metadata(&found).map_err(not_reached)?;
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

    fn is_under_way(&self) -> io::Result<bool> {
        self.outbox.try_exists()
    }

    /// Writes to `sent/` only.
    fn written(&self, bytes: &[u8]) -> Result<SentMail, AccountError> {
        folder::create(&self.sent, bytes).map_err(unknown)?;
        let sent = self.sent()?;
        sent.ok_or_else(|| unknown(io::Error::other("the mail that was written isn't there")))
    }

    /// Delivers to the server, by way of `outbox/`.
    fn delivered(
        &self,
        smtp: &Smtp,
        parcel: &Parcel,
        caller: &Caller,
    ) -> Result<SentMail, AccountError> {
        // An earlier send has an unknown outcome, which stays unknown whatever this one does.
        let repeated = self.is_under_way().map_err(not_reached)?;
        let begin = || {
            let begun = caller.is_there().and_then(|()| self.begin(parcel.bytes()));
            ready(begun)
        };
        let done = |outcome| ready(self.written_down(outcome, parcel, repeated));
        // This is a blocking thread of a runtime.
        let sent = Handle::current().block_on(smtp.deliver(parcel, begin, done));
        sent.map_err(|error| match error {
            // The server is the deployment's, so the owner can't reconnect it.
            AccountError::Expired(_) => AccountError::refused(text::MAIL_SERVER_LOGIN),
            other => other,
        })
    }

    /// Records the server's answer for later look-ups.
    fn written_down(
        &self,
        outcome: Result<(), AccountError>,
        parcel: &Parcel,
        repeated: bool,
    ) -> Result<SentMail, AccountError> {
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
        if let Some(outbox) = self.outbox.parent() {
            fs::create_dir_all(outbox)?;
        }
        folder::replace(&self.outbox, bytes)
    }
}
