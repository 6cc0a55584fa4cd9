//! A person and their folder.

use alfred_core::ports::{Account, AccountError, Mailbox};
use jiff::tz::TimeZone;
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::calendar::CalendarFolder;
use crate::mail::MailFolder;

/// Whose files they are.
#[derive(Clone, Debug)]
pub struct Identity {
    /// Whose account.
    pub account: Account,
    /// Their address: mail is sent from it, and by it a calendar tells whose event it is.
    pub mailbox: Mailbox,
    /// Where they live: times without a zone are theirs.
    pub zone: TimeZone,
}

/// A person with a folder, opened when it is first asked for.
pub(crate) struct Person {
    pub who: Identity,
    root: PathBuf,
    mail: Mutex<Option<MailFolder>>,
    calendar: Mutex<Option<CalendarFolder>>,
}

impl Person {
    pub fn new(who: Identity, root: PathBuf) -> Self {
        Self {
            who,
            root,
            mail: Mutex::default(),
            calendar: Mutex::default(),
        }
    }

    /// One at a time: a mailbox is a few files that change together.
    pub fn with_mail<T>(
        &self,
        act: impl FnOnce(&mut MailFolder) -> Result<T, AccountError>,
    ) -> Result<T, AccountError> {
        let mut mail = lock(&self.mail);
        let folder = match mail.take() {
            Some(folder) => mail.insert(folder),
            None => mail.insert(MailFolder::open(&self.root.join("mail")).map_err(not_reached)?),
        };
        act(folder)
    }

    /// One at a time.
    pub fn with_calendar<T>(
        &self,
        act: impl FnOnce(&mut CalendarFolder) -> Result<T, AccountError>,
    ) -> Result<T, AccountError> {
        let mut calendar = lock(&self.calendar);
        act(calendar.get_or_insert_with(|| CalendarFolder::new(&self.root, &self.who)))
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

/// Nothing was changed.
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
