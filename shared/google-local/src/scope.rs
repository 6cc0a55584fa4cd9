//! What can be consented to (<https://developers.google.com/identity/protocols/oauth2/scopes>).

/// Who somebody is; tokens come with an `id_token`.
pub const OPENID: &str = "openid";
/// Their address, in the `id_token`.
pub const EMAIL: &str = "email";
/// Reading mail and changing its labels.
pub const GMAIL_MODIFY: &str = "https://www.googleapis.com/auth/gmail.modify";
/// Drafts, and sending them.
pub const GMAIL_COMPOSE: &str = "https://www.googleapis.com/auth/gmail.compose";
/// The events of calendars.
pub const CALENDAR_EVENTS: &str = "https://www.googleapis.com/auth/calendar.events";
/// When somebody is busy.
pub const CALENDAR_FREEBUSY: &str = "https://www.googleapis.com/auth/calendar.freebusy";
/// Files that were made with the app or picked for it.
pub const DRIVE_FILE: &str = "https://www.googleapis.com/auth/drive.file";

/// All of them, in the order the consent page lists them.
pub const ALL: [&str; 7] = [
    OPENID,
    EMAIL,
    GMAIL_MODIFY,
    GMAIL_COMPOSE,
    CALENDAR_EVENTS,
    CALENDAR_FREEBUSY,
    DRIVE_FILE,
];

/// What the consent page says of a scope.
pub(crate) fn words(scope: &str) -> &'static str {
    match scope {
        OPENID | EMAIL => "See who you are",
        GMAIL_MODIFY => "Read your mail and sort it",
        GMAIL_COMPOSE => "Write drafts and send mail",
        CALENDAR_EVENTS => "See and change the events of your calendars",
        CALENDAR_FREEBUSY => "See when people are busy",
        DRIVE_FILE => "See and change the files that you use with this app",
        _ => "Unknown",
    }
}
