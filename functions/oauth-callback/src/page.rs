use alfred_core::html::escaped;
use alfred_core::ports::Account;

use crate::{PATH, Visit};

const PAGE: &str = include_str!("page.html");
const SLOT: &str = "{{body}}";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    pub status: u16,
    pub body: String,
    /// Whose account was connected just now.
    pub connected: Option<Account>,
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

    pub(crate) fn framed(status: u16, body: &str) -> Self {
        Self {
            status,
            body: PAGE.replace(SLOT, body),
            connected: None,
        }
    }

    pub(crate) fn says(status: u16, words: &str) -> Self {
        Self::framed(status, &format!("<p>{}</p>", plain(words)))
    }

    /// A form that posts the provider's answer back. Only a person presses its button, not a link preview.
    pub(crate) fn asks(words: &str, button: &str, visit: &Visit) -> Self {
        let (words, button) = (plain(words), escaped(button));
        let state = escaped(visit.state());
        let code = escaped(visit.code().unwrap_or_default());
        let body = format!(
            "<p>{words}</p>\n<form method=\"post\" action=\"{PATH}\">\n<input type=\"hidden\" name=\"state\" value=\"{state}\">\n<input type=\"hidden\" name=\"code\" value=\"{code}\">\n<button>{button}</button>\n</form>"
        );
        Self::framed(200, &body)
    }
}

/// Backticks mark commands in Slack; the page has no markup for them.
pub(crate) fn plain(text: &str) -> String {
    escaped(&text.replace('`', ""))
}
