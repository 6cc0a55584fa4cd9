//! What a browser is shown: a sentence, or a question with one button.

use alfred_core::html::escaped;

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

/// Commands are written in Slack's own language.
fn plain(text: &str) -> String {
    escaped(&text.replace('`', ""))
}
