//! Gmail as the port `Mail` (<https://developers.google.com/workspace/gmail/api/reference/rest>). A mail's
//! state is its labels: outside `INBOX` it is archived; otherwise `Alfred/Processed`, `Alfred/Backlog` and
//! `UNREAD` decide in this order.

mod batch;
mod known;
mod list;
mod outbox;
mod read;
mod search;
mod status;
mod wire;

use alfred_core::id::MailId;
use alfred_core::ports::{
    Account, AccountService, Discarded, DraftRef, Mail, MailAccount, MailMessage, MailPage,
    MailQuery, MailStatus, MailSummary, Mailbox, OutgoingMail, SentMail,
};
use async_trait::async_trait;
use serde::de::DeserializeOwned;

use super::Google;
use crate::{Result, is_id};
use alfred_accounts::api::CallResult;
use alfred_accounts::ask::Ask;
use alfred_accounts::outbox::Outbox;
use alfred_accounts::position::Cursors;
pub(super) use known::Mailboxes;
use wire::Profile;

const CURSORS: Cursors = Cursors {
    version: "g1",
    is_id,
};

#[derive(Clone, Copy)]
struct Gmail<'a> {
    google: &'a Google,
    account: &'a Account,
}

impl Gmail<'_> {
    fn url(&self, path: &str) -> String {
        let base = &self.google.api.endpoints.gmail;
        format!("{base}/gmail/v1/users/me/{path}")
    }

    fn get(&self, path: &str) -> Ask {
        Ask::get(AccountService::Mail, self.url(path))
    }

    async fn call<T: DeserializeOwned>(&self, ask: &Ask) -> CallResult<T> {
        self.google.call(self.account, ask).await
    }

    async fn profile(&self) -> Result<Profile> {
        Ok(self.call(&self.get("profile")).await?)
    }
}

#[async_trait]
impl MailAccount for Gmail<'_> {
    async fn address(&self) -> Result<Mailbox> {
        let profile = self.profile().await?;
        Ok(Mailbox::new("", &profile.email_address))
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
        self.envelopes(ids).await
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
impl Mail for Google {
    async fn open<'a>(&'a self, account: &'a Account) -> Result<Box<dyn MailAccount + 'a>> {
        let google = self;
        Ok(Box::new(Gmail { google, account }))
    }
}
