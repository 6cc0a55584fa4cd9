//! Connecting people's own accounts (annex 5, 5), and what lets Alfred into them.

use async_trait::async_trait;
use jiff::Timestamp;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use thiserror::Error;

use super::{Account, AccountService, SecretError, Secrets};

/// Who has people's accounts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Provider {
    /// Google: Gmail, Calendar, Docs, Sheets.
    Google,
    /// Microsoft 365: Exchange Online and Outlook.com.
    Microsoft,
    /// Servers of somebody's own choice, by password: IMAP, SMTP and CalDAV.
    Servers,
}

impl Provider {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Google, Self::Microsoft, Self::Servers];

    /// As it stands in commands, keys and names of secrets.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Google => "google",
            Self::Microsoft => "microsoft",
            Self::Servers => "mail",
        }
    }

    /// As people call it.
    pub fn shown(self) -> &'static str {
        match self {
            Self::Google => "Google",
            Self::Microsoft => "Microsoft 365",
            Self::Servers => "IMAP mail",
        }
    }

    /// What its accounts give here.
    pub fn services(self) -> &'static [AccountService] {
        match self {
            Self::Google => &[
                AccountService::Mail,
                AccountService::MailSend,
                AccountService::Calendar,
                AccountService::Documents,
                AccountService::Sheets,
            ],
            Self::Microsoft | Self::Servers => &[
                AccountService::Mail,
                AccountService::MailSend,
                AccountService::Calendar,
            ],
        }
    }

    /// The one that a command names, whatever the case.
    pub fn named(word: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|provider| provider.as_str().eq_ignore_ascii_case(word))
    }
}

/// An account that somebody connected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connection {
    /// Who has it.
    pub provider: Provider,
    /// Its address.
    pub email: String,
    /// What was granted, in the order of [`AccountService::ALL`].
    pub services: Vec<AccountService>,
    /// Since when.
    pub since: Timestamp,
    /// Whether the provider takes Alfred's access no more.
    pub ended: bool,
    /// Whether an administrator connected it for everybody.
    pub delegated: bool,
}

impl Connection {
    /// Whether this one, of all that somebody connected, is where a service is taken from: of those that give it the
    /// one connected last, also where its access has ended, or they would work with other mail unawares. Mail is sent
    /// from where it is read.
    pub fn used_for(&self, service: AccountService, all: &[Self]) -> bool {
        let by = match service {
            AccountService::MailSend => AccountService::Mail,
            other => other,
        };
        let gives = |one: &&Self| one.services.contains(&by);
        let chosen = all.iter().filter(gives).max_by_key(|one| one.since);
        self.services.contains(&service) && chosen.is_some_and(|one| one.provider == self.provider)
    }
}

/// Why nothing was connected or disconnected.
#[derive(Debug, Error)]
pub enum ConnectError {
    /// This deployment has no client of that provider.
    #[error("{} isn't set up", .0.as_str())]
    NotSetUp(Provider),
    /// An administrator has connected it for everybody: there is nothing to do.
    #[error("{} is connected by an administrator", .0.as_str())]
    ByAdministrator(Provider),
    /// The store, the secrets or the provider didn't answer; nothing changed.
    #[error("unavailable: {detail}")]
    Unavailable {
        /// For the log.
        detail: String,
    },
}

/// Connects people's own accounts.
#[async_trait]
pub trait Connect: Send + Sync {
    /// Whose accounts can be connected here.
    fn providers(&self) -> &[Provider];

    /// A link under which this person consents to these services, in addition to what they granted before. It works
    /// once, for ten minutes.
    ///
    /// # Errors
    /// `NotSetUp` where there is no such provider.
    async fn begin(
        &self,
        account: &Account,
        provider: Provider,
        services: &[AccountService],
    ) -> Result<String, ConnectError>;

    /// A link under which this person picks the files that their connected account may give Alfred, in addition to
    /// those it gives already. It works as that of `begin`.
    ///
    /// # Errors
    /// `NotSetUp` where there is no such provider.
    async fn pick(&self, account: &Account, provider: Provider) -> Result<String, ConnectError>;

    /// What they connected, the newest first.
    async fn connections(&self, account: &Account) -> Result<Vec<Connection>, ConnectError>;

    /// Ends Alfred's access at the provider, where it has a way for that, then forgets it; `None` when nothing was
    /// connected.
    async fn disconnect(
        &self,
        account: &Account,
        provider: Provider,
    ) -> Result<Option<Connection>, ConnectError>;
}

/// Where no provider is set up.
#[async_trait]
impl Connect for super::Unconnected {
    fn providers(&self) -> &[Provider] {
        &[]
    }

    async fn begin(
        &self,
        _: &Account,
        provider: Provider,
        _: &[AccountService],
    ) -> Result<String, ConnectError> {
        Err(ConnectError::NotSetUp(provider))
    }

    async fn pick(&self, _: &Account, provider: Provider) -> Result<String, ConnectError> {
        Err(ConnectError::NotSetUp(provider))
    }

    async fn connections(&self, _: &Account) -> Result<Vec<Connection>, ConnectError> {
        Ok(Vec::new())
    }

    async fn disconnect(
        &self,
        _: &Account,
        _: Provider,
    ) -> Result<Option<Connection>, ConnectError> {
        Ok(None)
    }
}

/// What lets Alfred into people's accounts: one secret a person and provider, read for nobody else.
#[async_trait]
pub trait Credentials: Send + Sync {
    /// The secret; `None` when there is none.
    async fn get(
        &self,
        account: &Account,
        provider: Provider,
    ) -> Result<Option<SecretString>, SecretError>;
    /// Stores or replaces it.
    async fn put(
        &self,
        account: &Account,
        provider: Provider,
        value: &SecretString,
    ) -> Result<(), SecretError>;
    /// Removes it; removing what isn't there is fine.
    async fn delete(&self, account: &Account, provider: Provider) -> Result<(), SecretError>;
}

/// The name of such a secret: `alfred/TEAM/USER/PROVIDER`.
///
/// # Errors
/// `Name` when an id could make it the name of somebody else's.
pub fn credential_name(account: &Account, provider: Provider) -> Result<String, SecretError> {
    let Account { team, user } = account;
    let name = format!("alfred/{team}/{user}/{}", provider.as_str());
    let plain = |id: &str| !id.is_empty() && id.bytes().all(|b| b.is_ascii_alphanumeric());
    match plain(team.as_str()) && plain(user.as_str()) {
        true => Ok(name),
        false => Err(SecretError::Name { name }),
    }
}

/// Credentials among the secrets of one process, by name.
#[derive(Clone)]
pub struct NamedCredentials(pub Arc<dyn Secrets>);

#[async_trait]
impl Credentials for NamedCredentials {
    async fn get(
        &self,
        account: &Account,
        provider: Provider,
    ) -> Result<Option<SecretString>, SecretError> {
        self.0.get(&credential_name(account, provider)?).await
    }

    async fn put(
        &self,
        account: &Account,
        provider: Provider,
        value: &SecretString,
    ) -> Result<(), SecretError> {
        let name = credential_name(account, provider)?;
        self.0.put(&name, value).await
    }

    async fn delete(&self, account: &Account, provider: Provider) -> Result<(), SecretError> {
        self.0.delete(&credential_name(account, provider)?).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connection(provider: Provider, since: i64, services: &[AccountService]) -> Connection {
        Connection {
            provider,
            email: format!("ana@{}.example", provider.as_str()),
            services: services.to_vec(),
            since: Timestamp::from_second(since).unwrap(),
            ended: false,
            delegated: false,
        }
    }

    #[test]
    fn of_two_accounts_the_one_connected_last_is_used() {
        use AccountService::{Calendar, Mail, MailSend};
        let google = connection(Provider::Google, 1, &[Mail, MailSend, Calendar]);
        let microsoft = connection(Provider::Microsoft, 2, &[Mail]);
        let ended = Connection {
            ended: true,
            ..microsoft.clone()
        };
        let both = [microsoft.clone(), google.clone()];
        let ended = [ended, google.clone()];
        let alone = std::slice::from_ref(&google);
        // Mail is sent from where it is read: never through the other account.
        for (service, used) in [(Mail, false), (MailSend, false), (Calendar, true)] {
            assert_eq!(google.used_for(service, &both), used, "{service:?}");
            assert_eq!(google.used_for(service, &ended), used, "{service:?}");
            assert!(google.used_for(service, alone), "{service:?}");
        }
        assert!(microsoft.used_for(Mail, &both) && !microsoft.used_for(MailSend, &both));
    }
}
