use alfred_core::ports::Provider;
use alfred_mail_servers::{NotConnected, ServerAccounts};

use crate::{OauthCallback, Page, Trouble, Visit, account_connected, problem, shown};

const SERVERS_TOO_OFTEN: &str =
    "That was tried too often. Please ask for a new link in Slack later: `/alfred connect mail`.";

impl OauthCallback {
    pub(crate) async fn by_password(&self, servers: &ServerAccounts, visit: &Visit) -> Page {
        let answered = self.named(servers, visit).await;
        answered.unwrap_or_else(|trouble| problem(Provider::Servers, &trouble))
    }

    async fn named(&self, servers: &ServerAccounts, visit: &Visit) -> Result<Page, Trouble> {
        let state = visit.state();
        let account = servers.arriving(state).await?;
        let owner = self.owner(&account).await?;
        let form = |named: &_, wrong| Page::form(state, &shown(&owner), named, wrong);
        let Some(named) = visit.named() else {
            return Ok(form(&Default::default(), None));
        };
        let email = match servers.email(&named) {
            Ok(email) => email,
            Err(wrong) => return Ok(form(&named, Some(wrong))),
        };
        self.check_owner(&account, &email, &owner).await?;
        match servers.connect(state, &named).await {
            Ok(connection) => {
                let words = account_connected(&connection, &[]);
                self.tell(&account, &connection, &words).await;
                Ok(Page::says(200, &words))
            }
            Err(NotConnected::Field(wrong)) => Ok(form(&named, Some(wrong))),
            Err(NotConnected::TooOften) => Ok(Page::says(429, SERVERS_TOO_OFTEN)),
            Err(NotConnected::Consent(error)) => Err(error.into()),
        }
    }
}
