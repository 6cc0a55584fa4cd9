//! Gmail's drafts. Gmail sends a draft at most once.

use alfred_core::ports::{
    Account, AccountError, AccountService, Clock, Mailbox, OutgoingMail, Provider, SentMail, Store,
};
use async_trait::async_trait;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::wire::{Draft, Drafts as Listed, Listing};
use super::{Gmail, is_id};
use crate::{Result, found};
use alfred_accounts::api::{CallError, provider_too_large};
use alfred_accounts::ask::Ask;
use alfred_accounts::drafts::{Drafted, Drafts, Look, Parcel, Release, Written};
use alfred_accounts::outbox::not_now;
use alfred_accounts::turns::Turns;
use alfred_accounts::upload::Upload;

/// Identifies a mail whose `Message-ID` Google replaced.
pub(super) const KEY_HEADER: &str = "X-Alfred-Key";

fn message_id(parcel: &Parcel<'_>) -> String {
    let address = alfred_mime::ascii_domain(&parcel.address);
    let domain = address.rsplit_once('@').map_or("localhost", |(_, d)| d);
    format!("{}@{domain}", parcel.digest)
}

/// Whether a text can be a draft id, which is `r`, a sign and digits.
fn is_draft_id(id: &str) -> bool {
    is_id(&id.replace('-', "0"))
}

#[async_trait]
impl Drafts for Gmail<'_> {
    fn provider(&self) -> Provider {
        Provider::Google
    }

    fn account(&self) -> &Account {
        self.account
    }

    fn store(&self) -> &dyn Store {
        &*self.google.store
    }

    fn clock(&self) -> &dyn Clock {
        &*self.google.clock
    }

    fn turns(&self) -> &Turns {
        &self.google.sending
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
        let mut message = json!({});
        if let Some(thread) = self.thread(parcel.mail).await? {
            message["threadId"] = json!(thread);
        }
        let upload = Upload {
            content_type: "message/rfc822",
            content: raw,
        };
        let base = &self.google.api.endpoints.gmail;
        let url = format!("{base}/upload/gmail/v1/users/me/drafts");
        let body = json!({"message": message});
        let ask = Ask::post(AccountService::MailSend, url, body).with_upload(upload);
        match self.call::<Draft>(&ask).await {
            Ok(created) => Ok(Written {
                draft: created.id,
                message: created.message.id,
                message_id,
            }),
            Err(CallError::Account(AccountError::Unknown { detail })) => Err(not_now(detail)),
            Err(CallError::Status { code: 413, .. }) => {
                let reason = provider_too_large(Provider::Google);
                Err(AccountError::refused(reason))
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
        match self.google.api.call(self.account, &ask).await {
            Ok(answer) => Ok(match answer["id"].as_str() {
                Some(id) => match self.receipt(id, drafted).await {
                    Some(sent) => Release::Sent(sent),
                    None => Release::Unnamed(SentMail {
                        id: id.into(),
                        message_id: drafted.message_id.clone(),
                        at: self.google.clock.now(),
                    }),
                },
                None => Release::Lost("an answer without an id".to_owned()),
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
        if !is_draft_id(draft) {
            return Ok(None);
        }
        let url = self.url(&format!("drafts/{draft}"));
        let ask = Ask::get(AccountService::MailSend, url).query("format", "minimal");
        let draft: Option<Draft> = found(self.call(&ask).await, &[400, 404])?;
        Ok(draft.map(|draft| draft.message.id))
    }

    async fn look(&self, digest: &str, drafted: &Drafted) -> Result<Look> {
        self.looked(digest, drafted).await
    }
}

impl Gmail<'_> {
    /// The thread of the answered mail, if it is in this mailbox.
    async fn thread(&self, mail: &OutgoingMail) -> Result<Option<String>> {
        let answered = mail
            .in_reply_to
            .as_deref()
            .and_then(alfred_mime::message_id);
        let Some(answered) = answered.filter(|id| !id.contains('"')) else {
            return Ok(None);
        };
        let q = format!("rfc822msgid:{answered}");
        let ask = self.get("messages").query("q", q).query("maxResults", 1);
        let listing: Listing = self.call(&ask).await?;
        Ok(listing
            .messages
            .into_iter()
            .find_map(|named| named.thread_id))
    }
}
