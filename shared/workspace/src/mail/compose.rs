//! What is sent, as the bytes of a mail.

use alfred_core::digest::sha256_hex;
use alfred_core::ports::{Account, Mailbox};
use mail_builder::MessageBuilder;
use mail_builder::headers::address::Address;
use mail_builder::headers::content_type::ContentType;
use mail_builder::headers::message_id::MessageId;
use mail_builder::mime::MimePart;
use std::io;

use super::outgoing::Letter;
use super::parse;
use crate::clean;
use crate::smtp::ascii_domain;

/// The name of a key: the same for the same key of the same person, and nobody reads the key from it.
pub(crate) fn digest(account: &Account, key: &str) -> String {
    let named = format!("{}\n{}\n{key}", account.team, account.user);
    sha256_hex(named.as_bytes())[..40].to_owned()
}

/// An invitation to an event, or what became of it (RFC 6047).
pub(crate) struct Itip {
    /// `REQUEST` or `CANCEL`.
    pub method: &'static str,
    pub body: String,
}

/// A letter as RFC 5322 has it.
pub(super) fn bytes(letter: &Letter<'_>, from: &Mailbox, message_id: &str) -> io::Result<Vec<u8>> {
    let mail = letter.mail;
    let mut message = MessageBuilder::new()
        .from(address(from))
        .to(addresses(&mail.to))
        .subject(clean::line(&mail.subject))
        .date(letter.at.as_second())
        .message_id(message_id);
    if !mail.cc.is_empty() {
        message = message.cc(addresses(&mail.cc));
    }
    if let Some(id) = mail.in_reply_to.as_deref().and_then(parse::message_id) {
        message = message.in_reply_to(id);
    }
    let thread = mail.references.iter();
    let thread: Vec<_> = thread.filter_map(|id| parse::message_id(id)).collect();
    if !thread.is_empty() {
        message = message.references(MessageId::from(thread));
    }
    let text = clean::lines(&mail.text);
    let message = match letter.itip {
        None => message.text_body(text),
        Some(itip) => message.body(invitation(text, itip)),
    };
    message.write_to_vec()
}

/// Both ways to read it, the calendar's last, as RFC 2046 wants the richest.
fn invitation(text: String, itip: &Itip) -> MimePart<'static> {
    let kind = ContentType::new("text/calendar")
        .attribute("method", itip.method)
        .attribute("charset", "utf-8");
    MimePart::new(
        "multipart/alternative",
        vec![
            MimePart::new("text/plain", text),
            MimePart::new(kind, itip.body.clone()),
        ],
    )
}

fn addresses(boxes: &[Mailbox]) -> Address<'static> {
    Address::new_list(boxes.iter().map(address).collect())
}

fn address(mailbox: &Mailbox) -> Address<'static> {
    let name = clean::line(&mailbox.name);
    let name = (!name.is_empty()).then_some(name);
    Address::new_address(name, ascii_domain(&mailbox.address))
}
