//! Composes outgoing mails.

use alfred_core::digest::sha256_hex;
use alfred_core::ports::{Account, Mailbox, OutgoingMail};
use jiff::Timestamp;
use mail_builder::MessageBuilder;
use mail_builder::headers::address::Address;
use mail_builder::headers::content_type::ContentType;
use mail_builder::headers::message_id::MessageId;
use mail_builder::headers::text::Text;
use mail_builder::mime::MimePart;
use std::io;

use crate::clean;
use crate::parse::message_id;

/// The digest of a person's key: stable, and it doesn't reveal the key.
pub fn digest(account: &Account, key: &str) -> String {
    let named = format!("{}\n{}\n{key}", account.team, account.user);
    sha256_hex(named.as_bytes())[..40].to_owned()
}

/// The start of the type of a calendar message (RFC 6047), which isn't an attachment.
const ITIP: &str = "text/calendar; method=";

/// The `Message-ID` of a mail of this sender, without brackets.
pub fn message_id_of(digest: &str, from: &Mailbox) -> String {
    let address = ascii_domain(&from.address);
    let domain = address.rsplit_once('@').map_or("localhost", |(_, d)| d);
    format!("{digest}@{domain}")
}

#[derive(Clone, Copy)]
pub struct Draft<'a> {
    pub mail: &'a OutgoingMail,
    pub from: &'a Mailbox,
    /// Without brackets.
    pub message_id: &'a str,
    pub at: Timestamp,
    /// An additional header, in ASCII.
    pub header: Option<(&'static str, &'a str)>,
}

impl Draft<'_> {
    /// The bytes of the mail (RFC 5322). No known error occurs; the builder's interface allows one.
    pub fn to_bytes(&self) -> io::Result<Vec<u8>> {
        let mail = self.mail;
        let mut message = MessageBuilder::new()
            .from(address(self.from))
            .to(addresses(&mail.to))
            .subject(clean::line(&mail.subject))
            .date(self.at.as_second())
            .message_id(self.message_id);
        if !mail.cc.is_empty() {
            message = message.cc(addresses(&mail.cc));
        }
        if let Some(id) = mail.in_reply_to.as_deref().and_then(message_id) {
            message = message.in_reply_to(id);
        }
        let thread = mail.references.iter();
        let thread: Vec<_> = thread.filter_map(|id| message_id(id)).collect();
        if !thread.is_empty() {
            message = message.references(MessageId::from(thread));
        }
        if let Some((name, value)) = self.header {
            message = message.header(name, Text::new(value));
        }
        let text = clean::lines(&mail.text);
        for file in &mail.files {
            let content_type = clean::line(&file.content_type);
            if content_type.starts_with(ITIP) {
                // The calendar is last, as RFC 2046 puts the richest form.
                let calendar = String::from_utf8_lossy(&file.content).into_owned();
                let calendar = MimePart::new(ContentType::new(content_type), calendar);
                let forms = vec![MimePart::new("text/plain", text), calendar];
                let body = MimePart::new("multipart/alternative", forms);
                return message.body(body).write_to_vec();
            }
            let name = clean::file_name(&file.name);
            message = message.attachment(content_type, name, file.content.as_slice());
        }
        message.text_body(text).write_to_vec()
    }
}

fn addresses(boxes: &[Mailbox]) -> Address<'static> {
    Address::new_list(boxes.iter().map(address).collect())
}

fn address(mailbox: &Mailbox) -> Address<'static> {
    let name = clean::line(&mailbox.name);
    let name = (!name.is_empty()).then_some(name);
    Address::new_address(name, ascii_domain(&mailbox.address))
}

/// Encodes the domain of an address in ASCII (RFC 5891). An invalid domain stays unchanged.
pub fn ascii_domain(address: &str) -> String {
    let Some((user, domain)) = address.rsplit_once('@') else {
        return address.to_owned();
    };
    match idna::domain_to_ascii(domain) {
        Ok(ascii) => format!("{user}@{ascii}"),
        Err(_) => address.to_owned(),
    }
}
