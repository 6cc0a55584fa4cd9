//! Gmail as the port `Mail` (<https://developers.google.com/workspace/gmail/api/reference/rest>). A mail's
//! state is its labels: outside `INBOX` it is archived; otherwise `Alfred/Processed`, `Alfred/Backlog` and
//! `UNREAD` decide in this order. Envelopes are stored by id, since fetching one costs as much as listing two
//! thousand. `history.list` keeps their labels current.

mod batch;
mod envelope;
mod list;
mod look;
mod outbox;
mod read;
mod rows;
mod search;
mod status;
mod sync;
mod wire;

use alfred_core::id::MailId;
use alfred_core::ports::{
    Account, AccountError, AccountService, Discarded, DraftRef, Mail, MailMessage, MailPage,
    MailQuery, MailStatus, MailSummary, Mailbox, OutgoingMail, SentMail, StoreError,
};
use async_trait::async_trait;
use jiff::SignedDuration;
use serde::de::DeserializeOwned;

use super::Google;
use alfred_accounts::api::{CallError, shaped};
use alfred_accounts::ask::Ask;
use alfred_accounts::outbox::Outbox;
use alfred_accounts::position::Cursors;
use wire::Profile;

/// How long rows of a mailbox are kept.
const KEPT: SignedDuration = SignedDuration::from_hours(30 * 24);

const CURSORS: Cursors = Cursors {
    version: "g1",
    is_id,
};

/// Whether a text can be a message id. Only ids become part of a URL.
fn is_id(id: &str) -> bool {
    (1..=64).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

fn not_stored(error: StoreError) -> AccountError {
    AccountError::NotReached {
        detail: error.to_string(),
        retry_after: None,
    }
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

    /// The upload URL of a path.
    fn upload_url(&self, path: &str) -> String {
        let base = &self.google.api.endpoints.gmail;
        format!("{base}/upload/gmail/v1/users/me/{path}")
    }

    fn get(&self, path: &str) -> Ask {
        Ask::get(AccountService::Mail, self.url(path))
    }

    async fn call<T: DeserializeOwned>(&self, ask: &Ask) -> Result<T, CallError> {
        let answer = self.google.api.call(self.account, ask).await?;
        shaped(answer).map_err(CallError::Account)
    }

    async fn profile(&self) -> Result<Profile, AccountError> {
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
    async fn address(&self, account: &Account) -> Result<Mailbox, AccountError> {
        let profile = self.gmail(account).profile().await?;
        Ok(Mailbox::new("", &profile.email_address))
    }

    async fn list(&self, account: &Account, query: &MailQuery) -> Result<MailPage, AccountError> {
        self.gmail(account).list(query).await
    }

    async fn read(
        &self,
        account: &Account,
        id: &MailId,
    ) -> Result<Option<MailMessage>, AccountError> {
        self.gmail(account).read(id).await
    }

    async fn attachment(
        &self,
        account: &Account,
        id: &MailId,
        at: usize,
    ) -> Result<Option<Vec<u8>>, AccountError> {
        self.gmail(account).attachment(id, at).await
    }

    async fn summaries(
        &self,
        account: &Account,
        ids: &[MailId],
    ) -> Result<Vec<Option<MailSummary>>, AccountError> {
        self.gmail(account).summaries(ids).await
    }

    async fn set_status(
        &self,
        account: &Account,
        id: &MailId,
        status: MailStatus,
    ) -> Result<Option<MailStatus>, AccountError> {
        self.gmail(account).set_status(id, status).await
    }

    async fn set_statuses(
        &self,
        account: &Account,
        ids: &[MailId],
        status: MailStatus,
    ) -> Result<Vec<Result<Option<MailStatus>, AccountError>>, AccountError> {
        self.gmail(account).set_statuses(ids, status).await
    }

    async fn send(
        &self,
        account: &Account,
        mail: &OutgoingMail,
        idempotency_key: &str,
    ) -> Result<SentMail, AccountError> {
        let gmail = self.gmail(account);
        Outbox(&gmail).send(mail, idempotency_key).await
    }

    async fn find_sent(
        &self,
        account: &Account,
        idempotency_key: &str,
    ) -> Result<Option<SentMail>, AccountError> {
        let gmail = self.gmail(account);
        Outbox(&gmail).find_sent(idempotency_key).await
    }

    async fn save_draft(
        &self,
        account: &Account,
        mail: &OutgoingMail,
        idempotency_key: &str,
    ) -> Result<DraftRef, AccountError> {
        let gmail = self.gmail(account);
        Outbox(&gmail).keep(mail, idempotency_key).await
    }

    async fn discard_draft(
        &self,
        account: &Account,
        draft: &DraftRef,
    ) -> Result<Discarded, AccountError> {
        let gmail = self.gmail(account);
        Outbox(&gmail).discard(draft).await
    }
}
