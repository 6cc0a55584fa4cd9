//! What a mailbox under test holds.

use alfred_core::ports::{MailMessage, Mailbox};

/// The owner of the mailbox and of the calendar.
pub fn owner() -> Mailbox {
    Mailbox::new("Ana Marques", "ana@example.com")
}

/// What the mailbox must hold. The ids are the provider's to choose; subjects tell them apart.
pub fn mails() -> Vec<MailMessage> {
    serde_json::from_str(include_str!("mails.json")).unwrap()
}

/// A mail of a list with a page to leave it by, whose signature a server of this name is said to have found valid.
pub fn of_a_list(server: &str) -> Vec<u8> {
    let text = include_str!("letter.eml").replace("{server}", server);
    text.replace('\n', "\r\n").into()
}

/// A mail of `mails` in RFC 5322 format.
pub fn rfc5322(mail: &MailMessage) -> Vec<u8> {
    let text = match &*mail.summary.subject {
        "Budget for the spring" => include_str!("budget.eml"),
        "Ten tables we liked" => include_str!("news.eml"),
        "Old plans" => include_str!("old.eml"),
        "Lunch?" => include_str!("lunch.eml"),
        _ => include_str!("tables.eml"),
    };
    text.replace('\n', "\r\n").into()
}
