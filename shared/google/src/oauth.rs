//! Google's consents (<https://developers.google.com/identity/protocols/oauth2/web-server>).

use alfred_core::config::{GOOGLE_CLIENT_ID, GOOGLE_CLIENT_SECRET, GOOGLE_REDIRECT_URI};
use alfred_core::ports::{AccountService, Provider};

use super::Endpoints;
use alfred_accounts::oauth::OAuthProvider;

const GMAIL_MODIFY: &str = "https://www.googleapis.com/auth/gmail.modify";
const GMAIL_COMPOSE: &str = "https://www.googleapis.com/auth/gmail.compose";
const CALENDAR_EVENTS: &str = "https://www.googleapis.com/auth/calendar.events";
const CALENDAR_FREEBUSY: &str = "https://www.googleapis.com/auth/calendar.freebusy";
/// Makes files, and changes those.
const DRIVE_FILE: &str = "https://www.googleapis.com/auth/drive.file";
/// Finds and reads all files.
const DRIVE_READONLY: &str = "https://www.googleapis.com/auth/drive.readonly";
/// Changes all documents.
const DOCUMENTS: &str = "https://www.googleapis.com/auth/documents";
/// Changes all sheets.
const SPREADSHEETS: &str = "https://www.googleapis.com/auth/spreadsheets";

impl From<Endpoints> for OAuthProvider {
    fn from(endpoints: Endpoints) -> Self {
        Self {
            provider: Provider::Google,
            consent: endpoints.consent,
            token: endpoints.token,
            revoke: Some(endpoints.revoke),
            settings: [GOOGLE_CLIENT_ID, GOOGLE_CLIENT_SECRET, GOOGLE_REDIRECT_URI],
            scope_of: |service| match service {
                AccountService::Mail => &[GMAIL_MODIFY],
                AccountService::MailSend => &[GMAIL_COMPOSE],
                AccountService::Calendar => &[CALENDAR_EVENTS, CALENDAR_FREEBUSY],
                AccountService::Documents => &[DRIVE_FILE, DRIVE_READONLY, DOCUMENTS],
                AccountService::Sheets => &[DRIVE_FILE, DRIVE_READONLY, SPREADSHEETS],
            },
            // Only others' free times need it.
            optional: &[CALENDAR_FREEBUSY],
            always: &["openid", "email"],
            // Requests a refresh token with each consent, valid for everything granted so far.
            link: &[
                ("prompt", "consent"),
                ("access_type", "offline"),
                ("include_granted_scopes", "true"),
            ],
            prefix: "",
            adds_up: true,
            verifies_address: true,
        }
    }
}
