//! Google accounts: of the local Google next to the local Slack, or real ones if a client is registered.

use alfred_accounts::oauth::{Connections, OAuthClient};
use alfred_agent::Ports;
use alfred_core::config::GOOGLE_CLIENT_ID;
use alfred_core::ports::{self, NamedCredentials};
use alfred_embedded::DataFolder;
use alfred_google::{Endpoints, Google};
use alfred_google_local::{Account, Client, GoogleLocal, Options};
use alfred_oauth_callback::PATH;
use alfred_slack_local::SlackLocal;
use std::sync::Arc;

use super::google_sample::fill;
use super::slack::kept_secret;
use super::workspace::SAMPLE;

const STATE: &str = "google.json";
/// The secret of Alfred's client at the local Google.
const LOCAL_CLIENT_SECRET: &str = "alfred/LOCAL_GOOGLE_CLIENT_SECRET";

pub struct Opened {
    pub clients: Arc<Google>,
    pub connections: Arc<Connections>,
    /// `None` if a client of the real Google is registered.
    pub local: Option<GoogleLocal>,
}

/// `None` without a local Slack and without a client.
pub async fn open(
    ports: &Ports,
    folder: &DataFolder,
    url: &str,
    slack: Option<&SlackLocal>,
    variable: impl Fn(&str) -> Option<String>,
) -> anyhow::Result<Option<Opened>> {
    let secrets = Arc::new(folder.secrets());
    let here = format!("{url}{PATH}");
    let endpoints = Endpoints::from_settings(&variable);
    let (provider, clock) = (endpoints.clone().into(), ports.clock.clone());
    let client = OAuthClient::from_settings(&provider, &variable, secrets.clone(), clock);
    let (client, endpoints, local) = match (client, slack) {
        (Some(mut client), _) => {
            if client.redirect_uri.is_empty() {
                client.redirect_uri = here;
            }
            (client, endpoints, None)
        }
        (None, Some(slack)) => {
            let secret = kept_secret(&*secrets, LOCAL_CLIENT_SECRET).await?;
            let google = play(ports, folder, slack, (&secret, &here)).await?;
            let client = OAuthClient {
                id: Client::default().id,
                secret: secret.into(),
                redirect_uri: here,
            };
            (client, Endpoints::at(url), Some(google))
        }
        (None, None) => {
            tracing::debug!("{GOOGLE_CLIENT_ID} isn't set, so no Google account can be connected");
            return Ok(None);
        }
    };
    let (store, clock) = (&ports.store, &ports.clock);
    let connections = Arc::new(Connections::new(
        client,
        endpoints.clone(),
        store.clone(),
        Arc::new(NamedCredentials(secrets)),
        clock.clone(),
    ));
    let tokens = connections.clone();
    let clients = Google::new(endpoints, tokens, store.clone(), clock.clone());
    Ok(Some(Opened {
        clients: Arc::new(clients),
        connections,
        local,
    }))
}

/// The local Google, with an account for each person of the local Slack.
async fn play(
    alfred: &Ports,
    folder: &DataFolder,
    slack: &SlackLocal,
    (secret, redirect_uri): (&str, &str),
) -> anyhow::Result<GoogleLocal> {
    let client = Client {
        secret: secret.to_owned(),
        redirect_uris: vec![redirect_uri.to_owned()],
        ..Client::default()
    };
    let options = Options {
        file: Some(folder.path().join(STATE)),
        client,
        ..Options::default()
    };
    let google = GoogleLocal::open(options, alfred.clock.clone())?;
    for person in slack.people()?.into_iter().filter(|person| !person.is_bot) {
        if !google.has_account(&person.email) {
            let mut account = Account::new(&person.email, &person.name);
            let team = slack.seed().team_id.as_str().into();
            let user = person.id.as_str().into();
            let owner = ports::Account { team, user };
            let theirs = (&alfred.accounts, &owner);
            let workspace = folder.path().join(SAMPLE);
            fill(&mut account, &workspace, theirs, alfred.clock.now()).await;
            google.put_account(account);
        }
    }
    Ok(google)
}
