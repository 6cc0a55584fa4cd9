//! Outgoing mail, once for each key. Without SMTP it is only written to `sent/`. With SMTP a mail is in
//! `outbox/` until the server has answered, and then in `sent/`. After a crash a mail in `outbox/` has an
//! unknown outcome.

use alfred_core::ports::{AccountError, OutgoingMail, SentMail};
use alfred_core::text;
use alfred_mime::{Draft, Itip, Raw, digest};
use jiff::Timestamp;
use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError};
use tokio::sync::Mutex;

use super::index::{Shelf, Stamp};
use super::scan::HEAD;
use crate::folder;
use crate::person::{Person, not_reached, unknown};
use alfred_smtp::{Parcel, Smtp};

const OUTBOX: &str = "outbox";

/// One send at a time for each mail. The flag tells those who waited that the outcome became unknown, since
/// they aren't retries that somebody requested.
#[derive(Default)]
pub(crate) struct Turns(std::sync::Mutex<HashMap<String, Arc<Mutex<bool>>>>);

impl Turns {
    fn of(&self, name: &str) -> Arc<Mutex<bool>> {
        let mut turns = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        turns.retain(|_, turn| Arc::strong_count(turn) > 1);
        turns.entry(name.to_owned()).or_default().clone()
    }
}

pub(crate) struct Letter<'a> {
    pub mail: &'a OutgoingMail,
    pub key: &'a str,
    pub at: Timestamp,
    pub itip: Option<&'a Itip>,
}

/// Sends a mail, or returns the one sent under its key. If the caller gives up before the mail's first byte,
/// nothing is sent.
pub(crate) async fn send(
    person: &Person,
    letter: &Letter<'_>,
    smtp: Option<&Smtp>,
) -> Result<SentMail, AccountError> {
    let place = Arc::new(Place::new(person, letter.key));
    let turn = person.turns.of(&place.name);
    let mut in_doubt = turn.lock().await;
    let sent = place.clone();
    if let Some(sent) = person.with_mail(move |_| sent.sent()).await? {
        return Ok(sent);
    }
    if *in_doubt {
        return Err(nobody_knows());
    }
    let draft = Draft {
        mail: letter.mail,
        from: &person.who.mailbox,
        message_id: &place.message_id,
        at: letter.at,
        itip: letter.itip,
        header: None,
    };
    let bytes = draft.to_bytes().map_err(not_reached)?;
    let Some(smtp) = smtp else {
        return person.with_mail(move |_| place.written(&bytes)).await;
    };
    let parcel = Parcel::new(&person.who.mailbox, letter.mail, bytes)?;
    // Also if this caller gives up while the mail is under way.
    *in_doubt = true;
    let sent = delivered(person, place, smtp, Arc::new(parcel)).await;
    *in_doubt = matches!(sent, Err(AccountError::Unknown { .. }));
    sent
}

/// The mail sent under this key. `Unknown` if it is in `outbox/`.
pub(crate) async fn find_sent(
    person: &Person,
    key: &str,
) -> Result<Option<SentMail>, AccountError> {
    let place = Place::new(person, key);
    let find = move || {
        let sent = place.sent()?;
        if sent.is_none() && place.is_under_way().map_err(not_reached)? {
            return Err(nobody_knows());
        }
        Ok(sent)
    };
    person.with_mail(move |_| find()).await
}

/// Delivers to the server, by way of `outbox/`.
async fn delivered(
    person: &Person,
    place: Arc<Place>,
    smtp: &Smtp,
    parcel: Arc<Parcel>,
) -> Result<SentMail, AccountError> {
    let looked = place.clone();
    let look = move || looked.is_under_way().map_err(not_reached);
    // An earlier send has an unknown outcome, which stays unknown whatever this one does.
    let repeated = person.with_mail(move |_| look()).await?;
    let begin = || {
        let (place, parcel) = (place.clone(), parcel.clone());
        let begun = person.with_mail(move |_| place.begin(parcel.bytes()).map_err(not_reached));
        async { begun.await.map_err(io::Error::other) }
    };
    let done = |outcome| {
        let (place, parcel) = (place.clone(), parcel.clone());
        person.with_mail(move |_| place.written_down(outcome, &parcel, repeated))
    };
    let sent = smtp.deliver(&parcel, begin, done).await;
    sent.map_err(|error| match error {
        // The server is the deployment's, so the owner can't reconnect it.
        AccountError::Expired(_) => AccountError::refused(text::MAIL_SERVER_LOGIN),
        other => other,
    })
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
    fn new(person: &Person, key: &str) -> Self {
        let (who, root) = (&person.who, person.root.join("mail"));
        let name = digest(&who.account, key);
        let address = alfred_mime::ascii_domain(&who.mailbox.address);
        let domain = address.rsplit_once('@');
        let domain = domain.map_or("localhost", |(_, domain)| domain);
        let file = |folder: &str| root.join(folder).join(format!("{name}.eml"));
        Self {
            message_id: format!("{name}@{domain}"),
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
                Ok(self.receipt(&Raw {
                    bytes: parcel.bytes(),
                    whole: true,
                    size: parcel.bytes().len() as u64,
                    modified: now,
                }))
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
