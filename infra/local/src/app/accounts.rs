//! The accounts that people connected themselves, over those that everybody had before.

use alfred_accounts::oauth::Several;
use alfred_agent::Ports;
use alfred_core::config::{ALFRED_IMAP_URL, ALFRED_MAIL_SERVERS, MICROSOFT_CLIENT_ID};
use alfred_core::ports::{
    Accounts, Calendar, Connect, Documents, Mail, PerPerson, Provider, Sheets,
};
use alfred_embedded::DataFolder;
use alfred_google_local::GoogleLocal;
use alfred_oauth_callback::OauthCallback;
use alfred_slack_local::SlackLocal;
use std::sync::Arc;

use super::google;
#[cfg(feature = "microsoft")]
use super::microsoft;
#[cfg(feature = "mail-servers")]
use super::password_accounts;
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
    built_in(&variable)?;
    let google = google::open(ports, folder, url, slack, &variable).await?;
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
    #[cfg(feature = "microsoft")]
    if let Some((clients, connections)) = microsoft::open(ports, folder, url, &variable) {
        connects.push(connections.clone());
        consents.push(connections);
        mails.push((Provider::Microsoft, clients.clone()));
        calendars.push((Provider::Microsoft, clients));
    }
    #[cfg(feature = "mail-servers")]
    let servers = password_accounts::open(ports, folder, url, &variable)?;
    #[cfg(feature = "mail-servers")]
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
    let callback = OauthCallback {
        connections: consents,
        #[cfg(feature = "mail-servers")]
        servers,
        store: ports.store.clone(),
        chat: ports.chat.clone(),
    };
    Ok(Opened {
        accounts,
        callback: Some(callback),
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

/// Refuses a setting of a part that this `alfred` is built without.
pub fn built_in(variable: impl Fn(&str) -> Option<String>) -> anyhow::Result<()> {
    let (servers, microsoft) = (cfg!(feature = "mail-servers"), cfg!(feature = "microsoft"));
    let parts = [
        (ALFRED_IMAP_URL, servers, "mail-servers"),
        (ALFRED_MAIL_SERVERS, servers, "mail-servers"),
        (MICROSOFT_CLIENT_ID, microsoft, "microsoft"),
    ];
    let missing = |(name, built, _): &(&str, bool, &str)| !built && variable(name).is_some();
    match parts.into_iter().find(missing) {
        Some((name, _, feature)) => Err(Usage::error(format!(
            "{name} needs alfred built with --features {feature}"
        ))),
        None => Ok(()),
    }
}
