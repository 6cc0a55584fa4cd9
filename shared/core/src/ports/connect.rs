//! Connecting people's own accounts, and storing their credentials.

use async_trait::async_trait;
use jiff::Timestamp;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use thiserror::Error;

use super::{Account, AccountService, SecretError, Secrets};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Provider {
    /// Google: Gmail, Calendar, Docs, Sheets.
    Google,
    /// Microsoft 365: Exchange Online and Outlook.com.
    Microsoft,
    /// Servers with password login: IMAP, SMTP and CalDAV.
    Servers,
}

impl Provider {
    pub const ALL: [Self; 3] = [Self::Google, Self::Microsoft, Self::Servers];

    /// The name in commands, keys and names of secrets.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Google => "google",
            Self::Microsoft => "microsoft",
            Self::Servers => "mail",
        }
    }

    pub fn shown(self) -> &'static str {
        match self {
            Self::Google => "Google",
            Self::Microsoft => "Microsoft 365",
            Self::Servers => "IMAP mail",
        }
    }

    pub fn services(self) -> &'static [AccountService] {
        match self {
            Self::Google => &AccountService::ALL,
            Self::Microsoft | Self::Servers => &[
                AccountService::Mail,
                AccountService::MailSend,
                AccountService::Calendar,
            ],
        }
    }

    /// Parses a provider's name as a person types it, ignoring case.
    pub fn named(word: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|provider| provider.as_str().eq_ignore_ascii_case(word))
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connection {
    pub provider: Provider,
    pub email: String,
    /// The granted services, in the order of [`AccountService::ALL`].
    pub services: Vec<AccountService>,
    pub since: Timestamp,
    /// Whether the provider no longer accepts Alfred's access.
    pub ended: bool,
}

impl Connection {
    /// Whether this account is the one used for a service: of all with the service, the one connected last, even if
    /// its access has ended. Otherwise people would get to another mailbox without noticing. For sending mail, it is
    /// the account used for reading it.
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

/// A connection that was deleted here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disconnected {
    pub connection: Connection,
    /// Whether the provider confirmed that the access has ended. If not, only the owner can end it there.
    pub revoked: bool,
    /// Whether the credential was deleted too. If not, disconnecting again deletes it.
    pub erased: bool,
}

#[derive(Debug, Error)]
pub enum ConnectError {
    /// This deployment has no client for the provider.
    #[error("{} isn't set up", .0.as_str())]
    NotSetUp(Provider),
    /// The store, the secrets or the provider failed; nothing changed.
    #[error("unavailable: {detail}")]
    Unavailable { detail: String },
}

#[async_trait]
pub trait Connect: Send + Sync {
    fn providers(&self) -> &[Provider];

    /// A link with which the person grants these services, in addition to earlier grants. It works once, for
    /// ten minutes. Fails with `NotSetUp` if the provider isn't set up.
    async fn begin(
        &self,
        account: &Account,
        provider: Provider,
        services: &[AccountService],
    ) -> Result<String, ConnectError>;

    /// The person's connected accounts, newest first.
    async fn connections(&self, account: &Account) -> Result<Vec<Connection>, ConnectError>;

    /// Deletes the connection, which ends its use at once, and then revokes Alfred's access at the provider.
    /// `None` if there was none. Fails only while the connection is still stored, or if there was none and
    /// what an earlier call left couldn't be deleted.
    async fn disconnect(
        &self,
        account: &Account,
        provider: Provider,
    ) -> Result<Option<Disconnected>, ConnectError>;
}

/// Credentials of people's accounts: one secret per person and provider, only used for that person.
#[async_trait]
pub trait Credentials: Send + Sync {
    async fn get(
        &self,
        account: &Account,
        provider: Provider,
    ) -> Result<Option<SecretString>, SecretError>;
    async fn put(
        &self,
        account: &Account,
        provider: Provider,
        value: &SecretString,
    ) -> Result<(), SecretError>;
    /// Deletes the secret; deleting a missing one succeeds.
    async fn delete(&self, account: &Account, provider: Provider) -> Result<(), SecretError>;
}

/// The name of a credential: `alfred/TEAM/USER/PROVIDER`. Fails with `Name` if an id contains characters that
/// could produce another person's name.
pub fn credential_name(account: &Account, provider: Provider) -> Result<String, SecretError> {
    let Account { team, user } = account;
    let name = format!("alfred/{team}/{user}/{}", provider.as_str());
    let plain = |id: &str| !id.is_empty() && id.bytes().all(|b| b.is_ascii_alphanumeric());
    if plain(team.as_str()) && plain(user.as_str()) {
        return Ok(name);
    }
    Err(SecretError::Name { name })
}

/// Credentials stored in a secret store, by name.
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
        // Mail is sent from the account that it is read from, never from another.
        for (service, used) in [(Mail, false), (MailSend, false), (Calendar, true)] {
            assert_eq!(google.used_for(service, &both), used, "{service:?}");
            assert_eq!(google.used_for(service, &ended), used, "{service:?}");
            assert!(google.used_for(service, alone), "{service:?}");
        }
        assert!(microsoft.used_for(Mail, &both) && !microsoft.used_for(MailSend, &both));
    }
}
