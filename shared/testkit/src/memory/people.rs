use super::Result;
use alfred_core::ports::{Account, AccountError, AccountService};
use std::collections::HashMap;
use std::sync::Mutex;

pub(super) struct MemoryAccount<'a, P, T> {
    pub port: &'a P,
    pub people: &'a People<T>,
    pub account: &'a Account,
}

impl<P, T> MemoryAccount<'_, P, T> {
    pub fn of<R>(&self, act: impl FnOnce(&mut T) -> R) -> Result<R> {
        self.people.of(self.account, act)
    }
}

/// What each person has in one service. All other people are `NotConnected`.
pub(super) struct People<T> {
    service: AccountService,
    people: Mutex<HashMap<Account, T>>,
}

impl<T> People<T> {
    pub fn new(service: AccountService) -> Self {
        Self {
            service,
            people: Mutex::default(),
        }
    }

    pub fn add(&self, account: &Account, person: T) {
        self.people.lock().unwrap().insert(account.clone(), person);
    }

    pub fn of<R>(&self, account: &Account, act: impl FnOnce(&mut T) -> R) -> Result<R> {
        let mut people = self.people.lock().unwrap();
        let person = people.get_mut(account).map(act);
        person.ok_or(AccountError::NotConnected(self.service))
    }

    /// Like `of`, for tests that know this person.
    pub fn known<R>(&self, account: &Account, act: impl FnOnce(&mut T) -> R) -> R {
        self.of(account, act).unwrap()
    }
}
