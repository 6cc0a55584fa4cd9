//! Slack, and the consents by which people connect accounts.

use alfred_accounts::oauth::{Connections, OAuthProvider};
use alfred_core::config::{SLACK_API_URL, SLACK_BOT_TOKEN};
use alfred_core::ports::{Chat, Clock, ProviderPorts};
use alfred_http::CachedSecret;
use alfred_slack::{DEFAULT_API_URL, SlackClient};
use std::sync::Arc;

/// Slack, with the bot token of the settings or of the deployment's secrets.
pub fn slack(
    outside: &ProviderPorts,
    clock: &Arc<dyn Clock>,
    variable: impl Fn(&str) -> Option<String>,
) -> Arc<dyn Chat> {
    let url = variable(SLACK_API_URL).unwrap_or_else(|| DEFAULT_API_URL.into());
    let (names, secrets) = ([SLACK_BOT_TOKEN], outside.secrets.clone());
    let token = CachedSecret::from_settings(&names, variable, secrets, clock.clone());
    Arc::new(SlackClient::new(&url, token, clock.clone()))
}

/// One consent for each provider at which a client is registered.
pub fn consents(
    outside: &ProviderPorts,
    clock: &Arc<dyn Clock>,
    variable: impl Fn(&str) -> Option<String>,
) -> Vec<Arc<Connections>> {
    let providers: [OAuthProvider; 2] = [
        alfred_google::Endpoints::from_settings(&variable).into(),
        alfred_microsoft::Endpoints::from_settings(&variable).into(),
    ];
    let consents = providers.map(|it| Connections::from_settings(it, &variable, outside, clock));
    consents.into_iter().flatten().collect()
}
