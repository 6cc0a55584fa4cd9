//! What the suites of mail, calendars, documents and sheets share.

use alfred_core::ports::{Account, AccountError};
use std::sync::Arc;

use super::deduped;

/// A port under test, and an account that holds exactly the suite's data.
pub struct AccountSide<P: ?Sized> {
    pub(super) port: Arc<P>,
    pub(super) account: Account,
    /// Somebody who has connected nothing.
    pub(super) stranger: Account,
    _keeps: Box<dyn Send + Sync>,
}

impl<P: ?Sized> AccountSide<P> {
    /// `keeps` are the servers and folders that must live as long as the port.
    pub fn new(port: Arc<P>, account: Account, keeps: impl Send + Sync + 'static) -> Self {
        Self {
            port,
            stranger: Account::of(&account.team, &"USTRANGER".into()),
            account,
            _keeps: Box::new(keeps),
        }
    }
}

/// The names that a case uses for ids, which providers choose.
pub struct Names<I>(Vec<(String, I)>);

impl<I> Default for Names<I> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<I: Clone + PartialEq> Names<I> {
    pub fn id(&self, name: &str) -> Option<I> {
        let named = self.0.iter().find(|(known, _)| known == name);
        named.map(|(_, id)| id.clone())
    }

    /// The name of an id. A new id is named by its title; the second of a title is `Title 2`.
    pub fn name(&mut self, id: &I, title: &str) -> String {
        if let Some((name, _)) = self.0.iter().find(|(_, known)| known == id) {
            return name.clone();
        }
        let mut name = title.to_owned();
        let mut number = 1;
        while self.id(&name).is_some() {
            number += 1;
            name = format!("{title} {number}");
        }
        self.0.push((name.clone(), id.clone()));
        name
    }
}

pub fn show_error(error: AccountError) -> String {
    match error {
        AccountError::NotConnected(service) => format!("{} not connected", service.as_str()),
        AccountError::NotGranted(service) => format!("{} not granted", service.as_str()),
        AccountError::Expired(service) => format!("{} expired", service.as_str()),
        AccountError::NotReached { retry_after, .. } => match retry_after {
            Some(after) => format!("not now, but in {} s", after.as_secs()),
            None => "not now".into(),
        },
        AccountError::Unknown { .. } => "unknown".into(),
        AccountError::Refused { reason } => format!("refused: {reason}"),
    }
}

pub(super) fn error_word(error: AccountError) -> String {
    let shown = show_error(error);
    assert_ne!(shown, "refused: ");
    let (word, _) = shown.split_once(':').unwrap_or((&shown, ""));
    word.into()
}

/// The errors of several calls, each once.
pub(super) fn error_words(errors: impl IntoIterator<Item = Option<AccountError>>) -> String {
    let words = errors.into_iter().map(|error| error_word(error.unwrap()));
    deduped(words.collect(), ", ")
}
