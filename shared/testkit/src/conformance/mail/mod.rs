//! The calls of `mail.txt`.

mod given;
mod sending;

use alfred_core::id::MailId;
use alfred_core::ports::{
    AccountError, DraftRef, Mail, MailMessage, MailQuery, MailStatus, MailSummary, Total,
};
use async_trait::async_trait;
use std::cmp::Reverse;
use std::fmt::Debug;

use super::account::{AccountSide, Names, error_word, error_words};
use super::{Calls, joined, pass, shown};
pub use given::{mails, of_a_list, owner, rfc5322};
pub use sending::draft;

pub async fn mail<P: Mail + ?Sized + 'static>(open: impl AsyncFn() -> AccountSide<P>) {
    let open = async || World {
        side: open().await,
        names: Names::default(),
        message_ids: Names::default(),
        drafts: Names::default(),
    };
    pass("mail.txt", include_str!("mail.txt"), open).await;
}

struct World<P: ?Sized> {
    side: AccountSide<P>,
    names: Names<MailId>,
    message_ids: Names<String>,
    drafts: Names<DraftRef>,
}

impl<P: Mail + ?Sized> World<P> {
    async fn list(&self, query: &MailQuery) -> Vec<MailSummary> {
        self.try_list(query).await.unwrap()
    }

    /// Lists mails. Those of the suite must be unchanged except for their states.
    async fn try_list(&self, query: &MailQuery) -> Result<Vec<MailSummary>, AccountError> {
        let page = self.side.port.list(&self.side.account, query).await?;
        assert_eq!(page.unreadable, []);
        for mail in &page.mails {
            assert!(query.sent || *mail == as_given(mail).summary);
        }
        Ok(page.mails)
    }

    fn show(&mut self, mail: &MailSummary) -> String {
        let name = self.names.name(&mail.id, &mail.subject);
        format!("{name} {}", word(mail.status))
    }

    /// The id of a mail by its subject. Any other word is an id.
    async fn id(&mut self, name: &str) -> MailId {
        for mail in self.list(&query(&["everywhere"])).await {
            self.names.name(&mail.id, &mail.subject);
        }
        self.names.id(name).unwrap_or_else(|| name.into())
    }

    /// All mails, read in pages of a size.
    async fn pages(&mut self, limit: usize) -> String {
        let mut query = query(&["everywhere"]);
        query.limit = limit;
        let mut subjects = Vec::new();
        loop {
            let page = self.side.port.list(&self.side.account, &query).await;
            let page = page.unwrap();
            match page.total {
                Total::Exact(total) => assert_eq!(total, mails().len()),
                Total::About(_) => assert!(query.cursor.is_some() || page.next.is_some()),
            }
            assert!(page.mails.len() <= limit);
            subjects.extend(page.mails.into_iter().map(|mail| mail.subject));
            query.cursor = page.next;
            if query.cursor.is_none() {
                return joined(subjects, ", ");
            }
        }
    }

    async fn read(&mut self, id: &MailId) -> String {
        let Some(mail) = self.side.port.read(&self.side.account, id).await.unwrap() else {
            return "none".into();
        };
        let given = as_given(&mail.summary);
        assert_eq!(mail.text.trim_end(), given.text);
        let text = mail.text.clone();
        assert_eq!(mail, MailMessage { text, ..given });
        self.show(&mail.summary)
    }

    /// Asks for the envelopes of all mails, with an unknown id after each.
    async fn envelopes(&mut self) -> String {
        let mut expected = Vec::new();
        let mut ids: Vec<MailId> = Vec::new();
        for mail in self.list(&query(&["everywhere"])).await.into_iter().rev() {
            ids.extend([mail.id.clone(), "nowhere".into()]);
            expected.extend([Some(mail), None]);
        }
        let found = self.side.port.summaries(&self.side.account, &ids).await;
        let found = found.unwrap();
        assert_eq!(found, expected);
        joined(found.into_iter().flatten().map(|mail| mail.subject), ", ")
    }

    /// Changes a state, and nothing else.
    async fn set(&mut self, id: &MailId, status: MailStatus) -> String {
        let (port, account) = (self.side.port.clone(), self.side.account.clone());
        let mut expected = self.list(&query(&["everywhere"])).await;
        let before = port.set_status(&account, id, status).await.unwrap();
        if before.is_some() {
            let read = port.read(&account, id).await.unwrap().unwrap().summary;
            assert_eq!(read.status, status);
            assert_eq!(read, as_given(&read).summary);
            expected.retain(|mail| mail.id != *id);
            expected.extend(Some(read).filter(|_| status != MailStatus::Deleted));
            expected.sort_by_key(|mail| Reverse(mail.received_at));
        }
        assert_eq!(self.list(&query(&["everywhere"])).await, expected);
        expected.retain(|mail| mail.status != MailStatus::Archived);
        assert_eq!(self.list(&query(&[])).await, expected);
        before.map_or("none".into(), word)
    }

    /// Changes the states of all mails, each named several times, with an unknown id after each.
    async fn set_all(&mut self, times: usize, status: MailStatus) -> String {
        let before = self.list(&query(&["everywhere"])).await;
        let named = |mail: &MailSummary| [mail.id.clone(), "no".into()];
        let ids: Vec<MailId> = before.iter().flat_map(named).collect();
        let many = vec![ids; times].concat();
        let port = &self.side.port;
        let set = port.set_statuses(&self.side.account, &many, status);
        let set = set.await.unwrap();
        assert_eq!(set.len(), many.len());
        let set: Vec<_> = set.into_iter().map(Result::unwrap).collect();
        let expected = before.iter().flat_map(|mail| [Some(mail.status), None]);
        for (set, expected) in set.into_iter().zip(expected) {
            assert_eq!(set, expected);
        }
        let now = self.list(&query(&["everywhere"])).await;
        joined(now.iter().map(|mail| self.show(mail)), ", ")
    }

    async fn discard(&self, draft: DraftRef) -> String {
        let (port, account) = (&self.side.port, &self.side.account);
        word(port.discard_draft(account, &draft).await.unwrap())
    }

    async fn as_stranger(&self, id: MailId) -> String {
        let (port, nobody) = (&self.side.port, &self.side.stranger);
        let archived = MailStatus::Archived;
        let many = vec![id.clone(); 12];
        let mut errors = vec![
            port.address(nobody).await.err(),
            port.list(nobody, &query(&[])).await.err(),
            port.read(nobody, &id).await.err(),
            port.attachment(nobody, &id, 0).await.err(),
            port.set_status(nobody, &id, archived).await.err(),
            port.send(nobody, &draft("No", &[]), "k").await.err(),
            port.find_sent(nobody, "k").await.err(),
            port.save_draft(nobody, &draft("No", &[]), "k").await.err(),
            port.discard_draft(nobody, &draft_ref("d")).await.err(),
        ];
        match port.set_statuses(nobody, &many, archived).await {
            Ok(each) => errors.extend(each.into_iter().map(Result::err)),
            Err(error) => errors.push(Some(error)),
        }
        error_words(errors)
    }
}

#[async_trait]
impl<P: Mail + ?Sized> Calls for World<P> {
    async fn call(&mut self, words: &[&str]) -> String {
        let (port, account) = (self.side.port.clone(), self.side.account.clone());
        match *words {
            ["address"] => port.address(&account).await.unwrap().address,
            ["list", ref words @ ..] => match self.try_list(&query(words)).await {
                Ok(mails) => joined(mails.iter().map(|mail| self.show(mail)), ", "),
                Err(error) => error_word(error),
            },
            ["count", ref words @ ..] => self.list(&query(words)).await.len().to_string(),
            ["sent", ref words @ ..] => {
                let mut query = query(words);
                query.sent = true;
                let sent = self.list(&query).await;
                joined(sent.iter().map(|mail| self.names.name(&mail.id, "?")), ", ")
            }
            ["pages", "of", limit] => self.pages(limit.parse().unwrap()).await,
            ["envelopes"] => self.envelopes().await,
            ["read", name] => {
                let id = self.id(name).await;
                self.read(&id).await
            }
            ["file", at, "of", name] => {
                let id = self.id(name).await;
                let file = port.attachment(&account, &id, at.parse().unwrap()).await;
                file.unwrap().map_or("none".into(), |file| shown(&file))
            }
            ["set", "all", n, status] => self.set_all(n.parse().unwrap(), state(status)).await,
            ["set", name, status] => {
                let id = self.id(name).await;
                self.set(&id, state(status)).await
            }
            ["send", "or", "refuse", key, ref words @ ..] => {
                self.send(key, words).await;
                String::new()
            }
            ["send", key, ref words @ ..] => self.send(key, words).await,
            ["sent?", key] => {
                let found = port.find_sent(&account, key).await.unwrap();
                found.map_or("none".into(), |sent| self.names.name(&sent.id, "?"))
            }
            ["keep", key, ref words @ ..] => self.keep(key, words).await,
            ["discard", name] => {
                let draft = self.drafts.id(name);
                self.discard(draft.unwrap_or_else(|| draft_ref(name))).await
            }
            ["discard", name, "of", "another", "version"] => {
                let draft = self.drafts.id(name).unwrap();
                let version = format!("{}0", draft.version);
                self.discard(DraftRef { version, ..draft }).await
            }
            ["stranger", name] => {
                let id = self.id(name).await;
                self.as_stranger(id).await
            }
            _ => panic!("no call {words:?}"),
        }
    }
}

/// The mail that was given under this subject, with the id and the state that it has now.
fn as_given(now: &MailSummary) -> MailMessage {
    let mut mails = mails().into_iter();
    let given = mails.find(|mail| mail.summary.subject == now.subject);
    let mut given = given.unwrap();
    given.summary.id = now.id.clone();
    given.summary.status = now.status;
    given
}

fn draft_ref(id: &str) -> DraftRef {
    let (id, version) = (id.into(), "0".into());
    DraftRef { id, version }
}

/// A query of words such as `status=read` and `word=tables`.
pub fn query(words: &[&str]) -> MailQuery {
    let mut query = MailQuery {
        limit: 100,
        ..MailQuery::default()
    };
    for word in words {
        let (name, value) = word.split_once('=').unwrap_or((word, ""));
        match name {
            "everywhere" => {
                let all = ["unread", "read", "archived", "backlog", "processed"];
                query.status = all.map(state).into();
            }
            "status" => query.status.push(state(value)),
            "word" => query.words.push(value.into()),
            "from" => query.from = Some(value.into()),
            "since" => query.since = Some(value.parse().unwrap()),
            "limit" => query.limit = value.parse().unwrap(),
            "cursor" => query.cursor = Some(value.into()),
            _ => panic!("no query {word}"),
        }
    }
    query
}

pub fn state(word: &str) -> MailStatus {
    serde_json::from_value(word.into()).unwrap()
}

fn word(value: impl Debug) -> String {
    format!("{value:?}").to_lowercase()
}
