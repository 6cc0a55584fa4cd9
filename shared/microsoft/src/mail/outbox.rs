//! Outlook's drafts. A sent draft keeps its immutable id
//! (<https://learn.microsoft.com/graph/outlook-immutable-id#immutable-id-with-sending-mail>). Graph accepts a
//! send before it is done, so a draft that still exists may be in flight.

use alfred_core::ports::{
    AccountError, AccountService, Mailbox, OutgoingFile, OutgoingMail, Provider, SentMail,
};
use alfred_mime::clean;
use async_trait::async_trait;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::Outlook;
use super::wire::Message;
use crate::{Page, Result, found, is_id, key_property, person, with_key};
use alfred_accounts::api::{CallError, CallResult};
use alfred_accounts::ask::Ask;
use alfred_accounts::drafts::{self, Drafted, Drafts, Look, Parcel, Release, Written};
use alfred_accounts::outbox::not_now;

/// Requested fields of a draft or sent mail.
const STATE: &str = "id,isDraft,changeKey,internetMessageId,sentDateTime";
/// Largest file that is sent in one request (<https://learn.microsoft.com/graph/outlook-large-attachments>).
const WHOLE: usize = 3 * 1024 * 1024 - 1;
/// Part size for larger files: a multiple of 320 KiB below 4 MB.
const PART: usize = 10 * 320 * 1024;

fn recipients(boxes: &[Mailbox]) -> Value {
    boxes.iter().map(person::written).collect()
}

fn message(mail: &OutgoingMail, digest: &str) -> Value {
    json!({
        "subject": clean::line(&mail.subject),
        "body": {"contentType": "text", "content": clean::lines(&mail.text)},
        "toRecipients": recipients(&mail.to),
        "ccRecipients": recipients(&mail.cc),
        "singleValueExtendedProperties": key_property(digest),
    })
}

/// A draft whose creation has an unknown outcome is never sent, so a retry is safe.
fn unsent(error: CallError) -> AccountError {
    match error.into() {
        AccountError::Unknown { detail } => not_now(detail),
        error => error,
    }
}

#[async_trait]
impl Drafts for Outlook<'_> {
    fn mailbox(&self) -> drafts::Mailbox<'_> {
        drafts::Mailbox {
            provider: Provider::Microsoft,
            account: self.account,
            store: &*self.graph.store,
            clock: &*self.graph.clock,
            turns: &self.graph.sending,
        }
    }

    async fn address(&self) -> Result<String> {
        self.graph.owner(self.account, AccountService::Mail).await
    }

    async fn write(&self, parcel: &Parcel<'_>, _: Timestamp) -> Result<Written> {
        let mut created = self.created(parcel).await.map_err(unsent)?;
        for file in &parcel.mail.files {
            self.attach(&created.id, file).await.map_err(unsent)?;
        }
        if !parcel.mail.files.is_empty() {
            let now = self.state(&created.id).await?;
            created = now.ok_or_else(|| not_now("a draft that is gone"))?;
        }
        Ok(Written {
            message: created.change_key.clone(),
            message_id: message_id(&created).unwrap_or_default(),
            draft: created.id,
        })
    }

    async fn clear(&self, parcel: &Parcel<'_>) -> Result<()> {
        for draft in self.by_key("drafts", &parcel.digest).await? {
            self.delete(&draft.id).await?;
        }
        Ok(())
    }

    async fn delete(&self, draft: &str) -> Result<()> {
        let url = self.graph.url(&format!("me/messages/{draft}"));
        let ask = Ask::delete(AccountService::MailSend, url).repeatable();
        found(self.graph.call::<Value>(self.account, &ask).await).map(drop)
    }

    async fn release(&self, drafted: &Drafted) -> Result<Release> {
        let path = format!("me/messages/{}/send", drafted.draft);
        let url = self.graph.url(&path);
        let ask = Ask::post_nothing(AccountService::MailSend, url);
        match self.graph.call::<Value>(self.account, &ask).await {
            Ok(_) => {}
            Err(CallError::Account(AccountError::Unknown { detail })) => {
                return Ok(Release::Lost(detail));
            }
            Err(CallError::Account(error @ AccountError::Refused { .. })) => {
                return Ok(Release::Refused(error));
            }
            Err(CallError::Account(error)) => return Err(error),
            // If another process sent it, it is no longer a draft.
            Err(refused) => {
                return Ok(match self.state(&drafted.draft).await {
                    Ok(Some(state)) if state.is_draft == Some(true) => {
                        Release::Refused(refused.into())
                    }
                    _ => Release::Lost("the draft isn't there any more".into()),
                });
            }
        }
        // Accepted: the mail goes out, whether it is visible yet or not.
        Ok(Release::Sent(match self.state(&drafted.draft).await {
            Ok(Some(state)) if state.is_draft == Some(false) => self.as_sent(&state, drafted),
            seen => {
                tracing::info!(?seen, "a mail that was sent can't be seen yet");
                self.as_sent(&Message::default(), drafted)
            }
        }))
    }

    async fn version(&self, draft: &str) -> Result<Option<String>> {
        if !is_id(draft) {
            return Ok(None);
        }
        // Outside the drafts folder it was deleted or sent.
        let path = format!("mailFolders/drafts/messages/{draft}");
        let state = self.state_at(&path).await?;
        Ok(state.map(|state| state.change_key))
    }

    async fn look(&self, digest: &str, drafted: &Drafted) -> Result<Look> {
        let now = self.graph.clock.now();
        Ok(match self.state(&drafted.draft).await? {
            Some(state) if state.is_draft == Some(false) => {
                Look::Sent(self.as_sent(&state, drafted))
            }
            Some(_) if drafted.in_flight(now) => Look::Gone,
            Some(state) if state.change_key == drafted.message => Look::Draft,
            Some(_) => Look::Edited,
            None => {
                let sent = self.by_key("sentitems", digest).await?;
                let sent = sent.first().map(|sent| self.as_sent(sent, drafted));
                sent.map_or(Look::Gone, Look::Sent)
            }
        })
    }
}

fn message_id(message: &Message) -> Option<String> {
    alfred_mime::message_id(&message.internet_message_id)
}

impl Outlook<'_> {
    /// A draft without its files. Only a draft that Graph made as a reply is sent in its thread.
    async fn created(&self, parcel: &Parcel<'_>) -> CallResult<Message> {
        let content = message(parcel.mail, &parcel.digest);
        let url = self.graph.url("me/messages");
        let Some(original) = self.answered(parcel.mail).await? else {
            let ask = Ask::post(AccountService::MailSend, url, content);
            return self.graph.call(self.account, &ask).await;
        };
        // The key lets `clear` find the draft if the next call fails.
        let body =
            json!({"message": {"singleValueExtendedProperties": key_property(&parcel.digest)}});
        let reply = format!("{url}/{original}/createReply");
        let ask = Ask::post(AccountService::MailSend, reply, body);
        let draft: Message = self.graph.call(self.account, &ask).await?;
        if !is_id(&draft.id) {
            return Err(CallError::Account(not_now("a draft without an id")));
        }
        // Graph proposes recipients, subject and text; only the approved ones may go out.
        let url = format!("{url}/{}", draft.id);
        let ask = Ask::patch(AccountService::MailSend, url, content).repeatable();
        self.graph.call(self.account, &ask).await
    }

    /// The id of the mail that this one answers, if the mailbox holds it.
    async fn answered(&self, mail: &OutgoingMail) -> CallResult<Option<String>> {
        let answered = mail.in_reply_to.as_deref();
        let Some(id) = answered.and_then(alfred_mime::message_id) else {
            return Ok(None);
        };
        let filter = format!("internetMessageId eq '<{}>'", id.replace('\'', "''"));
        let ask = Ask::get(AccountService::MailSend, self.graph.url("me/messages"))
            .query("$filter", filter)
            .query("$select", "id")
            .query("$top", 1);
        let page: Page<Message> = self.graph.call(self.account, &ask).await?;
        let mut ids = page.value.into_iter().map(|message| message.id);
        Ok(ids.find(|id| is_id(id)))
    }

    /// The state of a draft or mail. `None` if it doesn't exist.
    async fn state(&self, id: &str) -> Result<Option<Message>> {
        self.state_at(&format!("messages/{id}")).await
    }

    async fn state_at(&self, path: &str) -> Result<Option<Message>> {
        let url = self.graph.url(&format!("me/{path}"));
        let ask = Ask::get(AccountService::MailSend, url).query("$select", STATE);
        found(self.graph.call(self.account, &ask).await)
    }

    /// Messages of a folder with this key.
    async fn by_key(&self, folder: &str, digest: &str) -> Result<Vec<Message>> {
        let url = self.graph.url(&format!("me/mailFolders/{folder}/messages"));
        let ask = Ask::get(AccountService::MailSend, url)
            .query("$filter", with_key(digest))
            .query("$select", STATE);
        let page: Page<Message> = self.graph.call(self.account, &ask).await?;
        Ok(page.value)
    }

    fn as_sent(&self, message: &Message, drafted: &Drafted) -> SentMail {
        let id = Some(message.id.as_str()).filter(|id| !id.is_empty());
        let at = message.sent_date_time;
        SentMail {
            id: id.unwrap_or(&drafted.draft).into(),
            message_id: message_id(message).unwrap_or_else(|| drafted.message_id.clone()),
            at: at.unwrap_or_else(|| self.graph.clock.now()),
        }
    }

    async fn attach(&self, draft: &str, file: &OutgoingFile) -> CallResult<()> {
        let name = clean::file_name(&file.name);
        let content_type = clean::line(&file.content_type);
        let url = self.graph.url(&format!("me/messages/{draft}/attachments"));
        if file.content.len() <= WHOLE {
            let body = json!({
                "@odata.type": "#microsoft.graph.fileAttachment",
                "name": name,
                "contentType": content_type,
                "contentBytes": BASE64_STANDARD.encode(&file.content),
            });
            let ask = Ask::post(AccountService::MailSend, url, body);
            return self.graph.call::<Value>(self.account, &ask).await.map(drop);
        }
        let size = file.content.len();
        let body = json!({"AttachmentItem": {
            "attachmentType": "file", "name": name, "contentType": content_type, "size": size,
        }});
        let url = format!("{url}/createUploadSession");
        let ask = Ask::post(AccountService::MailSend, url, body);
        let session: Value = self.graph.call(self.account, &ask).await?;
        let to = session["uploadUrl"].as_str().unwrap_or_default();
        for (at, part) in file.content.chunks(PART).enumerate() {
            let from = at * PART;
            let range = format!("bytes {from}-{}/{size}", from + part.len() - 1);
            let ask = Ask::put_unsigned(AccountService::MailSend, to.to_owned(), part.to_vec());
            let ask = ask.header("content-range", range);
            self.graph.bytes(self.account, &ask).await?;
        }
        Ok(())
    }
}
