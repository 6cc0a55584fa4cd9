//! Reads a whole mail from its raw source, as for every provider.

use alfred_core::id::MailId;
use alfred_core::ports::{AccountError, AccountService, MailMessage};
use alfred_mime::{Raw, Verifier};

use super::Outlook;
use super::envelope::summary;
use super::status::status;
use crate::{found, is_id};
use alfred_accounts::ask::Ask;

impl Outlook<'_> {
    pub(super) async fn read(&self, id: &MailId) -> Result<Option<MailMessage>, AccountError> {
        let mut placed = self.placed([id]).await?;
        let Some((message, place)) = placed.remove(id) else {
            return Ok(None);
        };
        let summary = summary(&message, status(&message, place));
        let bytes = match self.mime(id).await {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return Ok(None),
            // The mail is too large, so only its envelope and snippet are returned.
            Err(AccountError::Refused { reason }) => {
                tracing::info!(reason, "a mail is read without its body");
                Vec::new()
            }
            Err(error) => return Err(error),
        };
        let raw = Raw::whole(&bytes, summary.received_at);
        // Exchange Online names no server, and renames such headers of incoming mail.
        let Some(read) = raw.message_checked_by(Verifier::Topmost) else {
            return Ok(Some(MailMessage {
                text: summary.snippet.clone(),
                summary,
                cc: Vec::new(),
                reply_to: Vec::new(),
                truncated: true,
                disguised_link: false,
                attachments: Vec::new(),
                message_id: None,
                references: Vec::new(),
                unsubscribe: None,
                one_click: None,
            }));
        };
        Ok(Some(MailMessage { summary, ..read }))
    }

    pub(super) async fn attachment(
        &self,
        id: &MailId,
        at: usize,
    ) -> Result<Option<Vec<u8>>, AccountError> {
        let Some(bytes) = self.mime(id).await? else {
            return Ok(None);
        };
        let raw = Raw::whole(&bytes, self.graph.clock.now());
        Ok(raw.file(at))
    }

    /// The raw mail. `None` if it doesn't exist.
    async fn mime(&self, id: &MailId) -> Result<Option<Vec<u8>>, AccountError> {
        if !is_id(id.as_str()) {
            // Fails first if no account is connected.
            self.graph.owner(self.account, AccountService::Mail).await?;
            return Ok(None);
        }
        let url = self.graph.url(&format!("me/messages/{id}/$value"));
        let ask = Ask::get(AccountService::Mail, url);
        found(self.graph.bytes(self.account, &ask).await)
    }
}
