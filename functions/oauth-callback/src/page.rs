//! What a browser is shown: a sentence, or a question with one button.

use alfred_core::html::escaped;
use alfred_core::text::{self, ServersField as Field};
use alfred_servers::{Named, Untaken};

use crate::{PATH, Visit};

const PAGE: &str = include_str!("page.html");
const SLOT: &str = "{{body}}";

/// A page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The HTTP status.
    pub status: u16,
    /// HTML.
    pub body: String,
}

impl Page {
    /// Nothing runs, loads or frames it. Its form names its own origin, which `no-referrer` would hide from us.
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

    /// A form, with what is wrong with it; a password that was typed isn't given back.
    pub(crate) fn form(state: &str, name: &str, named: &Named, wrong: Option<Untaken>) -> Self {
        let said = |words: String| format!("<p>{}</p>\n", plain(&words));
        let mut body = said(text::servers_whose(name));
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
        let more = escaped(&text::servers_more());
        body.push_str(&format!("<details{open}><summary>{more}</summary>\n"));
        for (field, key, value) in rare {
            body.push_str(&input(field, key, value));
        }
        let button = escaped(&text::servers_button());
        body.push_str(&format!("</details>\n<button>{button}</button>\n</form>\n"));
        body.push_str(&said(text::servers_hint()));
        Self {
            status: if wrong.is_some() { 422 } else { 200 },
            body: PAGE.replace(SLOT, &body),
        }
    }

    /// Comes back with what the provider sent, as a form: nothing but a person presses its button.
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

fn input(field: Field, key: &str, value: &str) -> String {
    let (label, value) = (escaped(&text::servers_label(field)), escaped(value));
    let (kind, required) = match field {
        Field::Email => ("email", " required"),
        Field::Password => ("password", " required"),
        _ => ("text", ""),
    };
    format!(
        "<label>{label}<input type=\"{kind}\" name=\"{key}\" value=\"{value}\" autocomplete=\"off\" spellcheck=\"false\"{required}></label>\n"
    )
}

/// Commands are written in Slack's own language.
fn plain(text: &str) -> String {
    escaped(&text.replace('`', ""))
}
