//! Finds out whether a mail was sent, by its draft and by the sent mails.

use alfred_core::ports::{AccountService, SentMail};
use jiff::SignedDuration;

use super::Gmail;
use super::envelope::received_at;
use super::outbox::KEY_HEADER;
use super::wire::{Draft, Listing, Message};
use crate::{Result, found};
use alfred_accounts::ask::Ask;
use alfred_accounts::drafts::{Drafted, Look};

/// Possible difference between Google's clock and ours.
const SKEW: SignedDuration = SignedDuration::from_mins(5);
/// Sent mails that are checked one by one, newest first.
const LOOKED_AT: usize = 100;

impl Gmail<'_> {
    /// The draft comes first: if it is sent between the two checks, the second finds the mail.
    pub(super) async fn looked(&self, digest: &str, drafted: &Drafted) -> Result<Look> {
        let url = self.url(&format!("drafts/{}", drafted.draft));
        let ask = Ask::get(AccountService::MailSend, url).query("format", "minimal");
        match found(self.call::<Draft>(&ask).await, &[404])? {
            Some(draft) if draft.message.id == drafted.message => return Ok(Look::Draft),
            Some(_) => return Ok(Look::Edited),
            None => {}
        }
        let sent = self.among_sent(digest, drafted).await?;
        Ok(sent.map_or(Look::Gone, Look::Sent))
    }

    /// Searches by `Message-ID`, then by our own header in case Google replaced the `Message-ID`.
    async fn among_sent(&self, digest: &str, drafted: &Drafted) -> Result<Option<SentMail>> {
        let since = drafted.since.saturating_sub(SKEW);
        let since = since.unwrap_or(drafted.since).as_second();
        let queries = [
            format!("in:sent rfc822msgid:{}", drafted.message_id),
            format!("in:sent after:{since}"),
        ];
        for q in queries {
            let ask = self.get("messages").query("q", q);
            let listing: Listing = self.call(&ask.query("maxResults", LOOKED_AT)).await?;
            for named in listing.messages {
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

    /// The headers that identify a mail. `None` if it doesn't exist.
    pub(super) async fn head(&self, id: &str) -> Result<Option<Message>> {
        let ask = self
            .get(&format!("messages/{id}"))
            .query("format", "metadata");
        let ask = ask
            .query("metadataHeaders", KEY_HEADER)
            .query("metadataHeaders", "Message-ID");
        found(self.call(&ask).await, &[404])
    }

    /// The receipt of a sent mail, with its current `Message-ID` if visible.
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
