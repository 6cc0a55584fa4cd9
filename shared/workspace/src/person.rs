use crate::Result;
use alfred_core::Progress;
use alfred_core::ports::{Account, AccountError, Mailbox, SentMail};
use jiff::tz::TimeZone;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::Mutex;

use crate::calendar::{CalDavServer, CalendarFolder};
use crate::caller::blocking;
use crate::documents::DocumentsFolder;
use crate::mail::{Letter, MailFolder, Outgoing, find_sent};
use alfred_smtp::Smtp;

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

/// Opens each part of a person's folder at first use.
pub(crate) struct Person {
    pub who: Identity,
    root: PathBuf,
    mail: Part<MailFolder>,
    outgoing: Outgoing,
    calendar: Part<CalendarFolder>,
    /// Held during a change of the calendar. Meanwhile others are notified, and the calendar is readable.
    pub changing: Mutex<()>,
    documents: Part<DocumentsFolder>,
    progress: Arc<Progress>,
}

type Part<P> = Arc<Mutex<Option<P>>>;

impl Person {
    pub fn new(who: Identity, root: PathBuf, progress: Arc<Progress>) -> Self {
        Self {
            who,
            root,
            mail: Part::default(),
            outgoing: Outgoing::default(),
            calendar: Part::default(),
            changing: Mutex::default(),
            documents: Part::default(),
            progress,
        }
    }

    pub fn mail_root(&self) -> PathBuf {
        self.root.join("mail")
    }

    pub async fn with_mail<T: Send + 'static>(
        &self,
        act: impl FnOnce(&mut MailFolder) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (root, progress) = (self.mail_root(), self.progress.clone());
        let open = move || MailFolder::open(&root, progress).map_err(not_reached);
        with(&self.mail, open, act).await
    }

    /// Sends a mail, once for its key. The mailbox stays readable meanwhile.
    pub async fn send(&self, letter: &Letter<'_>, smtp: Option<Arc<Smtp>>) -> Result<SentMail> {
        let root = self.mail_root();
        self.outgoing.send(&root, &self.who, letter, smtp).await
    }

    pub fn find_sent(&self, key: &str) -> Result<Option<SentMail>> {
        find_sent(&self.mail_root(), &self.who, key)
    }

    pub async fn with_calendar<T: Send + 'static>(
        &self,
        act: impl FnOnce(&mut CalendarFolder) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (who, root) = (self.who.clone(), self.root.clone());
        let open = move || match &who.calendar {
            Some(server) => CalendarFolder::on(server, &who),
            None => Ok(CalendarFolder::new(&root, &who)),
        };
        with(&self.calendar, open, act).await
    }

    pub async fn with_documents<T: Send + 'static>(
        &self,
        act: impl FnOnce(&DocumentsFolder) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (root, account) = (self.root.join("documents"), self.who.account.clone());
        let open = move || Ok(DocumentsFolder::new(&root, &account));
        with(&self.documents, open, |folder| act(folder)).await
    }
}

/// Calls `act` on a blocking thread, for one caller at a time. After a panic the part is opened again.
async fn with<P: Send + 'static, T: Send + 'static>(
    part: &Part<P>,
    open: impl FnOnce() -> Result<P> + Send + 'static,
    act: impl FnOnce(&mut P) -> Result<T> + Send + 'static,
) -> Result<T> {
    let mut part = part.clone().lock_owned().await;
    blocking(move || {
        let mut opened = part.take().map_or_else(open, Ok)?;
        let done = act(&mut opened);
        *part = Some(opened);
        done
    })
    .await
}

pub(crate) fn not_reached(error: io::Error) -> AccountError {
    AccountError::not_reached(error)
}

/// For an error in the middle of an operation.
pub(crate) fn unknown(error: io::Error) -> AccountError {
    AccountError::unknown(error)
}
