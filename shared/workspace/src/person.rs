//! A person and their folder.

use alfred_core::Progress;
use alfred_core::ports::{
    Account, AccountError, Discarded, DraftRef, Mailbox, OutgoingMail, SentMail,
};
use async_trait::async_trait;
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
use alfred_mime::Itip;
use alfred_smtp::Smtp;

/// Whose files they are.
#[derive(Clone, Debug)]
pub struct Identity {
    /// Whose account.
    pub account: Account,
    /// Their address: mail is sent from it, and by it a calendar tells whose event it is.
    pub mailbox: Mailbox,
    /// Where they live: times without a zone are theirs.
    pub zone: TimeZone,
    /// The server with their calendars, which lie in their folder without.
    pub calendar: Option<CalDavServer>,
}

/// A person with a folder, opened when it is first asked for.
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

    /// One at a time: a mailbox is a few files that change together.
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

    /// Sends a mail, once for its key. The mailbox can be read meanwhile.
    pub fn send(&self, letter: &Letter<'_>, smtp: Option<&Smtp>) -> Result<SentMail, AccountError> {
        // Its folders are there from then on.
        self.with_mail(letter.caller, |_| Ok(()))?;
        let root = self.root.join("mail");
        self.outgoing.send(&root, &self.who, letter, smtp)
    }

    /// What was sent under a key.
    pub fn find_sent(&self, key: &str) -> Result<Option<SentMail>, AccountError> {
        find_sent(&self.root.join("mail"), &self.who, key)
    }

    /// Keeps a draft.
    pub fn save_draft(
        &self,
        (draft, key): (&OutgoingMail, &str),
        at: Timestamp,
        caller: &Caller,
    ) -> Result<DraftRef, AccountError> {
        let root = self.root.join("mail");
        // One at a time, and its folders are there from then on.
        self.with_mail(caller, |_| mail::save(&root, &self.who, (draft, key), at))
    }

    /// Deletes a draft that is as it was kept.
    pub fn discard_draft(
        &self,
        draft: &DraftRef,
        caller: &Caller,
    ) -> Result<Discarded, AccountError> {
        let root = self.root.join("mail");
        self.with_mail(caller, |_| mail::discard(&root, draft))
    }

    /// One at a time.
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

    /// One at a time.
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

/// How others hear of a person's events: by mail, once for a key.
pub(crate) struct Post<'a> {
    pub person: &'a Person,
    pub at: Timestamp,
    pub smtp: Option<&'a Smtp>,
    pub caller: &'a Caller,
    /// Who sends it where that isn't done from the folder.
    pub by: Option<&'a dyn Invitations>,
}

/// Sends what others are to know of events, once for a key.
#[async_trait]
pub trait Invitations: Send + Sync {
    /// Sends it; what was sent under its key isn't sent again.
    ///
    /// # Errors
    /// As `Mail::send`.
    async fn send(&self, mail: &OutgoingMail, itip: &Itip, key: &str) -> Result<(), AccountError>;

    /// Whether it was sent.
    ///
    /// # Errors
    /// `Unknown` when nobody can tell.
    async fn was_sent(&self, key: &str) -> Result<bool, AccountError>;
}

impl Post<'_> {
    pub fn tell(&self, mail: &OutgoingMail, key: &str, itip: &Itip) -> Result<(), AccountError> {
        if let Some(by) = self.by {
            self.caller.check()?;
            // On a thread of a runtime that may block.
            return Handle::current().block_on(by.send(mail, itip, key));
        }
        let letter = Letter {
            mail,
            key,
            at: self.at,
            itip: Some(itip),
            caller: self.caller,
        };
        self.person.send(&letter, self.smtp).map(drop)
    }

    /// Whether it was sent; `Unknown` when nobody can tell.
    pub fn was_told(&self, key: &str) -> Result<bool, AccountError> {
        match self.by {
            Some(by) => Handle::current().block_on(by.was_sent(key)),
            None => Ok(self.person.find_sent(key)?.is_some()),
        }
    }
}

/// A panic while it was held leaves at worst an index that is built anew.
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

/// It was under way.
pub(crate) fn unknown(error: io::Error) -> AccountError {
    AccountError::Unknown {
        detail: error.to_string(),
    }
}
