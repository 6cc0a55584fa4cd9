//! Mailboxes in memory.

use super::Result;
use alfred_core::id::MailId;
use alfred_core::ports::{
    Account, AccountError, AccountService, Attachment, Clock, Discarded, DraftRef, Mail,
    MailAccount, MailMessage, MailPage, MailQuery, MailStatus, MailSummary, Mailbox, OutgoingFile,
    OutgoingMail, SentMail, Total, Unreadable,
};
use alfred_core::text;
use async_trait::async_trait;
use std::collections::HashMap;
use std::sync::Arc;

use super::people::{MemoryAccount, People};
use crate::{When, fixtures};

pub struct MemoryMail {
    clock: Arc<dyn Clock>,
    people: People<Person>,
}

#[derive(Default)]
struct Person {
    mailbox: Mailbox,
    mails: Vec<MailMessage>,
    unreadable: Vec<Unreadable>,
    sent: Vec<Recorded<SentMail>>,
    sent_elsewhere: Vec<MailMessage>,
    /// A change adds a `+` to the version.
    drafts: Vec<Recorded<DraftRef>>,
    /// Ids of drafts that are gone: a key that kept one keeps no other.
    discarded: Vec<String>,
    unwilling: HashMap<MailId, (When, AccountError)>,
    /// The byte that fills the files of arrived mails; `x` if unset.
    filled_with: Option<u8>,
}

/// A mail that was sent, or kept as a draft, and what the port says of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded<R> {
    pub key: String,
    pub mail: OutgoingMail,
    pub record: R,
}

/// Adds a mail unless its key did so before.
fn add<R: Clone>(
    all: &mut Vec<Recorded<R>>,
    mail: &OutgoingMail,
    key: &str,
    record: impl FnOnce(usize) -> R,
) -> Result<R> {
    mail.check()?;
    if let Some(before) = all.iter().find(|one| one.key == key) {
        return Ok(before.record.clone());
    }
    let record = record(all.len() + 1);
    all.push(Recorded {
        key: key.to_owned(),
        mail: mail.clone(),
        record: record.clone(),
    });
    Ok(record)
}

impl MemoryMail {
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            clock,
            people: People::new(AccountService::Mail),
        }
    }

    /// With this person's mailbox. The mails keep their ids.
    pub fn with(self, account: &Account, mailbox: Mailbox, mails: Vec<MailMessage>) -> Self {
        let person = Person {
            mailbox,
            mails,
            ..Person::default()
        };
        self.people.add(account, person);
        self
    }

    pub fn arrive(&self, account: &Account, mail: MailMessage) {
        self.people.known(account, |person| person.mails.push(mail));
    }

    pub fn sent_elsewhere(&self, account: &Account, mail: MailMessage) {
        self.people
            .known(account, |person| person.sent_elsewhere.push(mail));
    }

    pub fn delete(&self, account: &Account, id: &str) {
        self.people.known(account, |person| {
            person.mails.retain(|mail| mail.summary.id.as_str() != id);
            person.sent.retain(|sent| sent.record.id.as_str() != id);
        });
    }

    pub fn spoil(&self, account: &Account, one: Unreadable) {
        self.people.known(account, |it| it.unreadable.push(one));
    }

    /// The next change of this mail's state fails, among many too.
    pub fn fail_to_change(&self, account: &Account, id: &str, when: When, error: AccountError) {
        self.people.known(account, |person| {
            person.unwilling.insert(MailId::from(id), (when, error))
        });
    }

    pub fn refill_files(&self, account: &Account, byte: u8) {
        self.people.known(account, |it| it.filled_with = Some(byte));
    }

    pub fn sent(&self, account: &Account) -> Vec<Recorded<SentMail>> {
        self.people.known(account, |person| person.sent.clone())
    }

    pub fn drafts(&self, account: &Account) -> Vec<Recorded<DraftRef>> {
        self.people.known(account, |person| {
            let mut drafts = person.drafts.clone();
            drafts.retain(|draft| !person.discarded.contains(&draft.record.id));
            drafts
        })
    }

    pub fn edit_draft(&self, account: &Account, id: &str, text: &str) {
        self.people.known(account, |person| {
            let mut drafts = person.drafts.iter_mut();
            let draft = drafts.find(|draft| draft.record.id == id).unwrap();
            draft.mail.text = text.to_owned();
            draft.record.version.push('+');
        });
    }
}

impl Person {
    fn list(&self, query: &MailQuery) -> Result<MailPage> {
        let all: Vec<MailMessage> = if query.sent {
            let own = self.sent.iter().map(|sent| self.as_message(sent));
            own.chain(self.sent_elsewhere.clone()).collect()
        } else {
            self.mails.clone()
        };
        let count = all.len();
        let all = all.into_iter().map(|mail| mail.summary);
        let mut fit: Vec<MailSummary> = all.filter(|mail| query.fits(mail, mail.status)).collect();
        fit.sort_by(|a, b| (b.received_at, &b.id).cmp(&(a.received_at, &a.id)));
        let total = fit.len();
        let from = query.cursor.as_deref().unwrap_or("0").parse::<usize>().ok();
        let from = from.filter(|from| *from <= count);
        let from = from.ok_or_else(|| AccountError::refused(text::UNKNOWN_CURSOR))?;
        let end = (from + query.page()).min(total);
        Ok(MailPage {
            mails: fit.get(from..end).unwrap_or_default().to_vec(),
            total: Total::Exact(total),
            next: (end < total).then(|| end.to_string()),
            unreadable: self.unreadable.clone(),
        })
    }

    fn as_message(&self, sent: &Recorded<SentMail>) -> MailMessage {
        let (mail, sent) = (&sent.mail, &sent.record);
        let subject = mail.subject.replace(['\r', '\n'], " ");
        let from = self.mailbox.clone();
        let mut message = fixtures::mail(sent.id.as_str(), from, &subject, &mail.text);
        message.summary.status = MailStatus::Read;
        message.summary.to = mail.to.clone();
        message.summary.received_at = sent.at;
        message.summary.has_attachments = !mail.files.is_empty();
        message.cc = mail.cc.clone();
        message.attachments = mail.files.iter().map(attached).collect();
        message.message_id = Some(sent.message_id.clone());
        message.references = mail.references.clone();
        message.references.push(sent.message_id.clone());
        message
    }
}

fn attached(file: &OutgoingFile) -> Attachment {
    Attachment {
        name: file.name.clone(),
        content_type: file.content_type.clone(),
        bytes: file.content.len() as u64,
    }
}

#[async_trait]
impl MailAccount for MemoryAccount<'_, MemoryMail, Person> {
    async fn address(&self) -> Result<Mailbox> {
        self.of(|person| person.mailbox.clone())
    }

    async fn list(&self, query: &MailQuery) -> Result<MailPage> {
        self.of(|person| person.list(query))?
    }

    async fn read(&self, id: &MailId) -> Result<Option<MailMessage>> {
        self.of(|person| {
            let mut mails = person.mails.iter().chain(&person.sent_elsewhere);
            let mail = mails.find(|mail| mail.summary.id == *id);
            let sent = || person.sent.iter().find(|sent| sent.record.id == *id);
            mail.cloned()
                .or_else(|| sent().map(|sent| person.as_message(sent)))
        })
    }

    async fn attachment(&self, id: &MailId, at: usize) -> Result<Option<Vec<u8>>> {
        let mail = self.read(id).await?;
        self.of(|person| {
            let sent = person.sent.iter().find(|sent| sent.record.id == *id);
            if let Some(file) = sent.and_then(|sent| sent.mail.files.get(at)) {
                return Some(file.content.clone());
            }
            let bytes = usize::try_from(mail?.attachments.get(at)?.bytes).ok()?;
            Some(vec![person.filled_with.unwrap_or(b'x'); bytes])
        })
    }

    async fn set_status(&self, id: &MailId, status: MailStatus) -> Result<Option<MailStatus>> {
        self.of(|person| {
            let fault = person.unwilling.remove(id);
            if let Some((When::Before, error)) = fault {
                return Err(error);
            }
            let mut mails = person.mails.iter_mut();
            let mail = mails.find(|mail| mail.summary.id == *id);
            let before = mail.map(|mail| std::mem::replace(&mut mail.summary.status, status));
            fault.map_or(Ok(before), |(_, error)| Err(error))
        })?
    }

    async fn send(&self, mail: &OutgoingMail, key: &str) -> Result<SentMail> {
        let at = self.port.clock.now();
        let record = |number: usize| SentMail {
            id: format!("sent-{number}").into(),
            message_id: format!("{key}@memory.example"),
            at,
        };
        self.of(|person| add(&mut person.sent, mail, key, record))?
    }

    async fn find_sent(&self, key: &str) -> Result<Option<SentMail>> {
        self.of(|person| {
            let sent = person.sent.iter().find(|sent| sent.key == key)?;
            Some(sent.record.clone())
        })
    }

    async fn save_draft(&self, mail: &OutgoingMail, key: &str) -> Result<DraftRef> {
        let record = |number: usize| DraftRef {
            id: format!("draft-{number}"),
            version: "0".into(),
        };
        self.of(|person| add(&mut person.drafts, mail, key, record))?
    }

    async fn discard_draft(&self, draft: &DraftRef) -> Result<Discarded> {
        self.of(|person| {
            let mut drafts = person.drafts.iter().map(|known| &known.record);
            match drafts.find(|known| known.id == draft.id) {
                Some(known) if person.discarded.contains(&known.id) => Discarded::Gone,
                None => Discarded::Gone,
                Some(known) if known.version != draft.version => Discarded::Edited,
                Some(known) => {
                    person.discarded.push(known.id.clone());
                    Discarded::Deleted
                }
            }
        })
    }
}

#[async_trait]
impl Mail for MemoryMail {
    async fn open<'a>(&'a self, account: &'a Account) -> Result<Box<dyn MailAccount + 'a>> {
        Ok(Box::new(MemoryAccount {
            port: self,
            people: &self.people,
            account,
        }))
    }
}
