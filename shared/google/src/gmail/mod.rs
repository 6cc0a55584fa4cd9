//! Gmail as the port `Mail` (<https://developers.google.com/workspace/gmail/api/reference/rest>). A mail's
//! state is its labels: outside `INBOX` it is archived; otherwise `Alfred/Processed`, `Alfred/Backlog` and
//! `UNREAD` decide in this order.

mod batch;
mod envelope;
mod known;
mod list;
mod look;
mod outbox;
mod read;
mod search;
mod status;
mod sync;
mod wire;

use alfred_core::id::MailId;
use alfred_core::ports::{
    Account, AccountService, Discarded, DraftRef, Mail, MailMessage, MailPage, MailQuery,
    MailStatus, MailSummary, Mailbox, OutgoingMail, SentMail,
};
use async_trait::async_trait;
use serde::de::DeserializeOwned;

use super::Google;
use crate::Result;
use alfred_accounts::api::CallError;
use alfred_accounts::ask::Ask;
use alfred_accounts::outbox::Outbox;
use alfred_accounts::position::Cursors;
pub(super) use known::Mailboxes;
use wire::Profile;

const CURSORS: Cursors = Cursors {
    version: "g1",
    is_id,
};

/// Whether a text can be a message id. Only ids become part of a URL.
fn is_id(id: &str) -> bool {
    (1..=64).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

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

    async fn call<T: DeserializeOwned>(&self, ask: &Ask) -> Result<T, CallError> {
        self.google.call(self.account, ask).await
    }

    async fn profile(&self) -> Result<Profile> {
        Ok(self.call(&self.get("profile")).await?)
    }
}

impl Google {
    fn gmail<'a>(&'a self, account: &'a Account) -> Gmail<'a> {
        Gmail {
            google: self,
            account,
        }
    }
}

#[async_trait]
impl Mail for Google {
    async fn address(&self, account: &Account) -> Result<Mailbox> {
        let profile = self.gmail(account).profile().await?;
        Ok(Mailbox::new("", &profile.email_address))
    }

    async fn list(&self, account: &Account, query: &MailQuery) -> Result<MailPage> {
        self.gmail(account).list(query).await
    }

    async fn read(&self, account: &Account, id: &MailId) -> Result<Option<MailMessage>> {
        self.gmail(account).read(id).await
    }

    async fn attachment(
        &self,
        account: &Account,
        id: &MailId,
        at: usize,
    ) -> Result<Option<Vec<u8>>> {
        self.gmail(account).attachment(id, at).await
    }

    async fn summaries(
        &self,
        account: &Account,
        ids: &[MailId],
    ) -> Result<Vec<Option<MailSummary>>> {
        self.gmail(account).summaries(ids).await
    }

    async fn set_status(
        &self,
        account: &Account,
        id: &MailId,
        status: MailStatus,
    ) -> Result<Option<MailStatus>> {
        let ids = std::slice::from_ref(id);
        let set = self.gmail(account).set_statuses(ids, status).await?;
        set.into_iter().next().unwrap_or(Ok(None))
    }

    async fn set_statuses(
        &self,
        account: &Account,
        ids: &[MailId],
        status: MailStatus,
    ) -> Result<Vec<Result<Option<MailStatus>>>> {
        self.gmail(account).set_statuses(ids, status).await
    }

    async fn send(&self, account: &Account, mail: &OutgoingMail, key: &str) -> Result<SentMail> {
        Outbox(&self.gmail(account)).send(mail, key).await
    }

    async fn find_sent(&self, account: &Account, key: &str) -> Result<Option<SentMail>> {
        Outbox(&self.gmail(account)).find_sent(key).await
    }

    async fn save_draft(
        &self,
        account: &Account,
        mail: &OutgoingMail,
        key: &str,
    ) -> Result<DraftRef> {
        Outbox(&self.gmail(account)).keep(mail, key).await
    }

    async fn discard_draft(&self, account: &Account, draft: &DraftRef) -> Result<Discarded> {
        Outbox(&self.gmail(account)).discard(draft).await
    }
}
