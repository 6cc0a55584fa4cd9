//! Serves the redirect of a provider's consent page, and the form for password accounts. A grant is stored
//! only after the visitor confirms whose Alfred gets it: links get passed on. GET uses nothing up.

#[cfg(feature = "lambda")]
mod function_url;
mod page;
#[cfg(feature = "mail-servers")]
mod password;
mod visit;

pub use page::Page;
pub use visit::{PATH, Visit};

use alfred_accounts::oauth::{Arriving, Connections, ConsentError};
use alfred_agent::slack::notice;
use alfred_agent::slack::respond::mrkdwn;
use alfred_agent::store::users;
use alfred_core::ports::{Account, AccountService, Chat, Connection, Provider, Store, StoreError};
use alfred_core::{TeamId, User, text};
#[cfg(feature = "mail-servers")]
use alfred_mail_servers::ServerAccounts;
use std::sync::Arc;

const CONNECT_FORGED: &str = "This link isn't one of Alfred's, or is more than a day old. Please ask for a new one in Slack: `/alfred connect`.";
const CONNECT_LATE: &str =
    "This link is older than ten minutes. Please ask for a new one in Slack: `/alfred connect`.";
const CONNECT_USED: &str = "This link was used before; each works once. `/alfred accounts` in Slack shows what is connected.";

pub struct OauthCallback {
    pub connections: Vec<Arc<Connections>>,
    #[cfg(feature = "mail-servers")]
    pub servers: Option<Arc<ServerAccounts>>,
    pub store: Arc<dyn Store>,
    /// Also notifies the user, so a connection made by somebody else is noticed.
    pub chat: Arc<dyn Chat>,
}

enum Trouble {
    Consent(ConsentError),
    Stranger,
    SomebodyElses { email: String, name: String },
}

impl From<ConsentError> for Trouble {
    fn from(error: ConsentError) -> Self {
        Self::Consent(error)
    }
}

impl From<StoreError> for Trouble {
    fn from(error: StoreError) -> Self {
        Self::Consent(ConsentError::Unavailable(error.to_string()))
    }
}

impl OauthCallback {
    pub async fn handle(&self, visit: &Visit) -> Page {
        if visit.too_much {
            let words = "That is more than fits here, so nothing was connected.";
            return Page::says(413, words);
        }
        #[cfg(feature = "mail-servers")]
        if let Some(servers) = &self.servers
            && servers.is_state(visit.state())
        {
            return self.by_password(servers, visit).await;
        }
        let answered = self.by_consent(visit).await;
        answered.unwrap_or_else(|(provider, trouble)| problem(provider, &trouble))
    }

    async fn by_consent(&self, visit: &Visit) -> Result<Page, (Provider, Trouble)> {
        let (connections, arriving) = self.arriving(visit.state()).await?;
        let answered = if visit.confirmed {
            self.connected(connections, &arriving, visit).await
        } else {
            self.asked(connections, &arriving, visit).await
        };
        answered.map_err(|trouble| (arriving.provider, trouble))
    }

    /// Finds the provider of a visit. A link names its provider.
    async fn arriving(&self, state: &str) -> Result<(&Connections, Arriving), (Provider, Trouble)> {
        for connections in &self.connections {
            match connections.arriving(state).await {
                Ok(arriving) => return Ok((connections, arriving)),
                Err(ConsentError::Forged) => {}
                Err(error) => return Err((connections.provider(), error.into())),
            }
        }
        Err((Provider::Google, ConsentError::Forged.into()))
    }

    async fn asked(
        &self,
        connections: &Connections,
        arriving: &Arriving,
        visit: &Visit,
    ) -> Result<Page, Trouble> {
        let owner = self.owner(&arriving.account).await?;
        let provider = arriving.provider;
        if visit.code().is_none() {
            connections.decline(visit.state()).await?;
            return Ok(if visit.needs_administrator() {
                Page::says(403, &connect_needs_administrator(provider))
            } else {
                Page::says(200, "Nothing was connected.")
            });
        }
        let whose = connect_whose(provider, &shown(&owner));
        Ok(Page::asks(&whose, &text::connect_button(provider), visit))
    }

    async fn connected(
        &self,
        connections: &Connections,
        arriving: &Arriving,
        visit: &Visit,
    ) -> Result<Page, Trouble> {
        let account = &arriving.account;
        let owner = self.owner(account).await?;
        let code = visit.code().ok_or(ConsentError::Code)?;
        let consent = connections.redeem(visit.state(), code).await?;
        self.check_owner(&account.team, &consent.email, &owner)
            .await?;
        let connected = connections.keep(consent).await?;
        let words = account_connected(&connected.connection, &connected.missing);
        Ok(self.told(account, &connected.connection, &words).await)
    }

    async fn owner(&self, account: &Account) -> Result<User, Trouble> {
        let stored = users::get(&*self.store, &account.team, &account.user).await?;
        let user = stored.map(|stored| stored.user);
        user.filter(|user| user.is_active).ok_or(Trouble::Stranger)
    }

    /// Refuses the address of another registered person, who probably followed a link that isn't theirs.
    async fn check_owner(&self, team: &TeamId, email: &str, owner: &User) -> Result<(), Trouble> {
        if owner.email.eq_ignore_ascii_case(email) {
            return Ok(());
        }
        let people = users::list(&*self.store, team).await?;
        let theirs = people.iter().any(|other| {
            other.user.slack_user_id != owner.slack_user_id
                && other.user.email.eq_ignore_ascii_case(email)
        });
        if theirs {
            return Err(Trouble::SomebodyElses {
                email: email.to_owned(),
                name: shown(owner),
            });
        }
        Ok(())
    }

    /// Says it in Slack too. A failure of that is only logged.
    async fn told(&self, account: &Account, connection: &Connection, words: &str) -> Page {
        let key = format!("connected:{}", connection.since);
        let (channel, text) = (account.user.as_str().into(), mrkdwn::escape(words));
        let post = notice::plain(channel, None, text, key);
        if let Err(error) = self.chat.post(&post).await {
            tracing::warn!(%error, "a connection isn't told in Slack");
        }
        Page {
            connected: Some(account.clone()),
            ..Page::says(200, words)
        }
    }
}

pub(crate) fn account_connected(connection: &Connection, missing: &[AccountService]) -> String {
    let (provider, email) = (connection.provider.shown(), &connection.email);
    let granted = text::account_services(&connection.services);
    let mut words = if connection.services.is_empty() {
        format!("Your {provider} account {email} is connected, but nothing was allowed.")
    } else {
        format!("Your {provider} account {email} is connected, for {granted}.")
    };
    if !missing.is_empty() {
        let missing = text::account_services(missing);
        words.push_str(&format!(" You didn't allow: {missing}. All else works."));
    }
    words
}

fn connect_whose(provider: Provider, name: &str) -> String {
    let provider = provider.shown();
    format!(
        "The {provider} account that you just chose will be connected to Alfred for {name}. Go on only if that is you."
    )
}

fn connect_needs_administrator(provider: Provider) -> String {
    let provider = provider.shown();
    format!(
        "Nothing was connected: your organisation wants an administrator to allow Alfred at {provider} first. Please ask yours to approve it, then try again."
    )
}

fn shown(user: &User) -> String {
    let handle = &user.slack_username;
    if user.name.is_empty() {
        return format!("@{handle}");
    }
    format!("{} (@{handle})", user.name)
}

fn problem(provider: Provider, trouble: &Trouble) -> Page {
    let (status, words) = match trouble {
        Trouble::Stranger => (403, text::NOT_RECOGNISED.to_owned()),
        Trouble::SomebodyElses { email, name } => (403, connect_somebody_elses(email, name)),
        Trouble::Consent(error) => match error {
            ConsentError::Forged => (400, CONNECT_FORGED.to_owned()),
            ConsentError::Late => (410, CONNECT_LATE.to_owned()),
            ConsentError::Used => (410, CONNECT_USED.to_owned()),
            ConsentError::Code | ConsentError::Incomplete => (400, connect_incomplete(provider)),
            ConsentError::Another(email) => (409, connect_another(provider, email)),
            ConsentError::Narrower => (409, connect_narrower(provider)),
            ConsentError::Client(detail) => {
                tracing::error!(
                    detail,
                    "the provider doesn't accept the deployment's client"
                );
                (502, text::client_not_accepted(provider))
            }
            ConsentError::Unavailable(detail) => {
                tracing::warn!(detail, "a consent couldn't be kept");
                (503, text::CONNECT_NOT_NOW.to_owned())
            }
        },
    };
    Page::says(status, &words)
}

fn connect_incomplete(provider: Provider) -> String {
    let provider = provider.shown();
    format!(
        "{provider} gave no lasting access, so nothing was connected. Please ask for a new link in Slack: `/alfred connect`."
    )
}

fn connect_another(provider: Provider, email: &str) -> String {
    let provider = provider.as_str();
    format!(
        "{email} is connected already, and stays so. To change accounts, write `/alfred disconnect {provider}` in Slack first."
    )
}

fn connect_narrower(provider: Provider) -> String {
    let provider = provider.as_str();
    format!(
        "What is connected already allows more than this, so it stays as it is. To allow less, write `/alfred disconnect {provider}` in Slack first."
    )
}

fn connect_somebody_elses(email: &str, name: &str) -> String {
    format!(
        "{email} is somebody else's here, and this link would give {name} access to it. Nothing was connected."
    )
}
