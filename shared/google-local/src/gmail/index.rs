//! The searched parts of a mail, read once.

use mail_parser::{Address, Message};
use serde::{Deserialize, Serialize};

/// The words of a mail, as `normal` has them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Indexed {
    pub from: String,
    /// Copies too.
    pub to: String,
    pub subject: String,
    pub all: String,
    pub message_id: Option<String>,
}

impl Indexed {
    pub fn of(message: &Message<'_>) -> Self {
        let from = people(message.from());
        let to = format!("{} {}", people(message.to()), people(message.cc()));
        let subject = message.subject().unwrap_or_default();
        let text = text(message);
        Self {
            all: normal(&format!("{from} {to} {subject} {text}")),
            from: normal(&from),
            to: normal(&to),
            subject: normal(subject),
            message_id: message.message_id().map(str::to_owned),
        }
    }
}

/// The words of a body.
pub(super) fn text(message: &Message<'_>) -> String {
    message.body_text(0).unwrap_or_default().into_owned()
}

fn people(address: Option<&Address<'_>>) -> String {
    let mut all = String::new();
    for one in address.into_iter().flat_map(Address::iter) {
        for part in [one.name(), one.address()].into_iter().flatten() {
            all.push_str(part);
            all.push(' ');
        }
    }
    all
}

/// Words in lower case with a space around each, so that a phrase is a part of it.
pub(super) fn normal(text: &str) -> String {
    let mut normal = String::from(" ");
    for word in text.split(|c: char| !c.is_alphanumeric()) {
        if !word.is_empty() {
            normal.push_str(&word.to_lowercase());
            normal.push(' ');
        }
    }
    normal
}
