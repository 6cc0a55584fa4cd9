//! What people read on the page where a mail account is connected by password.

use super::NAME;

/// Above the form: whose Alfred gets the password, since a link may have been passed on.
pub fn servers_whose(name: &str) -> String {
    format!(
        "The mail account that you name here will be connected to {NAME} for {name}. Go on only if that is you."
    )
}

/// Below it.
pub fn servers_hint() -> String {
    format!(
        "Most providers want an app password, which you make in their settings for {NAME} alone. It is tried once, kept like a key, and shown to nobody."
    )
}

/// What opens the fields that few need.
pub fn servers_more() -> String {
    "Servers and calendar".into()
}

/// On its button.
pub fn servers_button() -> String {
    "Check and connect".into()
}

/// Before a field.
pub fn servers_label(field: ServersField) -> String {
    match field {
        ServersField::Email => "E-mail address",
        ServersField::Password => "App password",
        ServersField::User => "Sign-in name, if it isn't the address",
        ServersField::Imap => "Incoming mail (IMAP), like imap.example.com",
        ServersField::Smtp => "Outgoing mail (SMTP), like smtp.example.com",
        ServersField::Calendar => {
            "Calendar's address (CalDAV), if there is one, as calendar apps show it"
        }
    }
    .into()
}

/// A field of the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServersField {
    /// The address of the account.
    Email,
    /// Its password.
    Password,
    /// Who signs in.
    User,
    /// Who keeps the mail.
    Imap,
    /// Who sends it.
    Smtp,
    /// Where the calendar is.
    Calendar,
}

/// What a server is for, as people call it.
fn server(field: ServersField) -> &'static str {
    match field {
        ServersField::Smtp => "server for outgoing mail",
        ServersField::Calendar => "calendar server",
        _ => "server for incoming mail",
    }
}

/// A field that holds nothing of use.
pub fn servers_unusable(field: ServersField) -> String {
    match field {
        ServersField::Email => "That is no e-mail address.".into(),
        ServersField::Password => "Please write the password.".into(),
        ServersField::User => "That is no name to sign in with.".into(),
        ServersField::Imap | ServersField::Smtp => {
            let (what, ports) = match field {
                ServersField::Imap => (server(field), "993"),
                _ => (server(field), "465 or 587"),
            };
            format!("The {what} is a name like mail.example.com, on port {ports}.")
        }
        ServersField::Calendar => {
            "The calendar's address starts with https:// and names a calendar, not only a server."
                .into()
        }
    }
}

/// A server that nobody named, of an address whose provider isn't known.
pub fn servers_unknown(field: ServersField) -> String {
    let what = server(field);
    format!("I don't know the {what} of that address; please write its name.")
}

/// A server that this deployment doesn't connect to.
pub fn servers_not_allowed(field: ServersField) -> String {
    let what = server(field);
    format!("The {what} isn't one that may be connected here; an administrator can allow it.")
}

/// A server that doesn't answer as one.
pub fn servers_not_reached(field: ServersField) -> String {
    let what = server(field);
    format!("The {what} doesn't answer, or not securely; please check its name.")
}

/// A server that doesn't take the name and the password.
pub fn servers_not_let_in(field: ServersField) -> String {
    let what = server(field);
    format!("The {what} doesn't take this name and password. Does it want an app password?")
}

/// A server that lets in, and has no such calendar.
pub fn servers_no_calendar() -> String {
    "The calendar server has no calendar at that address.".into()
}

/// Too many passwords were tried.
pub fn servers_too_often() -> String {
    "That was tried too often. Please ask for a new link in Slack later: `/alfred connect mail`."
        .into()
}

/// More than a form can hold.
pub fn servers_too_much() -> String {
    "That is more than fits here, so nothing was connected.".into()
}
