use alfred_core::config::GOOGLE_API_URL;

/// Base URLs without a trailing slash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoints {
    pub consent: String,
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
        Self::of(|host| format!("https://{host}"))
    }
}

impl Endpoints {
    /// Google's own, unless the settings name a test server.
    pub fn from_settings(lookup: impl Fn(&str) -> Option<String>) -> Self {
        lookup(GOOGLE_API_URL).map_or_else(Self::default, |base| Self::at(&base))
    }

    /// All of them at one base URL, as a test server has them.
    pub fn at(base: &str) -> Self {
        Self::of(|_| base.trim_end_matches('/').into())
    }

    fn of(url: impl Fn(&str) -> String) -> Self {
        Self {
            consent: url("accounts.google.com") + "/o/oauth2/v2/auth",
            token: url("oauth2.googleapis.com") + "/token",
            revoke: url("oauth2.googleapis.com") + "/revoke",
            gmail: url("gmail.googleapis.com"),
            calendar: url("www.googleapis.com"),
            docs: url("docs.googleapis.com"),
            sheets: url("sheets.googleapis.com"),
            drive: url("www.googleapis.com"),
        }
    }
}
