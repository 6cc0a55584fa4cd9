//! Opens mailboxes and calendars. An opened one is reused for a while: its calendar cache stays, and names
//! need no look-up.

use crate::Result;
use alfred_accounts::account_store::AccountRow;
use alfred_accounts::outbox::not_now as away;
use alfred_core::ports::{
    Account, AccountError, AccountService, Calendar, Mail, Mailbox, Opened, Opens,
};
use alfred_core::{User, keys};
use alfred_workspace::{Identity, Workspace};
use async_trait::async_trait;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::accounts::ServerAccounts;
use crate::check::{Clients, Untaken, Wrong};
use crate::imap::{ImapMail, Person};
use crate::kept::Kept;

/// How long resolved addresses, and the person's name and zone, are reused.
const LASTS: SignedDuration = SignedDuration::from_mins(5);
/// Opened accounts that a process keeps.
const AT_MOST: usize = 64;

#[derive(Default)]
pub(crate) struct Ready(Mutex<HashMap<Account, Open>>);

#[derive(Clone)]
struct Open {
    grant: String,
    until: Timestamp,
    mail: Arc<ImapMail>,
    calendar: Option<Arc<Workspace>>,
}

impl Ready {
    fn all(&self) -> MutexGuard<'_, HashMap<Account, Open>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn of(&self, account: &Account, grant: &str, now: Timestamp) -> Option<Open> {
        let all = self.all();
        let open = all.get(account)?;
        (open.grant == grant && now < open.until).then(|| open.clone())
    }

    fn keep(&self, account: &Account, open: Open, now: Timestamp) {
        let mut all = self.all();
        all.retain(|_, open| now < open.until);
        if all.len() >= AT_MOST {
            all.clear();
        }
        all.insert(account.clone(), open);
    }

    pub fn forget(&self, account: &Account) {
        self.all().remove(account);
    }
}

/// The servers existed when the account was connected.
fn gone(Untaken(field, wrong): Untaken) -> AccountError {
    match wrong {
        Wrong::NotAllowed => AccountError::refused(Untaken(field, wrong).words()),
        _ => away(format!("{field:?}: {wrong:?}")),
    }
}

impl ServerAccounts {
    pub fn mail(self: &Arc<Self>) -> Arc<dyn Mail> {
        Arc::new(Opened::<dyn Mail>(self.clone()))
    }

    pub fn calendar(self: &Arc<Self>) -> Arc<dyn Calendar> {
        Arc::new(Opened::<dyn Calendar>(self.clone()))
    }

    async fn opened(&self, account: &Account, service: AccountService) -> Result<Open> {
        // Read each time, so that a disconnection elsewhere takes effect at once.
        let row = self.accounts.row(account).await.map_err(away)?;
        let row = row.ok_or(AccountError::NotConnected(service))?;
        if row.ended.is_some() {
            return Err(AccountError::Expired(service));
        }
        let now = self.accounts.clock.now();
        if let Some(open) = self.ready.of(account, &row.grant, now) {
            return Ok(open);
        }
        let kept: Option<Kept> = self.accounts.secret(account).await.map_err(away)?;
        // The secret belongs to another connection or was deleted, so the row is unusable.
        let Some(kept) = kept.filter(|kept| kept.grant == row.grant) else {
            self.accounts.end(account, &row).await.map_err(away)?;
            return Err(AccountError::Expired(service));
        };
        let open = self.open_kept(account, &row, &kept, now).await?;
        self.ready.keep(account, open.clone(), now);
        Ok(open)
    }

    async fn open_kept(
        &self,
        account: &Account,
        row: &AccountRow,
        kept: &Kept,
        now: Timestamp,
    ) -> Result<Open> {
        let user = keys::user(&account.team, &account.user);
        let (store, clock) = (&self.accounts.store, &self.accounts.clock);
        let user = store.get(&user).await.map_err(away)?;
        let user = user.ok_or(AccountError::NotConnected(AccountService::Mail))?;
        let user: User = user.decode("user").map_err(away)?;
        let mailbox = Mailbox::new(user.name, &row.email);
        let clients = Clients::of(kept, &self.allowed).await.map_err(gone)?;
        let person = Person {
            mailbox: mailbox.clone(),
            imap: clients.imap,
            smtp: clients.smtp,
        };
        let people = [(account.clone(), person)];
        let mail = Arc::new(ImapMail::new(people, store.clone(), clock.clone()));
        let calendar = clients.calendar.map(|calendar| {
            let who = Identity {
                account: account.clone(),
                mailbox,
                zone: TimeZone::get(&user.timezone).unwrap_or(TimeZone::UTC),
                calendar: Some(calendar),
            };
            // No folder: events are on the server, and notifications go by mail.
            let people = [(who, PathBuf::new())];
            let calendar = Workspace::new(people, clock.clone());
            Arc::new(calendar.with_invitations(mail.clone()))
        });
        Ok(Open {
            grant: row.grant.clone(),
            until: now.saturating_add(LASTS).unwrap_or(now),
            mail,
            calendar,
        })
    }

    /// Handles an error of the servers: drops the cached clients, or ends the account.
    async fn after(&self, account: &Account, grant: &str, error: AccountError) -> AccountError {
        if let AccountError::NotReached { .. } = error {
            // The server may have new addresses.
            self.ready.forget(account);
        }
        let AccountError::Expired(_) = error else {
            return error;
        };
        let ended = match self.accounts.row(account).await {
            Ok(Some(row)) if row.grant == grant => self.accounts.end(account, &row).await.map(drop),
            row => row.map(drop),
        };
        ended.map_err(away).err().unwrap_or(error)
    }
}

#[async_trait]
impl Opens<dyn Mail> for ServerAccounts {
    async fn open(&self, account: &Account) -> Result<(Arc<dyn Mail>, String)> {
        let open = self.opened(account, AccountService::Mail).await?;
        Ok((open.mail, open.grant))
    }

    async fn failed(&self, account: &Account, grant: &str, error: AccountError) -> AccountError {
        self.after(account, grant, error).await
    }
}

#[async_trait]
impl Opens<dyn Calendar> for ServerAccounts {
    async fn open(&self, account: &Account) -> Result<(Arc<dyn Calendar>, String)> {
        let open = self.opened(account, AccountService::Calendar).await?;
        let calendar = open.calendar;
        let calendar = calendar.ok_or(AccountError::NotGranted(AccountService::Calendar))?;
        Ok((calendar, open.grant))
    }

    async fn failed(&self, account: &Account, grant: &str, error: AccountError) -> AccountError {
        self.after(account, grant, error).await
    }
}
