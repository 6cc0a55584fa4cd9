//! The calls about mail.

use super::{World, bytes, mailbox, number, numbered, reasons, which};
use crate::support::{Folder, ana, draft};

use alfred_core::ports::{AccountError, Mail, MailMessage, Mailbox, OutgoingMail};
use jiff::Timestamp;
use std::time::UNIX_EPOCH;

/// Texts with more bytes than these are counted only.
const LONG: usize = 1_000;

impl World {
    /// `None` if the call isn't one about mail.
    pub(super) async fn mail(&mut self, words: &[&str]) -> Result<Option<String>, AccountError> {
        let (port, ana) = (self.folder.workspace.clone(), ana());
        let shown = match *words {
            ["mail", ref parts @ ..] => {
                self.folder = Folder::new();
                self.folder.put("mail/inbox/one.eml", one(parts));
                self.folder.set_modified("mail/inbox/one.eml", UNIX_EPOCH);
                let mail = &self.folder.page().await.mails[0];
                let read = self.folder.workspace.read(&ana, &mail.id).await?;
                whole(&read.unwrap())
            }
            ["mails"] => {
                let page = self.folder.page().await;
                assert_eq!(page.total.number(), page.mails.len());
                let lines = page.mails.iter().map(|mail| {
                    let number = number(&mut self.mails, &mail.id);
                    format!("{number} {} {:?}", mail.subject, mail.status)
                });
                let mut lines: Vec<String> = lines.collect();
                lines.extend(reasons(&page.unreadable));
                lines.join("\n")
            }
            ["read", number] => {
                let read = port.read(&ana, &numbered(&self.mails, number)).await?;
                read.as_ref().map_or("none".into(), whole)
            }
            ["set", number, status] => {
                let status = serde_json::from_value(status.into()).unwrap();
                let before = port
                    .set_status(&ana, &numbered(&self.mails, number), status)
                    .await?;
                before.map_or("none".into(), |before| format!("was {before:?}"))
            }
            ["send", key, ref fields @ ..] => {
                let sent = port.send(&ana, &outgoing(fields), key).await?;
                format!("sent {}", sent.message_id)
            }
            ["sent?", key] => {
                let found = port.find_sent(&ana, key).await?;
                found.map_or("none".into(), |sent| format!("sent {}", sent.message_id))
            }
            _ => return Ok(None),
        };
        Ok(Some(shown))
    }
}

/// A mail of header lines and, after `--`, the parts of its body. Without a sender it has a plain one and a subject.
fn one(parts: &[&str]) -> Vec<u8> {
    let end = parts.iter().position(|part| *part == "--").unwrap();
    let headers = parts[..end].iter().map(|line| format!("{line}\n"));
    let headers: String = headers.collect();
    let plain = "From: a@b.example\nSubject: s\n";
    let head = if headers.contains("From:") { "" } else { plain };
    let body = parts[end + 1..].concat();
    bytes(&format!("{head}{headers}\n{body}"))
}

/// What isn't as in most mails of the texts.
fn whole(mail: &MailMessage) -> String {
    let (summary, mut lines) = (&mail.summary, Vec::new());
    if summary.from != Mailbox::new("", "a@b.example") {
        lines.push(mailbox("from", &summary.from));
    }
    lines.extend(summary.to.iter().map(|to| mailbox("to", to)));
    if summary.subject != "s" {
        lines.push(format!("subject {}", summary.subject));
    }
    if summary.received_at != Timestamp::UNIX_EPOCH {
        lines.push(format!("received {}", summary.received_at));
    }
    let flags = [
        (summary.automated, "automated"),
        (mail.disguised_link, "disguised link"),
        (mail.truncated, "truncated"),
    ];
    lines.extend(which(&flags).map(str::to_owned));
    assert_eq!(summary.has_attachments, !mail.attachments.is_empty());
    let files = mail.attachments.iter();
    lines.extend(files.map(|file| format!("file {}, {} MB", file.name, file.bytes / 1_000_000)));
    let text = mail.text.trim();
    if text.len() > LONG {
        lines.push(format!("{} bytes", mail.text.len()));
    } else {
        lines.push(format!("text {text}"));
        if summary.snippet != text {
            lines.push(format!("snippet {}", summary.snippet));
        }
    }
    lines.join("\n")
}

/// A mail to Ben with these fields. Words without a name are more text.
fn outgoing(fields: &[&str]) -> OutgoingMail {
    let read = |value: &str| {
        let (name, address) = value.split_once(" <").unwrap();
        Mailbox::new(name, address.trim_end_matches('>'))
    };
    let mut mail = draft();
    for field in fields {
        match field.split_once('=') {
            Some(("to", value)) => mail.to = vec![read(value)],
            Some(("cc", value)) => mail.cc.push(read(value)),
            Some(("subject", value)) => mail.subject = value.into(),
            Some(("reply", value)) => mail.in_reply_to = Some(value.into()),
            Some(("reference", value)) => mail.references.push(value.into()),
            _ => mail.text += field,
        }
    }
    mail
}
