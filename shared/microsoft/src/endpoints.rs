use alfred_core::config::{MICROSOFT_API_URL, MICROSOFT_TENANT};

/// Base URLs without a trailing slash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoints {
    /// The consent page.
    pub consent: String,
    /// Exchanges codes and refresh tokens.
    pub token: String,
    /// Without `/v1.0`.
    pub graph: String,
}

impl Endpoints {
    /// Microsoft's own for the configured tenant, unless the settings name a test server.
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

    /// The endpoints at these base URLs for login and for Graph.
    pub fn at(login: &str, graph: &str, tenant: &str) -> Self {
        let [login, graph] = [login, graph].map(|base| base.trim_end_matches('/'));
        Self {
            consent: format!("{login}/{tenant}/oauth2/v2.0/authorize"),
            token: format!("{login}/{tenant}/oauth2/v2.0/token"),
            graph: graph.to_owned(),
        }
    }
}
