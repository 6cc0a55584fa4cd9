//! Outlook as the port `Mail`. A list returns whole envelopes, so none are stored.

mod list;
mod outbox;
mod read;
mod search;
mod status;
mod wire;

use crate::Result;
use alfred_core::id::MailId;
use alfred_core::ports::{
    Account, AccountService, Discarded, DraftRef, Mail, MailAccount, MailMessage, MailPage,
    MailQuery, MailStatus, MailSummary, Mailbox, OutgoingMail, SentMail,
};
use async_trait::async_trait;

use super::{Microsoft, is_id};
use alfred_accounts::outbox::Outbox;
use alfred_accounts::position::Cursors;
use status::Place;
use wire::Message;

const CURSORS: Cursors = Cursors {
    version: "m1",
    is_id,
};

#[derive(Clone, Copy)]
struct Outlook<'a> {
    graph: &'a Microsoft,
    account: &'a Account,
}

#[async_trait]
impl MailAccount for Outlook<'_> {
    async fn address(&self) -> Result<Mailbox> {
        let address = self.graph.owner(self.account, AccountService::Mail).await?;
        Ok(Mailbox::new("", &address))
    }

    async fn list(&self, query: &MailQuery) -> Result<MailPage> {
        self.page(query).await
    }

    async fn read(&self, id: &MailId) -> Result<Option<MailMessage>> {
        self.message(id).await
    }

    async fn attachment(&self, id: &MailId, at: usize) -> Result<Option<Vec<u8>>> {
        self.content(id, at).await
    }

    async fn summaries(&self, ids: &[MailId]) -> Result<Vec<Option<MailSummary>>> {
        let placed = self.placed(ids).await?;
        let summary = |(message, place): &(Message, Place)| read::summary(message, *place);
        Ok(ids.iter().map(|id| placed.get(id).map(summary)).collect())
    }

    async fn set_statuses(
        &self,
        ids: &[MailId],
        status: MailStatus,
    ) -> Result<Vec<Result<Option<MailStatus>>>> {
        self.set_all(ids, status).await
    }

    async fn send(&self, mail: &OutgoingMail, key: &str) -> Result<SentMail> {
        Outbox(self).send(mail, key).await
    }

    async fn find_sent(&self, key: &str) -> Result<Option<SentMail>> {
        Outbox(self).find_sent(key).await
    }

    async fn save_draft(&self, mail: &OutgoingMail, key: &str) -> Result<DraftRef> {
        Outbox(self).keep(mail, key).await
    }

    async fn discard_draft(&self, draft: &DraftRef) -> Result<Discarded> {
        Outbox(self).discard(draft).await
    }
}

#[async_trait]
impl Mail for Microsoft {
    async fn open<'a>(&'a self, account: &'a Account) -> Result<Box<dyn MailAccount + 'a>> {
        let graph = self;
        Ok(Box::new(Outlook { graph, account }))
    }
}
