//! Whether a mail was sent: by its draft, and by what is among the sent mails.

use alfred_core::ports::{AccountError, AccountService, SentMail};
use jiff::SignedDuration;

use super::Gmail;
use super::envelope::received_at;
use super::outbox::KEY_HEADER;
use super::wire::{Draft, Listing, Message};
use crate::api::CallError;
use crate::ask::Ask;
use crate::drafts::{Drafted, Look};

/// Google's clock and ours may differ by as much.
const SKEW: SignedDuration = SignedDuration::from_mins(5);
/// Sent mails that are looked at one by one, newest first.
const LOOKED_AT: usize = 100;

impl Gmail<'_> {
    /// The draft first: one that is sent between the two looks is then found as a mail.
    pub(super) async fn looked(
        &self,
        digest: &str,
        drafted: &Drafted,
    ) -> Result<Look, AccountError> {
        let url = self.url(&format!("drafts/{}", drafted.draft));
        let ask = Ask::get(AccountService::MailSend, url).query("format", "minimal");
        match self.call::<Draft>(&ask).await {
            Ok(draft) if draft.message.id == drafted.message => return Ok(Look::Draft),
            Ok(_) => return Ok(Look::Edited),
            Err(CallError::Status { code: 404, .. }) => {}
            Err(error) => return Err(error.into()),
        }
        let found = self.among_sent(digest, drafted).await?;
        Ok(found.map_or(Look::Gone, Look::Sent))
    }

    /// By its `Message-ID`; by our own header where Google has replaced that.
    async fn among_sent(
        &self,
        digest: &str,
        drafted: &Drafted,
    ) -> Result<Option<SentMail>, AccountError> {
        let since = drafted.since.saturating_sub(SKEW);
        let since = since.unwrap_or(drafted.since).as_second();
        let queries = [
            format!("in:sent rfc822msgid:{}", drafted.message_id),
            format!("in:sent after:{since}"),
        ];
        for q in queries {
            let ask = self.get("messages").query("q", q);
            let found: Listing = self.call(&ask.query("maxResults", LOOKED_AT)).await?;
            for named in found.messages {
                let Some(message) = self.head(&named.id).await? else {
                    continue;
                };
                if message.header(KEY_HEADER) == Some(digest) {
                    return Ok(Some(as_sent(&message, drafted)));
                }
            }
        }
        Ok(None)
    }

    /// What tells whose mail it is; `None` when there is none of this id.
    pub(super) async fn head(&self, id: &str) -> Result<Option<Message>, AccountError> {
        let ask = self
            .get(&format!("messages/{id}"))
            .query("format", "metadata");
        let ask = ask
            .query("metadataHeaders", KEY_HEADER)
            .query("metadataHeaders", "Message-ID");
        match self.call(&ask).await {
            Ok(message) => Ok(Some(message)),
            Err(CallError::Status { code: 404, .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Of a mail that Google says to have sent: with the `Message-ID` that it has now, if that can be seen.
    pub(super) async fn receipt(&self, id: &str, drafted: &Drafted) -> Option<SentMail> {
        match self.head(id).await {
            Ok(Some(message)) => Some(as_sent(&message, drafted)),
            missing => {
                tracing::warn!(?missing, "a mail that was sent can't be looked at");
                None
            }
        }
    }
}

fn as_sent(message: &Message, drafted: &Drafted) -> SentMail {
    let named = message
        .header("Message-ID")
        .and_then(alfred_mime::message_id);
    SentMail {
        id: message.id.as_str().into(),
        message_id: named.unwrap_or_else(|| drafted.message_id.clone()),
        at: received_at(message),
    }
}
