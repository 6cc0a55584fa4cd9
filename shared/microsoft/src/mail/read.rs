//! Reads a whole mail from its raw source, as for every provider.

use alfred_core::id::MailId;
use alfred_core::ports::{AccountError, AccountService, MailMessage, MailSummary};
use alfred_mime::{Raw, Verifier, clean};

use super::Outlook;
use super::status::{Place, status};
use super::wire::Message;
use crate::person::mailbox;
use crate::{Result, found, is_id};
use alfred_accounts::ask::Ask;
use alfred_accounts::without_body;

pub(super) fn summary(message: &Message, place: Place) -> MailSummary {
    let received_at = message.received_date_time.unwrap_or_default();
    let headers = message.internet_message_headers.iter();
    let headers = headers.map(|header| (header.name.as_str(), header.value.as_str()));
    let read = alfred_mime::envelope(headers, received_at);
    MailSummary {
        id: message.id.as_str().into(),
        status: status(message, place),
        from: mailbox(&message.from),
        to: message.to_recipients.iter().map(mailbox).collect(),
        subject: clean::line(&message.subject),
        received_at,
        has_attachments: message.has_attachments,
        automated: read.is_some_and(|read| read.automated),
        snippet: MailSummary::snippet_of(&clean::line(&message.body_preview)),
    }
}

impl Outlook<'_> {
    pub(super) async fn message(&self, id: &MailId) -> Result<Option<MailMessage>> {
        let mut placed = self.placed([id]).await?;
        let Some((message, place)) = placed.remove(id) else {
            return Ok(None);
        };
        let summary = summary(&message, place);
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
            return Ok(Some(without_body(summary)));
        };
        Ok(Some(MailMessage { summary, ..read }))
    }

    pub(super) async fn content(&self, id: &MailId, at: usize) -> Result<Option<Vec<u8>>> {
        let Some(bytes) = self.mime(id).await? else {
            return Ok(None);
        };
        let raw = Raw::whole(&bytes, self.graph.clock.now());
        Ok(raw.file(at))
    }

    /// The raw mail. `None` if it doesn't exist.
    async fn mime(&self, id: &MailId) -> Result<Option<Vec<u8>>> {
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
