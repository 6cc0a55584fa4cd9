use alfred_core::Progress;
use alfred_core::ports::{Account, AccountError, Mailbox, OutgoingMail};
use alfred_mime::Itip;
use async_trait::async_trait;
use jiff::tz::TimeZone;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::Mutex;

use crate::calendar::{CalDavServer, CalendarFolder};
use crate::documents::DocumentsFolder;
use crate::mail::{MailFolder, Turns};

#[derive(Clone, Debug)]
pub struct Identity {
    pub account: Account,
    /// The sender of their mail, and their identity in calendars.
    pub mailbox: Mailbox,
    /// The zone of times without one.
    pub zone: TimeZone,
    /// Their calendar server. Without one their calendars are files in the folder.
    pub calendar: Option<CalDavServer>,
}

/// A person's folder.
pub(crate) struct Person {
    pub who: Identity,
    pub root: PathBuf,
    /// Turns of outgoing mails.
    pub turns: Turns,
    /// Held while a calendar change is computed, notified and written.
    pub changes: Mutex<()>,
    mail: Part<MailFolder>,
    calendar: Part<CalendarFolder>,
    documents: Part<DocumentsFolder>,
    progress: Arc<Progress>,
}

/// One part of a folder, opened at first use.
type Part<T> = Arc<Mutex<Option<T>>>;

impl Person {
    pub fn new(who: Identity, root: PathBuf, progress: Arc<Progress>) -> Self {
        Self {
            who,
            root,
            turns: Turns::default(),
            changes: Mutex::default(),
            mail: Part::default(),
            calendar: Part::default(),
            documents: Part::default(),
            progress,
        }
    }

    /// Creates missing folders of the mailbox.
    pub async fn with_mail<T: Send + 'static>(
        &self,
        act: impl FnOnce(&mut MailFolder) -> Result<T, AccountError> + Send + 'static,
    ) -> Result<T, AccountError> {
        let (root, progress) = (self.root.join("mail"), self.progress.clone());
        let open = move || MailFolder::open(&root, progress).map_err(not_reached);
        with_part(&self.mail, open, act).await
    }

    pub async fn with_calendar<T: Send + 'static>(
        &self,
        act: impl FnOnce(&mut CalendarFolder) -> Result<T, AccountError> + Send + 'static,
    ) -> Result<T, AccountError> {
        let (root, who) = (self.root.clone(), self.who.clone());
        let open = move || match &who.calendar {
            Some(server) => CalendarFolder::on(server, &who),
            None => Ok(CalendarFolder::new(&root, &who)),
        };
        with_part(&self.calendar, open, act).await
    }

    pub async fn with_documents<T: Send + 'static>(
        &self,
        act: impl FnOnce(&mut DocumentsFolder) -> Result<T, AccountError> + Send + 'static,
    ) -> Result<T, AccountError> {
        let (root, account) = (self.root.join("documents"), self.who.account.clone());
        let open = move || Ok(DocumentsFolder::new(&root, &account));
        with_part(&self.documents, open, act).await
    }
}

/// Runs an operation on a blocking thread, one at a time. It holds the lock to its end even if its caller is
/// gone, so a later look-up sees all of it. After a panic the part is opened again.
async fn with_part<P: Send + 'static, T: Send + 'static>(
    part: &Part<P>,
    open: impl FnOnce() -> Result<P, AccountError> + Send + 'static,
    act: impl FnOnce(&mut P) -> Result<T, AccountError> + Send + 'static,
) -> Result<T, AccountError> {
    let mut part = part.clone().lock_owned().await;
    let done = tokio::task::spawn_blocking(move || {
        let mut opened = match part.take() {
            Some(opened) => opened,
            None => open()?,
        };
        let done = act(&mut opened);
        *part = Some(opened);
        done
    });
    done.await.unwrap_or_else(|ended| {
        // It panicked or the process is ending, so its progress is unknown.
        Err(AccountError::Unknown {
            detail: ended.to_string(),
        })
    })
}

/// Sends notifications about events, once for each key.
#[async_trait]
pub trait Invitations: Send + Sync {
    /// Sends a notification unless one was sent under its key. Fails as `Mail::send`.
    async fn send(&self, mail: &OutgoingMail, itip: &Itip, key: &str) -> Result<(), AccountError>;

    /// Whether a notification was sent. `Unknown` if that can't be determined.
    async fn was_sent(&self, key: &str) -> Result<bool, AccountError>;
}

pub(crate) fn not_reached(error: io::Error) -> AccountError {
    AccountError::NotReached {
        detail: error.to_string(),
        retry_after: None,
    }
}

/// For an error in the middle of an operation.
pub(crate) fn unknown(error: io::Error) -> AccountError {
    AccountError::Unknown {
        detail: error.to_string(),
    }
}
