//! Where Microsoft's APIs are.

use alfred_core::config::{MICROSOFT_API_URL, MICROSOFT_TENANT};

/// Base addresses, without a slash at their end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoints {
    /// The page on which people consent.
    pub consent: String,
    /// Exchanges codes and refresh tokens.
    pub token: String,
    /// Before `/v1.0`.
    pub graph: String,
}

impl Endpoints {
    /// Microsoft's own for the tenant of the settings, unless they name something that plays them.
    pub fn from_settings(lookup: impl Fn(&str) -> Option<String>) -> Self {
        let tenant = lookup(MICROSOFT_TENANT).unwrap_or_else(|| "common".into());
        match lookup(MICROSOFT_API_URL) {
            Some(base) => Self::at(&base, &base, &tenant),
            None => Self::at(
                "https://login.microsoftonline.com",
                "https://graph.microsoft.com",
                &tenant,
            ),
        }
    }

    /// At these addresses: of consents, and of Graph.
    pub fn at(login: &str, graph: &str, tenant: &str) -> Self {
        let [login, graph] = [login, graph].map(|base| base.trim_end_matches('/'));
        Self {
            consent: format!("{login}/{tenant}/oauth2/v2.0/authorize"),
            token: format!("{login}/{tenant}/oauth2/v2.0/token"),
            graph: graph.to_owned(),
        }
    }
}
