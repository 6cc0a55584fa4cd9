//! What the cases do with mails.

use alfred_core::id::MailId;
use alfred_core::ports::{AccountError, Mail, MailStatus, OutgoingMail, SentMail};
use alfred_microsoft::Microsoft;
use alfred_testkit::conformance::joined;
use alfred_testkit::conformance::mail::{draft, of_a_list, query, state};
use serde_json::json;
use std::collections::BTreeSet;

use super::Played;
use crate::microsoft::support::account;
use crate::outlook::text;

const STATES: [&str; 5] = ["unread", "read", "archived", "backlog", "processed"];

impl Played {
    pub(super) async fn mail(
        &self,
        client: &Microsoft,
        call: &[&str],
    ) -> Result<String, AccountError> {
        let of = &account();
        Ok(match *call {
            ["mails"] => {
                let page = client.list(of, &query(&["limit=500"])).await?;
                format!("{} mails, more: {}", page.mails.len(), page.next.is_some())
            }
            ["set", "each", which] => {
                let (id, mut shown) = (&self.some(which)[0], Vec::new());
                for (from, to) in STATES.iter().flat_map(|from| STATES.map(|to| (from, to))) {
                    client.set_status(of, id, state(from)).await?;
                    client.set_status(of, id, state(to)).await?;
                    shown.push(format!("{from} to {to}: {}", self.labels(which)));
                }
                shown.join("\n")
            }
            ["set", which, to] => {
                let ids = self.some(which);
                let set = client.set_statuses(of, &ids, state(to)).await?;
                let set = set.into_iter().map(Result::unwrap);
                let mut set: Vec<Option<MailStatus>> = set.collect();
                let number = set.len();
                set.dedup();
                format!("{number} were {set:?}")
            }
            ["send", key, ref bytes @ ..] => {
                self.receipt(&client.send(of, &answer(bytes), key).await?)
            }
            ["sent?", key] => {
                let found = client.find_sent(of, key).await?;
                found.map_or("none".into(), |sent| self.receipt(&sent))
            }
            ["outbox"] => {
                let mut shown = Vec::new();
                for id in self.some("sentitems") {
                    let read = Mail::read(client, of, &id).await?.unwrap();
                    let (summary, thread, text) = (&read.summary, &read.references[0], &read.text);
                    let to: Vec<&str> = summary.to.iter().map(|to| &*to.address).collect();
                    let (subject, files) = (&summary.subject, read.attachments.len());
                    let text = text.trim_end();
                    shown.push(format!(
                        "{subject:?} to {to:?} in {thread}, {text:?}, {files} files"
                    ));
                }
                let drafts = self.some("drafts");
                shown.extend(drafts.iter().map(|_| "a draft".to_owned()));
                joined(shown, "\n")
            }
            ["file"] => {
                let file = client.attachment(of, &self.some("sentitems")[0], 0).await?;
                let file = file.unwrap();
                let bytes = BTreeSet::from_iter(&file);
                format!("{} times {bytes:?}", file.len())
            }
            ["list", "page", ref above @ ..] => {
                let raw = String::from_utf8(of_a_list("")).unwrap();
                let raw = format!("{}\r\n{raw}", above.join(" "));
                let id = self
                    .outlook
                    .mailbox()
                    .deliver(raw.trim_start(), "inbox", json!({}));
                let read = Mail::read(client, of, &id.into()).await?.unwrap();
                format!("signed: {}", read.one_click.unwrap().signed)
            }
            _ => self.at_graph(call),
        })
    }

    /// All mails of the inbox, those of a folder, or the one of a subject.
    pub(super) fn some(&self, which: &str) -> Vec<MailId> {
        let mailbox = self.outlook.mailbox();
        let mut mails = mailbox.messages.iter();
        if let Some((id, _)) = mails.find(|(_, mail)| mail["subject"] == which) {
            return vec![id.as_str().into()];
        }
        let ids = mailbox.in_folder(which).into_iter();
        ids.map(MailId::from).collect()
    }

    pub(super) fn labels(&self, which: &str) -> String {
        let id = self.some(which).remove(0);
        let mail = &self.outlook.mailbox().messages[id.as_str()];
        let folder = text(&mail["parentFolderId"]);
        format!("{folder} {} isRead: {}", mail["categories"], mail["isRead"])
    }

    /// Of a mail that was sent: its place, whether the receipt names its id, and how often mails were sent.
    fn receipt(&self, sent: &SentMail) -> String {
        let mailbox = self.outlook.mailbox();
        let ids = mailbox.in_folder("sentitems");
        let at = ids.iter().position(|id| *id == sent.id.to_string());
        format!("sent mail {at:?}, {} times sent", mailbox.times_sent)
    }
}

/// An answer to "Lunch", with a file of this size if one is given.
fn answer(bytes: &[&str]) -> OutgoingMail {
    let mut fields = vec!["reply=Lunch@example.com".to_owned()];
    fields.extend(bytes.iter().map(|bytes| format!("bytes={bytes}")));
    let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
    draft("Re: Lunch", &fields)
}
