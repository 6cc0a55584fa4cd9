//! The consents by which people connect accounts.

use alfred_accounts::oauth::{Connections, OAuthProvider};
use alfred_core::ports::{Clock, ProviderPorts};
use std::sync::Arc;

/// One for each provider at which a client is registered.
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
