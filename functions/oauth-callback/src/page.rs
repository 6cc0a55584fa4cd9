use alfred_core::html::escaped;
use alfred_mail_servers::{Field, Named, Untaken};

use crate::{PATH, Visit};

const SERVERS_HINT: &str = "Most providers want an app password, which you make in their settings for Alfred alone. It is tried once, kept like a key, and shown to nobody.";

const PAGE: &str = include_str!("page.html");
const SLOT: &str = "{{body}}";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    pub status: u16,
    pub body: String,
}

impl Page {
    /// With `no-referrer` the browser would hide the origin of the form.
    pub const HEADERS: [(&'static str, &'static str); 6] = [
        ("content-type", "text/html; charset=utf-8"),
        (
            "content-security-policy",
            "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
        ),
        ("x-frame-options", "DENY"),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "same-origin"),
        ("cache-control", "no-store"),
    ];

    pub(crate) fn says(status: u16, words: &str) -> Self {
        let body = format!("<p>{}</p>", plain(words));
        Self {
            status,
            body: PAGE.replace(SLOT, &body),
        }
    }

    /// Never contains the typed password.
    pub(crate) fn form(state: &str, name: &str, named: &Named, wrong: Option<Untaken>) -> Self {
        let said = |words: &str| format!("<p>{}</p>\n", plain(words));
        let mut body = said(&servers_whose(name));
        if let Some(wrong) = wrong {
            let words = plain(&wrong.words());
            body.push_str(&format!("<p role=\"alert\"><strong>{words}</strong></p>\n"));
        }
        let state = escaped(state);
        body.push_str(&format!("<form method=\"post\" action=\"{PATH}\">\n<input type=\"hidden\" name=\"state\" value=\"{state}\">\n"));
        body.push_str(&input(Field::Email, "email", &named.email));
        body.push_str(&input(Field::Password, "password", ""));
        let rare = [
            (Field::User, "user", &named.user),
            (Field::Imap, "imap", &named.imap),
            (Field::Smtp, "smtp", &named.smtp),
            (Field::Calendar, "calendar", &named.calendar),
        ];
        let asked = wrong.is_some_and(|wrong| rare.iter().any(|(field, ..)| *field == wrong.0));
        let filled = rare.iter().any(|(.., value)| !value.is_empty());
        let open = if asked || filled { " open" } else { "" };
        body.push_str(&format!(
            "<details{open}><summary>Servers and calendar</summary>\n"
        ));
        for (field, key, value) in rare {
            body.push_str(&input(field, key, value));
        }
        body.push_str("</details>\n<button>Check and connect</button>\n</form>\n");
        body.push_str(&said(SERVERS_HINT));
        Self {
            status: if wrong.is_some() { 422 } else { 200 },
            body: PAGE.replace(SLOT, &body),
        }
    }

    /// A form that posts the provider's answer back. Only a person presses its button, not a link preview.
    pub(crate) fn asks(words: &str, button: &str, visit: &Visit) -> Self {
        let (words, button) = (plain(words), escaped(button));
        let state = escaped(visit.state());
        let code = escaped(visit.code().unwrap_or_default());
        let body = format!(
            "<p>{words}</p>\n<form method=\"post\" action=\"{PATH}\">\n<input type=\"hidden\" name=\"state\" value=\"{state}\">\n<input type=\"hidden\" name=\"code\" value=\"{code}\">\n<button>{button}</button>\n</form>"
        );
        Self {
            status: 200,
            body: PAGE.replace(SLOT, &body),
        }
    }
}

fn servers_whose(name: &str) -> String {
    format!(
        "The mail account that you name here will be connected to Alfred for {name}. Go on only if that is you."
    )
}

fn input(field: Field, key: &str, value: &str) -> String {
    let (label, value) = (escaped(label(field)), escaped(value));
    let (kind, required) = match field {
        Field::Email => ("email", " required"),
        Field::Password => ("password", " required"),
        _ => ("text", ""),
    };
    format!(
        "<label>{label}<input type=\"{kind}\" name=\"{key}\" value=\"{value}\" autocomplete=\"off\" spellcheck=\"false\"{required}></label>\n"
    )
}

fn label(field: Field) -> &'static str {
    match field {
        Field::Email => "E-mail address",
        Field::Password => "App password",
        Field::User => "Sign-in name, if it isn't the address",
        Field::Imap => "Incoming mail (IMAP), like imap.example.com",
        Field::Smtp => "Outgoing mail (SMTP), like smtp.example.com",
        Field::Calendar => "Calendar's address (CalDAV), if there is one, as calendar apps show it",
    }
}

/// Backticks mark commands in Slack; the page has no markup for them.
fn plain(text: &str) -> String {
    escaped(&text.replace('`', ""))
}
