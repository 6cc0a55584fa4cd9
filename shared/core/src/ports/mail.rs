use async_trait::async_trait;

use super::{
    Discarded, DraftRef, MailMessage, MailPage, MailQuery, MailStatus, MailSummary, Mailbox,
    OutgoingMail, Result, SentMail,
};
use crate::id::MailId;

/// One person's mailbox.
#[async_trait]
pub trait MailAccount: Send + Sync {
    /// The address that mail is sent from.
    async fn address(&self) -> Result<Mailbox>;
    /// A page of received mails, newest first; with `MailQuery::sent`, of sent mails. Fails with `Refused`
    /// for an invalid cursor.
    async fn list(&self, query: &MailQuery) -> Result<MailPage>;
    /// Reads a received or sent mail without changing its state. `None` if this person has no such mail.
    async fn read(&self, id: &MailId) -> Result<Option<MailMessage>>;
    /// The content of an attachment; `at` is its index in [`MailMessage::attachments`]. `None` if
    /// mail or attachment don't exist, or if the content can't be loaded completely.
    async fn attachment(&self, id: &MailId, at: usize) -> Result<Option<Vec<u8>>>;
    /// The envelopes of mails, in order; `None` for ids that this person doesn't have. Providers
    /// with cached envelopes don't load whole mails.
    async fn summaries(&self, ids: &[MailId]) -> Result<Vec<Option<MailSummary>>> {
        let mut found = Vec::with_capacity(ids.len());
        for id in ids {
            found.push(self.read(id).await?.map(|mail| mail.summary));
        }
        Ok(found)
    }
    /// Changes a received mail's state and returns the previous one. `None` if this person has no such mail. Safe
    /// to repeat. Each account implements this or [`Self::set_statuses`].
    async fn set_status(&self, id: &MailId, status: MailStatus) -> Result<Option<MailStatus>> {
        let set = self.set_statuses(std::slice::from_ref(id), status).await?;
        set.into_iter().next().unwrap_or(Ok(None))
    }
    /// Changes the state of several mails, with one result of [`Self::set_status`] each, in order. Uses batch or
    /// parallel calls. The error is a failure of all mails. Failures of single mails are in their results.
    async fn set_statuses(
        &self,
        ids: &[MailId],
        status: MailStatus,
    ) -> Result<Vec<Result<Option<MailStatus>>>> {
        let mut each = Vec::with_capacity(ids.len());
        for id in ids {
            each.push(self.set_status(id, status).await);
        }
        Ok(each)
    }
    /// Sends a mail. The key becomes part of its `Message-ID`, which makes it findable. A repeated call with the same
    /// key returns the mail already sent. If its outcome is unknown, a repeated call sends again. So callers first use
    /// [`Self::find_sent`], and then ask the owner. A concurrent call that waited gets `Unknown`. Fails with `Refused`
    /// if there is no recipient, an address is malformed, or a server refuses a recipient. Then nobody got the mail.
    async fn send(&self, mail: &OutgoingMail, key: &str) -> Result<SentMail>;
    /// Finds a sent mail by its key. `None` if it certainly wasn't sent. Fails with `Unknown` if that can't
    /// be found out.
    async fn find_sent(&self, key: &str) -> Result<Option<SentMail>>;
    /// Stores a mail in the person's drafts, without sending it. A repeated call with the same key returns
    /// the first draft. Fails with `Refused` as [`Self::send`].
    async fn save_draft(&self, mail: &OutgoingMail, key: &str) -> Result<DraftRef>;
    /// Deletes a draft unless somebody edited it. Safe to repeat.
    async fn discard_draft(&self, draft: &DraftRef) -> Result<Discarded>;
}
