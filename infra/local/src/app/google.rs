//! People's Google accounts: those of the local Google beside the local Slack, or real ones where a client is
//! registered.

use alfred_agent::Ports;
use alfred_core::config::GOOGLE_CLIENT_ID;
use alfred_core::ports::{
    self, Accounts, Calendar, Connect, Documents, Mail, NamedCredentials, PerPerson, Sheets,
};
use alfred_embedded::DataFolder;
use alfred_google_local::{Account, Client, GoogleLocal, Options};
use alfred_oauth_callback::{OauthCallback, PATH};
use alfred_services::google::{Endpoints, Google};
use alfred_services::oauth::{ClientSecret, Connections, Delegation, OAuthClient, Tokens};
use alfred_slack_local::SlackLocal;
use std::sync::Arc;

use super::google_sample::fill;
use super::slack::kept_secret;
use super::workspace::SAMPLE;

/// The local Google's state within the data folder.
const STATE: &str = "google.json";
/// The secret of Alfred's client at the local Google.
const LOCAL_CLIENT_SECRET: &str = "alfred/LOCAL_GOOGLE_CLIENT_SECRET";

/// People's Google accounts.
pub struct Opened {
    /// Theirs where they connected one, what they had before for everybody else.
    pub accounts: Accounts,
    /// The way back from consent; `None` where nobody consents.
    pub callback: Option<OauthCallback>,
    /// The local Google; `None` where a client of the real one is registered.
    pub local: Option<GoogleLocal>,
}

/// Opens them; `None` where there is neither a local Slack nor a client.
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
    let delegation = Delegation::from_settings(
        &variable,
        secrets.clone(),
        ports.store.clone(),
        &endpoints.token,
        (ports.clock.clone(), ports.ids.clone()),
    );
    if let Some(delegation) = delegation.map(Arc::new) {
        let accounts = theirs(ports, endpoints, delegation.clone(), delegation);
        return Ok(Some(Opened {
            accounts,
            callback: None,
            local: None,
        }));
    }
    let (client, endpoints, local) = match (
        OAuthClient::from_settings(&variable, secrets.clone()),
        slack,
    ) {
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
                secret: ClientSecret::Known(secret.into()),
                redirect_uri: here,
            };
            (client, Endpoints::at(url), Some(google))
        }
        (None, None) => {
            tracing::debug!("{GOOGLE_CLIENT_ID} isn't set, so no Google account can be connected");
            return Ok(None);
        }
    };
    let (store, clock, ids) = (&ports.store, &ports.clock, &ports.ids);
    let connections = Arc::new(Connections::new(
        client,
        endpoints.clone(),
        store.clone(),
        Arc::new(NamedCredentials(secrets)),
        (clock.clone(), ids.clone()),
    ));
    Ok(Some(Opened {
        accounts: theirs(ports, endpoints, connections.clone(), connections.clone()),
        callback: Some(OauthCallback {
            connections,
            store: store.clone(),
            chat: ports.chat.clone(),
        }),
        local,
    }))
}

/// The accounts of those who are connected, and what everybody else had before.
fn theirs(
    ports: &Ports,
    endpoints: Endpoints,
    connect: Arc<dyn Connect>,
    tokens: Arc<dyn Tokens>,
) -> Accounts {
    let (store, clock) = (ports.store.clone(), ports.clock.clone());
    let google = Arc::new(Google::new(endpoints, tokens, store, clock));
    let before = &ports.accounts;
    Accounts {
        mail: per_person::<dyn Mail>(&connect, google.clone(), &before.mail),
        calendar: per_person::<dyn Calendar>(&connect, google.clone(), &before.calendar),
        documents: per_person::<dyn Documents>(&connect, google.clone(), &before.documents),
        sheets: per_person::<dyn Sheets>(&connect, google, &before.sheets),
        connect,
    }
}

fn per_person<P: ?Sized>(
    connect: &Arc<dyn Connect>,
    connected: Arc<P>,
    otherwise: &Arc<P>,
) -> Arc<PerPerson<P>> {
    Arc::new(PerPerson {
        connect: connect.clone(),
        connected,
        otherwise: otherwise.clone(),
    })
}

/// The local Google on this data folder, with an account for everybody of the local Slack.
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
            let owner = ports::Account {
                team: slack.seed().team_id.as_str().into(),
                user: person.id.as_str().into(),
            };
            let theirs = (&alfred.accounts, &owner);
            let workspace = folder.path().join(SAMPLE);
            fill(&mut account, &workspace, theirs, alfred.clock.now()).await;
            google.put_account(account);
        }
    }
    Ok(google)
}
