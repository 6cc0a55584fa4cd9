//! What a mailbox under test holds.

use alfred_core::ports::{Attachment, MailMessage, MailStatus, Mailbox, Unsubscribe};

use crate::fixtures;

/// The owner of the mailbox.
pub fn owner() -> Mailbox {
    Mailbox::new("Ana Marques", "ana@example.com")
}

/// What the mailbox must hold. The ids are the provider's to choose; subjects tell them apart.
pub fn mails() -> Vec<MailMessage> {
    let mut budget = mail(
        ("Ben Okafor", "ben@example.com"),
        "Budget for the spring",
        "2026-11-20T09:30:00Z",
        "Hello Ana,\n\ncould you look at the numbers by Monday?\n\nBen",
    );
    budget.cc = vec![Mailbox::new("Chiyo Tanaka", "chiyo@example.com")];
    budget.reply_to = vec![Mailbox::new("Finance", "finance@example.com")];
    budget.references = vec!["start@example.com".into(), "budget@example.com".into()];
    budget.message_id = Some("budget@example.com".into());
    budget.attachments = vec![Attachment {
        name: "numbers.csv".into(),
        content_type: "text/csv".into(),
        bytes: 1_000,
    }];
    budget.summary.has_attachments = true;
    let mut news = mail(
        ("Kestrel Weekly", "news@kestrel.example"),
        "Ten tables we liked",
        "2026-11-19T06:00:00Z",
        "This week: tables.",
    );
    news.summary.automated = true;
    news.unsubscribe = Some(Unsubscribe {
        to: Mailbox::new("", "leave@kestrel.example"),
        subject: "Leave the list".into(),
        text: "u=7\nThanks".into(),
    });
    let mut old = mail(
        ("Ben Okafor", "ben@example.com"),
        "Old plans",
        "2026-10-01T12:00:00Z",
        "Filed long ago.",
    );
    old.summary.status = MailStatus::Archived;
    let mut read = mail(
        ("Zoë Ångström", "zoe@harbour.example"),
        "Größe der Tische – Entwurf",
        "2026-11-18T12:00:00Z",
        "Grüße aus Malmö",
    );
    read.summary.status = MailStatus::Read;
    let last = mail(
        ("Chiyo Tanaka", "chiyo@example.com"),
        "Lunch?",
        "2026-11-21T08:00:00Z",
        "At noon?",
    );
    vec![budget, news, old, read, last]
}

fn mail(from: (&str, &str), subject: &str, at: &str, text: &str) -> MailMessage {
    let own = format!("{}@example.net", at.replace([':', '-'], ""));
    let mut mail = fixtures::mail(subject, Mailbox::new(from.0, from.1), subject, text);
    mail.summary.to = vec![owner()];
    mail.summary.received_at = at.parse().unwrap();
    mail.message_id = Some(own.clone());
    mail.references = vec![own];
    mail
}

/// A mail of a list with a page to leave it by, whose signature a server of this name is said to have found valid.
pub fn of_a_list(server: &str) -> Vec<u8> {
    let lines = [
        &*format!("Authentication-Results: {server}dkim=pass header.d=l.example"),
        "DKIM-Signature: v=1; d=l.example; s=k1; h=List-Unsubscribe:List-Unsubscribe-Post; b=eA==",
        "From: Letter <letter@l.example>",
        "Subject: The tide",
        "Message-ID: <tide@l.example>",
        "List-Unsubscribe: <https://l.example/off?u=7>",
        "List-Unsubscribe-Post: List-Unsubscribe=One-Click",
        "",
        "High water at noon.",
        "",
    ];
    lines.join("\r\n").into_bytes()
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
