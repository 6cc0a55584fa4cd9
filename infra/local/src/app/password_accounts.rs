//! Mail and calendars that people connect by password.

use alfred_agent::Ports;
use alfred_core::config::ALFRED_CONNECT_URL;
use alfred_core::ports::{Credentials, NamedCredentials};
use alfred_embedded::DataFolder;
use alfred_mail_servers::ServerAccounts;
use alfred_oauth_callback::PATH;
use std::sync::Arc;

use crate::exit::Usage;

pub fn open(
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
