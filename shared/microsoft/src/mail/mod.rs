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
    Account, AccountService, Discarded, DraftRef, Mail, MailMessage, MailPage, MailQuery,
    MailStatus, MailSummary, Mailbox, OutgoingMail, SentMail,
};
use async_trait::async_trait;

use super::{Microsoft, is_id};
use alfred_accounts::outbox::Outbox;
use alfred_accounts::position::Cursors;

const CURSORS: Cursors = Cursors {
    version: "m1",
    is_id,
};

#[derive(Clone, Copy)]
struct Outlook<'a> {
    graph: &'a Microsoft,
    account: &'a Account,
}

impl Outlook<'_> {
    async fn summaries(&self, ids: &[MailId]) -> Result<Vec<Option<MailSummary>>> {
        let placed = self.placed(ids).await?;
        let of = |id: &MailId| {
            let (message, place) = placed.get(id)?;
            Some(read::summary(message, status::status(message, *place)))
        };
        Ok(ids.iter().map(of).collect())
    }
}

impl Microsoft {
    fn outlook<'a>(&'a self, account: &'a Account) -> Outlook<'a> {
        Outlook {
            graph: self,
            account,
        }
    }
}

#[async_trait]
impl Mail for Microsoft {
    async fn address(&self, account: &Account) -> Result<Mailbox> {
        let address = self.owner(account, AccountService::Mail).await?;
        Ok(Mailbox::new("", &address))
    }

    async fn list(&self, account: &Account, query: &MailQuery) -> Result<MailPage> {
        self.outlook(account).list(query).await
    }

    async fn read(&self, account: &Account, id: &MailId) -> Result<Option<MailMessage>> {
        self.outlook(account).read(id).await
    }

    async fn attachment(
        &self,
        account: &Account,
        id: &MailId,
        at: usize,
    ) -> Result<Option<Vec<u8>>> {
        self.outlook(account).attachment(id, at).await
    }

    async fn summaries(
        &self,
        account: &Account,
        ids: &[MailId],
    ) -> Result<Vec<Option<MailSummary>>> {
        self.outlook(account).summaries(ids).await
    }

    async fn set_status(
        &self,
        account: &Account,
        id: &MailId,
        status: MailStatus,
    ) -> Result<Option<MailStatus>> {
        let ids = std::slice::from_ref(id);
        let set = self.outlook(account).set_statuses(ids, status).await?;
        set.into_iter().next().unwrap_or(Ok(None))
    }

    async fn set_statuses(
        &self,
        account: &Account,
        ids: &[MailId],
        status: MailStatus,
    ) -> Result<Vec<Result<Option<MailStatus>>>> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        self.outlook(account).set_statuses(ids, status).await
    }

    async fn send(&self, account: &Account, mail: &OutgoingMail, key: &str) -> Result<SentMail> {
        Outbox(&self.outlook(account)).send(mail, key).await
    }

    async fn find_sent(&self, account: &Account, key: &str) -> Result<Option<SentMail>> {
        Outbox(&self.outlook(account)).find_sent(key).await
    }

    async fn save_draft(
        &self,
        account: &Account,
        mail: &OutgoingMail,
        key: &str,
    ) -> Result<DraftRef> {
        Outbox(&self.outlook(account)).keep(mail, key).await
    }

    async fn discard_draft(&self, account: &Account, draft: &DraftRef) -> Result<Discarded> {
        Outbox(&self.outlook(account)).discard(draft).await
    }
}
