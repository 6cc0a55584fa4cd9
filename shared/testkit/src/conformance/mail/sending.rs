//! Mail that goes out.

use alfred_core::ports::{Mail, Mailbox, OutgoingFile, OutgoingMail, SentMail};
use futures_util::future::join_all;

use super::super::{account::error_word, deduped};
use super::{World, owner};

/// A mail with changes such as `to=ben` and `files`.
pub fn draft(subject: &str, changes: &[&str]) -> OutgoingMail {
    let mut mail = OutgoingMail {
        to: vec![Mailbox::new("Ben Okafor", "ben@example.com")],
        cc: vec![Mailbox::new("", "chiyo@example.com")],
        subject: subject.into(),
        text: "Dear Ben,\n\nfünf Tische.\n.\nFrom here on: nothing.\n\nAna".into(),
        in_reply_to: Some("budget@example.com".into()),
        references: vec!["start@example.com".into(), "budget@example.com".into()],
        files: Vec::new(),
    };
    for change in changes {
        let (field, value) = change.split_once('=').unwrap_or((change, ""));
        match field {
            "nobody" => mail.to.clear(),
            "name" => mail.to[0].name = value.into(),
            "to" => mail.to[0].address = value.into(),
            "cc" => mail.cc[0].address = value.into(),
            "reply" => {
                mail.in_reply_to = Some(value.into());
                mail.references = vec![value.into()];
            }
            "files" => mail.files = files(),
            "bytes" => mail.files = vec![file("large.bin", vec![7; value.parse().unwrap()])],
            _ => panic!("no change {change}"),
        }
    }
    mail
}

fn files() -> Vec<OutgoingFile> {
    vec![
        file("tables – größer.bin", (0..=255).collect()),
        file("lines.txt", b"one\r\n.\r\nFrom here\n\nend".into()),
        file("latin.csv", b"caf\xE9;1\r\n".into()),
    ]
}

fn file(name: &str, content: Vec<u8>) -> OutgoingFile {
    let content_type = match name.rsplit_once('.') {
        Some((_, "txt")) => "text/plain",
        Some((_, "csv")) => "text/csv",
        _ => "application/octet-stream",
    };
    OutgoingFile {
        name: name.into(),
        content_type: content_type.into(),
        content,
        version: None,
    }
}

/// Mails of these subjects, with the changes that follow `with`.
fn drafts(words: &[&str]) -> Vec<OutgoingMail> {
    let mut parts = words.split(|word| *word == "with");
    let subjects = parts.next().unwrap();
    let changes = parts.next().unwrap_or_default();
    let drafts = subjects.iter().map(|subject| draft(subject, changes));
    drafts.collect()
}

impl<P: Mail + ?Sized> World<P> {
    /// Sends mails at once under one key. What was sent must be found by the key and read.
    pub(super) async fn send(&mut self, key: &str, words: &[&str]) -> String {
        let (port, account) = (self.side.port.clone(), self.side.account.clone());
        let drafts = drafts(words);
        let sends = drafts.iter().map(|draft| port.send(&account, draft, key));
        let sent = join_all(sends).await;
        let found = port.find_sent(&account, key).await.unwrap();
        let mut shown = Vec::new();
        for (sent, draft) in sent.into_iter().zip(&drafts) {
            assert_eq!(sent.as_ref().ok(), found.as_ref());
            shown.push(match sent {
                Ok(sent) => {
                    let name = self.names.name(&sent.id, &draft.subject);
                    let same = self.message_ids.name(&sent.message_id, &draft.subject);
                    assert_eq!(name, same, "the Message-ID of another mail");
                    if name.starts_with(&draft.subject) {
                        self.check(&sent, draft).await;
                    }
                    name
                }
                Err(error) => error_word(error),
            });
        }
        deduped(shown, ", ")
    }

    /// A sent mail is read as it was written.
    async fn check(&self, sent: &SentMail, draft: &OutgoingMail) {
        let (port, account) = (&self.side.port, &self.side.account);
        let read = port.read(account, &sent.id).await.unwrap().unwrap();
        if draft.subject.contains('\n') {
            assert!(!read.summary.subject.contains(['\r', '\n']));
            assert_eq!(read.summary.to[0].address, draft.to[0].address);
            assert_eq!(read.summary.to.len(), 1);
        } else {
            assert_eq!(read.summary.subject, draft.subject);
            assert_eq!(read.summary.to, draft.to);
        }
        assert_eq!(read.summary.from.address, owner().address);
        assert_eq!(read.cc, draft.cc);
        assert_eq!(read.text.trim_end(), draft.text);
        assert_eq!(read.message_id.as_ref(), Some(&sent.message_id));
        let own = std::slice::from_ref(&sent.message_id);
        let thread = [&draft.references[..], own].concat();
        assert_eq!(read.references, thread);
        assert_eq!(read.summary.has_attachments, !draft.files.is_empty());
        assert_eq!(read.attachments.len(), draft.files.len());
        for (at, (file, attached)) in draft.files.iter().zip(&read.attachments).enumerate() {
            assert_eq!(attached.name, file.name);
            assert_eq!(attached.content_type, file.content_type);
            let content = port.attachment(account, &sent.id, at).await.unwrap();
            assert_eq!(content.as_ref(), Some(&file.content), "{}", file.name);
        }
    }

    pub(super) async fn keep(&mut self, key: &str, words: &[&str]) -> String {
        let (port, account) = (self.side.port.clone(), self.side.account.clone());
        let drafts = drafts(words);
        let keeps = drafts.iter();
        let keeps = keeps.map(|draft| port.save_draft(&account, draft, key));
        let kept = join_all(keeps).await.into_iter();
        let named = kept.zip(&drafts).map(|(kept, draft)| match kept {
            Ok(kept) => self.drafts.name(&kept, &draft.subject),
            Err(error) => error_word(error),
        });
        deduped(named.collect(), ", ")
    }
}
