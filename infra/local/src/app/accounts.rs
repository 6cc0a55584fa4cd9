//! The accounts that people connected themselves, at each provider, and what everybody else had before.

use alfred_agent::Ports;
use alfred_core::ports::{
    Accounts, Calendar, Connect, Documents, Mail, NamedCredentials, PerPerson, Provider, Sheets,
};
use alfred_embedded::DataFolder;
use alfred_google_local::GoogleLocal;
use alfred_oauth_callback::{OauthCallback, PATH};
use alfred_services::microsoft::{Endpoints, Microsoft};
use alfred_services::oauth::{Connections, OAuthClient, Several};
use alfred_slack_local::SlackLocal;
use std::sync::Arc;

use super::google;

/// People's accounts.
pub struct Opened {
    /// Theirs where they connected one, what they had before for everybody else.
    pub accounts: Accounts,
    /// The way back from consent; `None` where nobody consents.
    pub callback: Option<OauthCallback>,
    /// The local Google, where there is one.
    pub local: Option<GoogleLocal>,
}

/// Opens them.
pub async fn open(
    ports: &Ports,
    folder: &DataFolder,
    url: &str,
    slack: Option<&SlackLocal>,
    variable: impl Fn(&str) -> Option<String>,
) -> anyhow::Result<Opened> {
    let google = google::open(ports, folder, url, slack, &variable).await?;
    let microsoft = microsoft(ports, folder, url, &variable);
    let mut connects: Vec<Arc<dyn Connect>> = Vec::new();
    let mut consents = Vec::new();
    let (mut clients, mut local) = (None, None);
    if let Some(google) = google {
        connects.push(google.connect);
        consents.extend(google.connections);
        (clients, local) = (Some(google.clients), google.local);
    }
    let microsoft = microsoft.map(|(clients, connections)| {
        connects.push(connections.clone());
        consents.push(connections);
        clients
    });
    if connects.is_empty() {
        return Ok(Opened {
            accounts: ports.accounts.clone(),
            callback: None,
            local,
        });
    }
    let connect: Arc<dyn Connect> = Arc::new(Several::new(connects));
    let before = &ports.accounts;
    let (of_google, of_microsoft) = (clients.as_ref(), microsoft.as_ref());
    let mail = (
        of_google.map(|g| g.clone() as Arc<dyn Mail>),
        of_microsoft.map(|m| m.clone() as _),
    );
    let calendar = (
        of_google.map(|g| g.clone() as Arc<dyn Calendar>),
        of_microsoft.map(|m| m.clone() as _),
    );
    let documents = (of_google.map(|g| g.clone() as Arc<dyn Documents>), None);
    let sheets = (of_google.map(|g| g.clone() as Arc<dyn Sheets>), None);
    let accounts = Accounts {
        mail: per_person(&connect, mail, &before.mail),
        calendar: per_person(&connect, calendar, &before.calendar),
        documents: per_person(&connect, documents, &before.documents),
        sheets: per_person(&connect, sheets, &before.sheets),
        connect,
    };
    let callback = (!consents.is_empty()).then(|| OauthCallback {
        connections: consents,
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
    (google, microsoft): (Option<Arc<P>>, Option<Arc<P>>),
    otherwise: &Arc<P>,
) -> Arc<PerPerson<P>> {
    let google = google.map(|google| (Provider::Google, google));
    let microsoft = microsoft.map(|microsoft| (Provider::Microsoft, microsoft));
    Arc::new(PerPerson {
        connect: connect.clone(),
        connected: google.into_iter().chain(microsoft).collect(),
        otherwise: otherwise.clone(),
    })
}

/// Microsoft's, where a client is registered there.
fn microsoft(
    ports: &Ports,
    folder: &DataFolder,
    url: &str,
    variable: impl Fn(&str) -> Option<String>,
) -> Option<(Arc<Microsoft>, Arc<Connections>)> {
    let secrets = Arc::new(folder.secrets());
    let mut client = OAuthClient::from_settings(Provider::Microsoft, &variable, secrets.clone())?;
    if client.redirect_uri.is_empty() {
        // Microsoft takes unencrypted addresses of this name alone, on whatever port.
        let url = url.replacen("127.0.0.1", "localhost", 1);
        client.redirect_uri = format!("{url}{PATH}");
    }
    let endpoints = Endpoints::from_settings(&variable);
    let (store, clock) = (&ports.store, &ports.clock);
    let connections = Arc::new(Connections::new(
        client,
        endpoints.clone(),
        store.clone(),
        Arc::new(NamedCredentials(secrets)),
        (clock.clone(), ports.ids.clone()),
    ));
    let tokens = connections.clone();
    let clients = Microsoft::new(endpoints, tokens, store.clone(), clock.clone());
    Some((Arc::new(clients), connections))
}
