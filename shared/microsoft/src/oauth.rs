//! Microsoft's consents (<https://learn.microsoft.com/entra/identity-platform/v2-oauth2-auth-code-flow>).

use alfred_core::config::{
    MICROSOFT_API_URL, MICROSOFT_CLIENT_ID, MICROSOFT_CLIENT_SECRET, MICROSOFT_REDIRECT_URI,
    MICROSOFT_TENANT,
};
use alfred_core::ports::{AccountService, Provider};

use alfred_accounts::oauth::OAuthProvider;

const MAIL_READ_WRITE: &str = "Mail.ReadWrite";
const MAILBOX_SETTINGS: &str = "MailboxSettings.Read";

/// Base URLs without a trailing slash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoints {
    pub consent: String,
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

impl From<Endpoints> for OAuthProvider {
    fn from(endpoints: Endpoints) -> Self {
        Self {
            provider: Provider::Microsoft,
            consent: endpoints.consent,
            token: endpoints.token,
            revoke: None,
            settings: [
                MICROSOFT_CLIENT_ID,
                MICROSOFT_CLIENT_SECRET,
                MICROSOFT_REDIRECT_URI,
            ],
            scope_of: |service| match service {
                AccountService::Mail => &[MAIL_READ_WRITE],
                // Mail is sent by way of a draft.
                AccountService::MailSend => &["Mail.Send", MAIL_READ_WRITE],
                AccountService::Calendar => &["Calendars.ReadWrite", MAILBOX_SETTINGS],
                AccountService::Documents | AccountService::Sheets => &[],
            },
            // Only all-day events depend on the owner's zone, which is a mailbox setting.
            optional: &[MAILBOX_SETTINGS],
            always: &["openid", "email", "profile", "offline_access", "User.Read"],
            // `prompt=consent` would stop people whose administrator has consented for them.
            link: &[("prompt", "select_account"), ("response_mode", "query")],
            prefix: "https://graph.microsoft.com/",
            adds_up: false,
            verifies_address: false,
        }
    }
}
