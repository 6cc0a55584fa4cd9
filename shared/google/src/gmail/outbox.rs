//! Gmail's drafts. Gmail sends a draft at most once.

use alfred_core::ports::{AccountError, AccountService, Mailbox, OutgoingMail, Provider, SentMail};
use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::Gmail;
use super::wire::{Draft, Drafts as Listed, Listing, Message, Sent};
use crate::{Result, found, is_id};
use alfred_accounts::api::{CallError, provider_too_large};
use alfred_accounts::ask::Ask;
use alfred_accounts::drafts::{self, Drafted, Drafts, Look, Parcel, Release, Written};
use alfred_accounts::outbox::not_now;

/// Identifies a mail whose `Message-ID` Google replaced.
const KEY_HEADER: &str = "X-Alfred-Key";

/// Possible difference between Google's clock and ours.
const SKEW: SignedDuration = SignedDuration::from_mins(5);
/// Sent mails that are checked one by one, newest first.
const LOOKED_AT: usize = 100;

fn message_id(parcel: &Parcel<'_>) -> String {
    alfred_mime::message_id_of(&parcel.digest, &Mailbox::new("", &parcel.address))
}

#[async_trait]
impl Drafts for Gmail<'_> {
    fn mailbox(&self) -> drafts::Mailbox<'_> {
        drafts::Mailbox {
            provider: Provider::Google,
            account: self.account,
            store: &*self.google.store,
            clock: &*self.google.clock,
            turns: &self.google.sending,
        }
    }

    async fn address(&self) -> Result<String> {
        Ok(self.profile().await?.email_address)
    }

    async fn write(&self, parcel: &Parcel<'_>, at: Timestamp) -> Result<Written> {
        let message_id = message_id(parcel);
        let draft = alfred_mime::Draft {
            mail: parcel.mail,
            from: &Mailbox::new("", &parcel.address),
            message_id: &message_id,
            at,
            header: Some((KEY_HEADER, &parcel.digest)),
        };
        let raw = draft.to_bytes().map_err(not_now)?;
        let thread = self.thread(parcel.mail).await?;
        let message = thread.map_or(json!({}), |thread| json!({"threadId": thread}));
        let base = &self.google.api.endpoints.gmail;
        let url = format!("{base}/upload/gmail/v1/users/me/drafts");
        let body = json!({"message": message});
        let ask = Ask::post(AccountService::MailSend, url, body);
        let ask = ask.with_upload("message/rfc822", raw);
        match self.call::<Draft>(&ask).await {
            Ok(created) => Ok(Written {
                draft: created.id,
                message: created.message.id,
                message_id,
            }),
            Err(CallError::Account(AccountError::Unknown { detail })) => Err(not_now(detail)),
            Err(CallError::Status { code: 413, .. }) => {
                Err(AccountError::refused(provider_too_large(Provider::Google)))
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn clear(&self, parcel: &Parcel<'_>) -> Result<()> {
        let q = format!("rfc822msgid:{}", message_id(parcel));
        let ask = Ask::get(AccountService::MailSend, self.url("drafts")).query("q", q);
        let listed: Listed = self.call(&ask).await?;
        for draft in listed.drafts {
            let ours = self.head(&draft.message.id).await?;
            if ours.is_some_and(|head| head.header(KEY_HEADER) == Some(&parcel.digest)) {
                self.delete(&draft.id).await?;
            }
        }
        Ok(())
    }

    async fn delete(&self, draft: &str) -> Result<()> {
        let url = self.url(&format!("drafts/{draft}"));
        let ask = Ask::delete(AccountService::MailSend, url).repeatable();
        found(self.call::<Value>(&ask).await, &[404]).map(drop)
    }

    async fn release(&self, drafted: &Drafted) -> Result<Release> {
        let body = json!({"id": drafted.draft});
        let ask = Ask::post(AccountService::MailSend, self.url("drafts/send"), body);
        match self.call::<Sent>(&ask).await {
            Ok(Sent { id }) => Ok(match self.head(id.as_str()).await {
                Ok(Some(message)) => Release::Sent(as_sent(&message, drafted)),
                missing => {
                    tracing::warn!(?missing, "a mail that was sent can't be looked at");
                    Release::Unnamed(SentMail {
                        id,
                        message_id: drafted.message_id.clone(),
                        at: self.google.clock.now(),
                    })
                }
            }),
            Err(CallError::Account(AccountError::Unknown { detail })) => Ok(Release::Lost(detail)),
            Err(CallError::Status { code: 404, .. }) => {
                Ok(Release::Lost("the draft is gone".to_owned()))
            }
            Err(refused @ CallError::Status { .. }) => Ok(Release::Refused(refused.into())),
            Err(CallError::Account(error)) => Err(error),
        }
    }

    async fn version(&self, draft: &str) -> Result<Option<String>> {
        if !is_id(draft) {
            return Ok(None);
        }
        let url = self.url(&format!("drafts/{draft}"));
        let ask = Ask::get(AccountService::MailSend, url).query("format", "minimal");
        let draft: Option<Draft> = found(self.call(&ask).await, &[400, 404])?;
        Ok(draft.map(|draft| draft.message.id))
    }

    /// The draft comes first: if it is sent between the two checks, the second finds the mail.
    async fn look(&self, digest: &str, drafted: &Drafted) -> Result<Look> {
        match self.version(&drafted.draft).await? {
            Some(version) if version == drafted.message => return Ok(Look::Draft),
            Some(_) => return Ok(Look::Edited),
            None => {}
        }
        let sent = self.among_sent(digest, drafted).await?;
        Ok(sent.map_or(Look::Gone, Look::Sent))
    }
}

impl Gmail<'_> {
    /// The thread of the answered mail, if it is in this mailbox.
    async fn thread(&self, mail: &OutgoingMail) -> Result<Option<String>> {
        let answered = mail.in_reply_to.as_deref();
        let answered = answered.and_then(alfred_mime::message_id);
        let Some(answered) = answered.filter(|id| !id.contains('"')) else {
            return Ok(None);
        };
        let q = format!("rfc822msgid:{answered}");
        let ask = self.get("messages").query("q", q).query("maxResults", 1);
        let listing: Listing = self.call(&ask).await?;
        let mut found = listing.messages.into_iter();
        Ok(found.find_map(|named| named.thread_id))
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
    async fn head(&self, id: &str) -> Result<Option<Message>> {
        let ask = self.get(&format!("messages/{id}"));
        let ask = ask
            .query("format", "metadata")
            .query("metadataHeaders", KEY_HEADER)
            .query("metadataHeaders", "Message-ID");
        found(self.call(&ask).await, &[404])
    }
}

fn as_sent(message: &Message, drafted: &Drafted) -> SentMail {
    let named = message.header("Message-ID");
    let named = named.and_then(alfred_mime::message_id);
    SentMail {
        id: message.id.as_str().into(),
        message_id: named.unwrap_or_else(|| drafted.message_id.clone()),
        at: message.received_at(),
    }
}
