//! Reads a whole mail from its raw source, as for every provider.

use alfred_core::id::MailId;
use alfred_core::ports::{AccountError, MailMessage};
use alfred_mime::{Raw, Verifier};
use base64::Engine;
use base64::alphabet::URL_SAFE;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::Gmail;
use super::status::status;
use super::wire::Message;
use crate::{Result, found, is_id};
use alfred_accounts::without_body;

/// The server name in Gmail's authentication results.
const VERIFIER: Verifier = Verifier::Named("mx.google.com");
/// Accepts padded and unpadded base64url.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &URL_SAFE,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

impl Gmail<'_> {
    pub(super) async fn message(&self, id: &MailId) -> Result<Option<MailMessage>> {
        let message = match self.raw(id).await {
            Ok(Some(message)) => message,
            Ok(None) => return Ok(None),
            // The mail is too large, so only its envelope and snippet are returned.
            Err(AccountError::Refused { reason }) => {
                tracing::info!(reason, "a mail is read without its body");
                return self.without_body(id).await;
            }
            Err(error) => return Err(error),
        };
        let bytes = LENIENT.decode(&message.raw).unwrap_or_default();
        let raw = Raw::whole(&bytes, message.received_at());
        let Some(mut mail) = raw.message_checked_by(VERIFIER) else {
            return self.without_body(id).await;
        };
        mail.summary.id = id.clone();
        mail.summary.received_at = raw.modified;
        mail.summary.snippet = message.snippet();
        mail.summary.status = status(&message.label_ids, &self.synced().await?.labels);
        Ok(Some(mail))
    }

    /// The contents of an attachment, counted as in the raw mail.
    pub(super) async fn content(&self, id: &MailId, at: usize) -> Result<Option<Vec<u8>>> {
        let Some(message) = self.raw(id).await? else {
            return Ok(None);
        };
        let bytes = LENIENT.decode(&message.raw).unwrap_or_default();
        Ok(Raw::whole(&bytes, message.received_at()).file(at))
    }

    /// The raw mail. `None` if it doesn't exist.
    async fn raw(&self, id: &MailId) -> Result<Option<Message>> {
        if !is_id(id.as_str()) {
            // Fails first if no account is connected.
            self.profile().await?;
            return Ok(None);
        }
        let ask = self.get(&format!("messages/{id}")).query("format", "raw");
        found(self.call(&ask).await, &[400, 404])
    }

    async fn without_body(&self, id: &MailId) -> Result<Option<MailMessage>> {
        let Some(envelope) = self.fetch(id).await? else {
            return Ok(None);
        };
        let summary = envelope.summary(&self.synced().await?.labels);
        Ok(Some(without_body(summary)))
    }
}
