//! Parses mails into what a reader sees.

use alfred_core::digest::sha256_hex;
use alfred_core::id::MailId;
use alfred_core::ports::{Attachment, MailMessage, MailStatus, MailSummary, Mailbox};
use jiff::Timestamp;
use mail_parser::decoders::base64::base64_decode;
use mail_parser::decoders::quoted_printable::quoted_printable_decode;
use mail_parser::{
    Address, Encoding, HeaderValue, Message, MessageParser, MessagePart, MimeHeaders, PartType,
};

use crate::one_click::{self, Verifier};
use crate::{clean, html, unsubscribe};

/// Most bytes of a body's text.
pub const TEXT: usize = 200_000;
/// Bytes of the body that are read for a snippet.
const SNIPPET: usize = 1_000;
/// Most addresses of a list, and references of a thread.
const LIST: usize = 500;
/// Most bytes of a header line.
const LINE: usize = 2_000;

/// The envelope from headers only. `None` if they aren't a mail's.
pub fn envelope<'h>(
    headers: impl IntoIterator<Item = (&'h str, &'h str)>,
    received_at: Timestamp,
) -> Option<MailSummary> {
    let mut head = String::new();
    for (name, value) in headers {
        let value = value.replace(|c: char| c.is_control(), " ");
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    let raw = Raw {
        bytes: head.as_bytes(),
        whole: true,
        size: 0,
        modified: received_at,
    };
    raw.summary()
}

/// A mail's bytes, or the first part of them.
#[derive(Clone, Copy, Debug)]
pub struct Raw<'a> {
    pub bytes: &'a [u8],
    /// Whether `bytes` is the whole mail.
    pub whole: bool,
    /// Size of the whole mail.
    pub size: u64,
    /// The file's time, for mails without a date.
    pub modified: Timestamp,
}

impl<'a> Raw<'a> {
    pub fn whole(bytes: &'a [u8], modified: Timestamp) -> Self {
        Self {
            bytes,
            whole: true,
            size: bytes.len() as u64,
            modified,
        }
    }

    /// A digest of the header and size, so it survives a move of the file, and copies share it.
    pub fn id(&self) -> MailId {
        let end = header_end(self.bytes);
        let mut named = self.bytes[..end].to_vec();
        named.extend_from_slice(self.size.to_string().as_bytes());
        sha256_hex(&named)[..24].to_owned().into()
    }

    /// The envelope, as `Unread`. `None` if it isn't a mail.
    pub fn summary(&self) -> Option<MailSummary> {
        let message = self.parse()?;
        Some(summary(self, &message))
    }

    /// As much as `bytes` holds. `None` if it isn't a mail.
    pub fn message(&self) -> Option<MailMessage> {
        self.message_checked_by(Verifier::Delivery)
    }

    /// As [`Self::message`], with signatures checked by the mailbox's server.
    pub fn message_checked_by(&self, verifier: Verifier) -> Option<MailMessage> {
        let message = self.parse()?;
        let (mut text, is_cut) = text(&message, TEXT);
        let summary = summary(self, &message);
        let truncated = clean::cut(&mut text, TEXT) || !self.whole || is_cut;
        let own = message.message_id().and_then(message_id);
        let listed = message.header_raw("List-Unsubscribe");
        let mut attachments: Vec<_> = files(&message).map(attachment).collect();
        if let Some(last) = attachments.last_mut().filter(|_| !self.whole) {
            last.bytes = self.behind(files(&message).last());
        }
        Some(MailMessage {
            summary,
            cc: mailboxes(message.cc()),
            reply_to: mailboxes(message.reply_to()),
            text,
            truncated,
            disguised_link: message.html_bodies().any(
                |part| matches!(&part.body, PartType::Html(html) if html::has_disguised_link(html)),
            ),
            attachments,
            references: references(&message, own.as_deref()),
            message_id: own,
            unsubscribe: listed.and_then(unsubscribe::by_mail),
            one_click: one_click::of(&message, verifier),
        })
    }

    /// The attachment at this position. `None` if it doesn't exist or isn't complete.
    pub fn file(&self, at: usize) -> Option<Vec<u8>> {
        if !self.whole {
            return None;
        }
        let message = self.parse()?;
        let part = files(&message).nth(at)?;
        content(&message, part)
    }

    /// The size of the attachment that is cut off, assuming it extends to the end of the mail.
    fn behind(&self, cut: Option<&MessagePart<'_>>) -> u64 {
        let Some(part) = cut else { return 0 };
        let encoded = self.size.saturating_sub(part.raw_body_offset().into());
        match part.content_transfer_encoding() {
            Some(encoding) if encoding.eq_ignore_ascii_case("base64") => encoded / 4 * 3,
            _ => encoded,
        }
    }

    fn parse(&self) -> Option<Message<'_>> {
        let message = MessageParser::default().parse(self.bytes)?;
        let mut known = "From To Subject Date Message-ID Received Sender".split(' ');
        let is_mail = known.any(|name| message.header_raw(name).is_some());
        is_mail.then_some(message)
    }
}

/// The length of the header. A mail without a body is all header.
fn header_end(bytes: &[u8]) -> usize {
    let mut at = 0;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        at += line.len();
        if matches!(line, b"\n" | b"\r\n") {
            break;
        }
    }
    at
}

fn summary(raw: &Raw<'_>, message: &Message<'_>) -> MailSummary {
    let first = |address| mailboxes(address).into_iter().next();
    let from = first(message.from()).or_else(|| first(message.sender()));
    let mut subject = clean::line(message.subject().unwrap_or_default());
    clean::cut(&mut subject, LINE);
    // Attachments may be in the missing part.
    let kind = message.content_type();
    let beyond = !raw.whole && kind.is_some_and(|t| t.subtype() == Some("mixed"));
    MailSummary {
        id: raw.id(),
        status: MailStatus::Unread,
        from: from.unwrap_or_default(),
        to: mailboxes(message.to()),
        subject,
        received_at: received_at(message).unwrap_or(raw.modified),
        has_attachments: beyond || files(message).next().is_some(),
        automated: is_automated(message),
        snippet: MailSummary::snippet_of(&clean::line(&text(message, SNIPPET).0)),
    }
}

/// The time of the last hop, written by the recipient's server, otherwise the sender's date.
fn received_at(message: &Message<'_>) -> Option<Timestamp> {
    let hop = message.received().and_then(|received| received.date());
    let dates = [hop, message.date().copied()].into_iter().flatten();
    let mut valid = dates.filter(mail_parser::DateTime::is_valid);
    valid.find_map(|date| Timestamp::from_second(date.to_timestamp()).ok())
}

/// RFC 2369, 2919, 3834, and headers of older senders.
fn is_automated(message: &Message<'_>) -> bool {
    let value = |name: &'static str| {
        let value = message.header_raw(name)?;
        Some(value.trim().to_lowercase())
    };
    value("List-Id").is_some()
        || value("List-Unsubscribe").is_some()
        || value("Precedence").is_some_and(|p| matches!(p.as_str(), "bulk" | "list" | "junk"))
        || value("Auto-Submitted").is_some_and(|auto| auto != "no")
}

fn mailboxes(address: Option<&Address<'_>>) -> Vec<Mailbox> {
    let boxes = address.into_iter().flat_map(Address::iter);
    boxes
        .filter_map(|one| {
            let mut name = clean::line(one.name().unwrap_or_default());
            let mut address = clean::line(one.address().unwrap_or_default());
            clean::cut(&mut name, LINE);
            clean::cut(&mut address, LINE);
            let empty = name.is_empty() && address.is_empty();
            (!empty).then(|| Mailbox::new(name, &address))
        })
        .take(LIST)
        .collect()
}

/// The plain text, or the HTML as text if that is blank, and whether a plain part was cut. Reads about `most` bytes.
fn text(message: &Message<'_>, most: usize) -> (String, bool) {
    let (plain, is_cut) = joined(message.text_bodies(), most);
    if plain.trim().is_empty() {
        return (joined(message.html_bodies(), most).0, is_cut);
    }
    (plain, is_cut)
}

fn joined<'a>(parts: impl Iterator<Item = &'a MessagePart<'a>>, most: usize) -> (String, bool) {
    let (mut all, mut is_cut) = (String::new(), false);
    for part in parts {
        let text = match &part.body {
            PartType::Text(text) => {
                let end = text.floor_char_boundary(2 * most);
                is_cut |= end < text.len();
                clean::lines(&text[..end])
            }
            PartType::Html(text) => clean::lines(&html::html_to_text(text)),
            _ => continue,
        };
        if !all.is_empty() {
            all.push('\n');
        }
        all.push_str(&text);
        // Limits the total over hundreds of parts.
        if all.len() > most {
            break;
        }
    }
    (all, is_cut)
}

/// The attachments, without inline images of the HTML.
fn files<'a>(message: &'a Message<'_>) -> impl Iterator<Item = &'a MessagePart<'a>> {
    let shown = |part: &MessagePart<'_>| {
        let picture = part.content_type().is_some_and(|t| t.ctype() == "image");
        let hangs = part.content_disposition();
        let hangs = hangs.is_some_and(|d| d.is_attachment());
        picture && part.content_id().is_some() && !hangs
    };
    message.attachments().filter(move |part| !shown(part))
}

/// The decoded bytes. Text keeps its character set.
fn content(message: &Message<'_>, part: &MessagePart<'_>) -> Option<Vec<u8>> {
    if !part.is_text() {
        return Some(part.contents().to_vec());
    }
    let encoded = part.offset_body as usize..part.offset_end as usize;
    let encoded = message.raw_message.get(encoded)?;
    match part.encoding {
        Encoding::None => Some(encoded.to_vec()),
        Encoding::Base64 => base64_decode(encoded),
        Encoding::QuotedPrintable => quoted_printable_decode(encoded),
    }
}

fn attachment(part: &MessagePart<'_>) -> Attachment {
    let kind = part.content_type().map(|kind| match kind.subtype() {
        Some(subtype) => format!("{}/{subtype}", kind.ctype()),
        None => kind.ctype().to_owned(),
    });
    let name = part.attachment_name().unwrap_or(match &part.body {
        PartType::Message(inner) => inner.subject().unwrap_or("message.eml"),
        _ => "attachment",
    });
    Attachment {
        name: clean::file_name(name),
        content_type: clean::line(&kind.unwrap_or_else(|| "application/octet-stream".into()))
            .to_lowercase(),
        bytes: part.len() as u64,
    }
}

/// A valid message id, without brackets.
pub fn message_id(id: &str) -> Option<String> {
    let id = id.trim().trim_start_matches('<').trim_end_matches('>');
    let odd = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '<' | '>');
    (!id.is_empty() && id.len() <= 900 && !id.contains(odd)).then(|| id.to_owned())
}

/// `References`, otherwise `In-Reply-To`; the mail's own id is last.
fn references(message: &Message<'_>, own: Option<&str>) -> Vec<String> {
    let ids = |value: &HeaderValue<'_>| -> Vec<String> {
        match value {
            HeaderValue::Text(id) => message_id(id).into_iter().collect(),
            HeaderValue::TextList(ids) => ids.iter().filter_map(|id| message_id(id)).collect(),
            _ => Vec::new(),
        }
    };
    let mut thread = ids(message.references());
    if thread.is_empty() {
        thread = ids(message.in_reply_to());
    }
    thread.retain(|id| Some(id.as_str()) != own);
    // Keeps the first, which identifies the thread, and the most recent ones.
    if thread.len() > LIST {
        thread.drain(1..=thread.len() - LIST);
    }
    thread.extend(own.map(str::to_owned));
    thread
}
