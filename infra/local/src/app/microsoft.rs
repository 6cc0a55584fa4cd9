//! Microsoft accounts, if a client is registered.

use alfred_accounts::oauth::{Connections, OAuthClient};
use alfred_agent::Ports;
use alfred_core::ports::NamedCredentials;
use alfred_embedded::DataFolder;
use alfred_microsoft::{Endpoints, Microsoft};
use alfred_oauth_callback::PATH;
use std::sync::Arc;

pub fn open(
    ports: &Ports,
    folder: &DataFolder,
    url: &str,
    variable: impl Fn(&str) -> Option<String>,
) -> Option<(Arc<Microsoft>, Arc<Connections>)> {
    let secrets = Arc::new(folder.secrets());
    let (store, clock) = (&ports.store, &ports.clock);
    let endpoints = Endpoints::from_settings(&variable);
    let provider = endpoints.clone().into();
    let mut client =
        OAuthClient::from_settings(&provider, &variable, secrets.clone(), clock.clone())?;
    if client.redirect_uri.is_empty() {
        // Microsoft accepts unencrypted redirect URIs only for `localhost`, on any port.
        let url = url.replacen("127.0.0.1", "localhost", 1);
        client.redirect_uri = format!("{url}{PATH}");
    }
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
