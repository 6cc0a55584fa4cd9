use alfred_core::config::GOOGLE_API_URL;

/// Base URLs without a trailing slash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoints {
    /// The consent page.
    pub consent: String,
    /// Exchanges codes and refresh tokens.
    pub token: String,
    pub revoke: String,
    /// Without `/gmail/v1`.
    pub gmail: String,
    /// Without `/calendar/v3`.
    pub calendar: String,
    /// Without `/v1/documents`.
    pub docs: String,
    /// Without `/v4/spreadsheets`.
    pub sheets: String,
    /// Without `/drive/v3`.
    pub drive: String,
}

impl Default for Endpoints {
    fn default() -> Self {
        Self {
            consent: "https://accounts.google.com/o/oauth2/v2/auth".into(),
            token: "https://oauth2.googleapis.com/token".into(),
            revoke: "https://oauth2.googleapis.com/revoke".into(),
            gmail: "https://gmail.googleapis.com".into(),
            calendar: "https://www.googleapis.com".into(),
            docs: "https://docs.googleapis.com".into(),
            sheets: "https://sheets.googleapis.com".into(),
            drive: "https://www.googleapis.com".into(),
        }
    }
}

impl Endpoints {
    /// Google's own, unless the settings name a test server.
    pub fn from_settings(lookup: impl Fn(&str) -> Option<String>) -> Self {
        lookup(GOOGLE_API_URL).map_or_else(Self::default, |base| Self::at(&base))
    }

    /// All of them at one base URL, as a test server has them.
    pub fn at(base: &str) -> Self {
        let base = base.trim_end_matches('/');
        Self {
            consent: format!("{base}/o/oauth2/v2/auth"),
            token: format!("{base}/token"),
            revoke: format!("{base}/revoke"),
            gmail: base.into(),
            calendar: base.into(),
            docs: base.into(),
            sheets: base.into(),
            drive: base.into(),
        }
    }
}
