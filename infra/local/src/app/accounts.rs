//! The accounts that people connected themselves, over those that everybody had before.

use alfred_accounts::oauth::{Connections, OAuthClient, Several};
use alfred_agent::Ports;
use alfred_core::config::ALFRED_CONNECT_URL;
use alfred_core::ports::{
    Accounts, Calendar, Connect, Credentials, Documents, Mail, NamedCredentials, PerPerson,
    Provider, Sheets,
};
use alfred_embedded::DataFolder;
use alfred_google_local::GoogleLocal;
use alfred_mail_servers::ServerAccounts;
use alfred_microsoft::{Endpoints, Microsoft};
use alfred_oauth_callback::{OauthCallback, PATH};
use alfred_slack_local::SlackLocal;
use std::sync::Arc;

use super::google;
use crate::exit::Usage;

pub struct Opened {
    /// A person's connected account, otherwise what they had before.
    pub accounts: Accounts,
    /// Serves the redirect of a consent. `None` if no provider has one.
    pub callback: Option<OauthCallback>,
    pub local: Option<GoogleLocal>,
}

pub async fn open(
    ports: &Ports,
    folder: &DataFolder,
    url: &str,
    slack: Option<&SlackLocal>,
    variable: impl Fn(&str) -> Option<String>,
) -> anyhow::Result<Opened> {
    let google = google::open(ports, folder, url, slack, &variable).await?;
    let microsoft = microsoft(ports, folder, url, &variable);
    let servers = servers(ports, folder, url, &variable)?;
    let mut connects: Vec<Arc<dyn Connect>> = Vec::new();
    let mut consents = Vec::new();
    let mut local = None;
    let (mut mails, mut calendars) = (Vec::new(), Vec::new());
    let (mut documents, mut sheets) = (Vec::new(), Vec::new());
    if let Some(google) = google {
        connects.push(google.connections.clone());
        consents.push(google.connections);
        local = google.local;
        let clients = google.clients;
        mails.push((Provider::Google, clients.clone() as Arc<dyn Mail>));
        calendars.push((Provider::Google, clients.clone() as Arc<dyn Calendar>));
        documents.push((Provider::Google, clients.clone() as Arc<dyn Documents>));
        sheets.push((Provider::Google, clients as Arc<dyn Sheets>));
    }
    if let Some((clients, connections)) = microsoft {
        connects.push(connections.clone());
        consents.push(connections);
        mails.push((Provider::Microsoft, clients.clone()));
        calendars.push((Provider::Microsoft, clients));
    }
    if let Some(servers) = &servers {
        connects.push(servers.clone());
        mails.push((Provider::Servers, servers.mail()));
        calendars.push((Provider::Servers, servers.calendar()));
    }
    if connects.is_empty() {
        return Ok(Opened {
            accounts: ports.accounts.clone(),
            callback: None,
            local,
        });
    }
    let connect: Arc<dyn Connect> = Arc::new(Several::new(connects));
    let before = &ports.accounts;
    let accounts = Accounts {
        mail: per_person(&connect, mails, &before.mail),
        calendar: per_person(&connect, calendars, &before.calendar),
        documents: per_person(&connect, documents, &before.documents),
        sheets: per_person(&connect, sheets, &before.sheets),
        connect,
    };
    let callback = (!consents.is_empty() || servers.is_some()).then(|| OauthCallback {
        connections: consents,
        servers,
        store: ports.store.clone(),
        chat: ports.chat.clone(),
    });
    Ok(Opened {
        accounts,
        callback,
        local,
    })
}

fn per_person<P: ?Sized>(
    connect: &Arc<dyn Connect>,
    connected: Vec<(Provider, Arc<P>)>,
    otherwise: &Arc<P>,
) -> Arc<PerPerson<P>> {
    Arc::new(PerPerson {
        connect: connect.clone(),
        connected,
        otherwise: otherwise.clone(),
    })
}

fn servers(
    ports: &Ports,
    folder: &DataFolder,
    url: &str,
    variable: impl Fn(&str) -> Option<String>,
) -> anyhow::Result<Option<Arc<ServerAccounts>>> {
    let credentials: Arc<dyn Credentials> = Arc::new(NamedCredentials(Arc::new(folder.secrets())));
    let here = |name: &str| match name {
        ALFRED_CONNECT_URL => variable(name).or_else(|| Some(format!("{url}{PATH}"))),
        name => variable(name),
    };
    ServerAccounts::from_settings(here, &ports.store, &credentials, ports.clock.clone())
        .map_err(Usage::error)
}

fn microsoft(
    ports: &Ports,
    folder: &DataFolder,
    url: &str,
    variable: impl Fn(&str) -> Option<String>,
) -> Option<(Arc<Microsoft>, Arc<Connections>)> {
    let secrets = Arc::new(folder.secrets());
    let endpoints = Endpoints::from_settings(&variable);
    let provider = endpoints.clone().into();
    let mut client = OAuthClient::from_settings(&provider, &variable, secrets.clone())?;
    if client.redirect_uri.is_empty() {
        // Microsoft accepts unencrypted redirect URIs only for `localhost`, on any port.
        let url = url.replacen("127.0.0.1", "localhost", 1);
        client.redirect_uri = format!("{url}{PATH}");
    }
    let (store, clock) = (&ports.store, &ports.clock);
    let connections = Arc::new(Connections::new(
        client,
        provider,
        store.clone(),
        Arc::new(NamedCredentials(secrets)),
        clock.clone(),
    ));
    let tokens = connections.clone();
    let clients = Microsoft::new(endpoints, tokens, store.clone(), clock.clone());
    Some((Arc::new(clients), connections))
}
