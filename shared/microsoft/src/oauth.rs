//! Microsoft's consents (<https://learn.microsoft.com/entra/identity-platform/v2-oauth2-auth-code-flow>).

use alfred_core::config::{MICROSOFT_CLIENT_ID, MICROSOFT_CLIENT_SECRET, MICROSOFT_REDIRECT_URI};
use alfred_core::ports::{AccountService, Provider};

use super::Endpoints;
use alfred_accounts::oauth::OAuthProvider;

const MAIL_READ_WRITE: &str = "Mail.ReadWrite";
const MAIL_SEND: &str = "Mail.Send";
const CALENDARS_READ_WRITE: &str = "Calendars.ReadWrite";
const MAILBOX_SETTINGS_READ: &str = "MailboxSettings.Read";

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
                AccountService::MailSend => &[MAIL_SEND, MAIL_READ_WRITE],
                // All-day events depend on the owner's zone, which is a mailbox setting.
                AccountService::Calendar => &[CALENDARS_READ_WRITE, MAILBOX_SETTINGS_READ],
                AccountService::Documents | AccountService::Sheets => &[],
            },
            always: &["openid", "email", "profile", "offline_access", "User.Read"],
            // `prompt=consent` would stop people whose administrator has consented for them.
            link: &[("prompt", "select_account"), ("response_mode", "query")],
            prefix: "https://graph.microsoft.com/",
            adds_up: false,
            verifies_address: false,
        }
    }
}
