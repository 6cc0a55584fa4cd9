//! Scopes of consents (<https://developers.google.com/identity/protocols/oauth2/scopes>).

pub const OPENID: &str = "openid";
pub const EMAIL: &str = "email";
pub const GMAIL_MODIFY: &str = "https://www.googleapis.com/auth/gmail.modify";
pub const GMAIL_COMPOSE: &str = "https://www.googleapis.com/auth/gmail.compose";
pub const CALENDAR_EVENTS: &str = "https://www.googleapis.com/auth/calendar.events";
pub const CALENDAR_FREEBUSY: &str = "https://www.googleapis.com/auth/calendar.freebusy";
/// Files that were made with the app.
pub const DRIVE_FILE: &str = "https://www.googleapis.com/auth/drive.file";
pub const DRIVE_READONLY: &str = "https://www.googleapis.com/auth/drive.readonly";
pub const DOCUMENTS: &str = "https://www.googleapis.com/auth/documents";
pub const SPREADSHEETS: &str = "https://www.googleapis.com/auth/spreadsheets";

pub const ALL: [&str; 10] = [
    OPENID,
    EMAIL,
    GMAIL_MODIFY,
    GMAIL_COMPOSE,
    CALENDAR_EVENTS,
    CALENDAR_FREEBUSY,
    DRIVE_FILE,
    DRIVE_READONLY,
    DOCUMENTS,
    SPREADSHEETS,
];

/// The text of the consent page.
pub(crate) fn words(scope: &str) -> &'static str {
    match scope {
        OPENID | EMAIL => "See who you are",
        GMAIL_MODIFY => "Read your mail and sort it",
        GMAIL_COMPOSE => "Write drafts and send mail",
        CALENDAR_EVENTS => "See and change the events of your calendars",
        CALENDAR_FREEBUSY => "See when people are busy",
        DRIVE_FILE => "See and change the files that you use with this app",
        DRIVE_READONLY => "See all your files",
        DOCUMENTS => "See and change all your documents",
        SPREADSHEETS => "See and change all your sheets",
        _ => "Unknown",
    }
}
