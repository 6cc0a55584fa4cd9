use alfred_core::Progress;
use alfred_core::ports::{
    Account, AccountError, Discarded, DraftRef, Mail, Mailbox, OutgoingMail, SentMail,
};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::runtime::Handle;

use crate::calendar::{CalDavServer, CalendarFolder};
use crate::caller::Caller;
use crate::documents::DocumentsFolder;
use crate::mail::{self, Letter, MailFolder, Outgoing, find_sent};
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
    mail: Mutex<Option<MailFolder>>,
    outgoing: Outgoing,
    calendar: Mutex<Option<CalendarFolder>>,
    documents: Mutex<Option<DocumentsFolder>>,
    progress: Arc<Progress>,
}

impl Person {
    pub fn new(who: Identity, root: PathBuf, progress: Arc<Progress>) -> Self {
        Self {
            who,
            root,
            mail: Mutex::default(),
            outgoing: Outgoing::default(),
            calendar: Mutex::default(),
            documents: Mutex::default(),
            progress,
        }
    }

    /// One caller at a time, since a mailbox's files change together.
    pub fn with_mail<T>(
        &self,
        caller: &Caller,
        act: impl FnOnce(&mut MailFolder) -> Result<T, AccountError>,
    ) -> Result<T, AccountError> {
        let mut mail = lock(&self.mail);
        caller.check()?;
        let folder = match mail.take() {
            Some(folder) => mail.insert(folder),
            None => {
                let opened = MailFolder::open(&self.root.join("mail"), self.progress.clone());
                mail.insert(opened.map_err(not_reached)?)
            }
        };
        act(folder)
    }

    /// Sends a mail, once for its key. The mailbox stays readable meanwhile.
    pub fn send(&self, letter: &Letter<'_>, smtp: Option<&Smtp>) -> Result<SentMail, AccountError> {
        // Creates the folders if they are missing.
        self.with_mail(letter.caller, |_| Ok(()))?;
        let root = self.root.join("mail");
        self.outgoing.send(&root, &self.who, letter, smtp)
    }

    pub fn find_sent(&self, key: &str) -> Result<Option<SentMail>, AccountError> {
        find_sent(&self.root.join("mail"), &self.who, key)
    }

    pub fn save_draft(
        &self,
        (draft, key): (&OutgoingMail, &str),
        at: Timestamp,
        caller: &Caller,
    ) -> Result<DraftRef, AccountError> {
        let root = self.root.join("mail");
        // One caller at a time, and it creates the folders.
        self.with_mail(caller, |_| mail::save(&root, &self.who, (draft, key), at))
    }

    /// Deletes a draft if it is unedited.
    pub fn discard_draft(
        &self,
        draft: &DraftRef,
        caller: &Caller,
    ) -> Result<Discarded, AccountError> {
        let root = self.root.join("mail");
        self.with_mail(caller, |_| mail::discard(&root, draft))
    }

    /// One caller at a time.
    pub fn with_calendar<T>(
        &self,
        caller: &Caller,
        act: impl FnOnce(&mut CalendarFolder) -> Result<T, AccountError>,
    ) -> Result<T, AccountError> {
        let mut calendar = lock(&self.calendar);
        caller.check()?;
        let calendar = match (calendar.take(), &self.who.calendar) {
            (Some(known), _) => calendar.insert(known),
            (None, Some(server)) => calendar.insert(CalendarFolder::on(server, &self.who)?),
            (None, None) => calendar.insert(CalendarFolder::new(&self.root, &self.who)),
        };
        act(calendar)
    }

    /// One caller at a time.
    pub fn with_documents<T>(
        &self,
        caller: &Caller,
        act: impl FnOnce(&DocumentsFolder) -> Result<T, AccountError>,
    ) -> Result<T, AccountError> {
        let mut documents = lock(&self.documents);
        caller.check()?;
        let root = self.root.join("documents");
        act(documents.get_or_insert_with(|| DocumentsFolder::new(&root, &self.who.account)))
    }
}

/// Notifies others of a person's events by mail, once for each key.
pub(crate) struct Post<'a> {
    pub person: &'a Person,
    pub at: Timestamp,
    pub smtp: Option<&'a Smtp>,
    pub caller: &'a Caller,
    /// Sends the mail instead of the folder's own outbox.
    pub by: Option<&'a dyn Mail>,
}

impl Post<'_> {
    pub fn tell(&self, mail: &OutgoingMail, key: &str) -> Result<(), AccountError> {
        if let Some(by) = self.by {
            self.caller.check()?;
            let sent = by.send(&self.person.who.account, mail, key);
            // This is a blocking thread of a runtime.
            return Handle::current().block_on(sent).map(drop);
        }
        let letter = Letter {
            mail,
            key,
            at: self.at,
            caller: self.caller,
        };
        self.person.send(&letter, self.smtp).map(drop)
    }

    /// Whether a notification was sent. `Unknown` if that can't be determined.
    pub fn was_told(&self, key: &str) -> Result<bool, AccountError> {
        match self.by {
            Some(by) => {
                let sent = by.find_sent(&self.person.who.account, key);
                Ok(Handle::current().block_on(sent)?.is_some())
            }
            None => Ok(self.person.find_sent(key)?.is_some()),
        }
    }
}

/// After a panic the content is dropped, so it is opened again.
fn lock<T>(mutex: &Mutex<Option<T>>) -> MutexGuard<'_, Option<T>> {
    mutex.lock().unwrap_or_else(|poisoned| {
        let mut guard = PoisonError::into_inner(poisoned);
        *guard = None;
        mutex.clear_poison();
        guard
    })
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
