//! Drafts that wait for their owner, once for a key. The rows are those of `outbox.rs`, under keys of their own:
//! `Preparing` may have a draft that isn't written down yet, `Drafted` has one, and nothing here is ever sent.

use alfred_core::ports::{AccountError, AccountService, Discarded, DraftRef, OutgoingMail};
use serde_json::Value;

use super::outbox::{Drafted, KEY_HEADER, LOOKS, Parcel, Stage, not_now};
use super::wire::{Draft, Drafts};
use super::{Gmail, is_id};
use crate::google::api::{Ask, CallError};

impl Gmail<'_> {
    pub(super) async fn save_draft(
        &self,
        mail: &OutgoingMail,
        key: &str,
    ) -> Result<DraftRef, AccountError> {
        let parcel = self.parcel(mail, &format!("draft\n{key}")).await?;
        let _turn = self.google.sending.of(&parcel.digest).await;
        for _ in 0..LOOKS {
            let (stage, version) = self.stage(&parcel.digest).await?;
            match stage {
                Some(Stage::Drafted(drafted)) => return Ok(kept(drafted)),
                Some(Stage::Sent { .. }) => return Err(not_now("a draft that was sent")),
                stage => {
                    let again = stage.is_some();
                    if let Some(drafted) = self.kept_once(&parcel, again, version).await? {
                        return Ok(kept(drafted));
                    }
                }
            }
        }
        Err(not_now("other processes are at the same draft"))
    }

    /// `None`: another process was first.
    async fn kept_once(
        &self,
        parcel: &Parcel<'_>,
        again: bool,
        version: u64,
    ) -> Result<Option<Drafted>, AccountError> {
        let digest = &parcel.digest;
        if !self.advance(digest, version, &Stage::Preparing).await? {
            return Ok(None);
        }
        let earlier = match again {
            true => self.own_drafts(parcel).await?.into_iter().next(),
            false => None,
        };
        let drafted = match earlier {
            Some(draft) => parcel.lying_as(draft, self.google.clock.now()),
            None => self.drafted(parcel).await?,
        };
        let stage = Stage::Drafted(drafted.clone());
        if !self.advance(digest, version + 1, &stage).await? {
            self.delete_draft(&drafted.draft).await?;
            return Ok(None);
        }
        Ok(Some(drafted))
    }

    /// Drafts of an attempt that was cut off before it wrote down which they are.
    pub(super) async fn own_drafts(&self, parcel: &Parcel<'_>) -> Result<Vec<Draft>, AccountError> {
        let q = format!("rfc822msgid:{}", parcel.message_id);
        let ask = Ask::get(AccountService::MailSend, self.url("drafts")).query("q", q);
        let found: Drafts = self.call(&ask).await?;
        let mut own = Vec::new();
        for draft in found.drafts {
            let ours = self.head(&draft.message.id).await?;
            if ours.is_some_and(|head| head.header(KEY_HEADER) == Some(&parcel.digest)) {
                own.push(draft);
            }
        }
        Ok(own)
    }

    pub(super) async fn delete_draft(&self, draft: &str) -> Result<(), AccountError> {
        let url = self.url(&format!("drafts/{draft}"));
        let ask = Ask::delete(AccountService::MailSend, url).repeatable();
        match self.call::<Value>(&ask).await {
            Ok(_) | Err(CallError::Status { code: 404, .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Between the look and the deletion its owner may still edit it: Gmail deletes unconditionally.
    pub(super) async fn discard_draft(&self, draft: &DraftRef) -> Result<Discarded, AccountError> {
        // Whoever has connected nothing is told that first.
        self.profile().await?;
        if !is_draft_id(&draft.id) {
            return Ok(Discarded::Gone);
        }
        let url = self.url(&format!("drafts/{}", draft.id));
        let ask = Ask::get(AccountService::MailSend, url).query("format", "minimal");
        match self.call::<Draft>(&ask).await {
            Ok(now) if now.message.id == draft.version => {
                self.delete_draft(&draft.id).await?;
                Ok(Discarded::Deleted)
            }
            Ok(_) => Ok(Discarded::Edited),
            Err(CallError::Status {
                code: 400 | 404, ..
            }) => Ok(Discarded::Gone),
            Err(error) => Err(error.into()),
        }
    }
}

/// What becomes a part of an address; Google's have `r`, a sign and digits.
fn is_draft_id(id: &str) -> bool {
    is_id(&id.replace('-', "0"))
}

fn kept(drafted: Drafted) -> DraftRef {
    DraftRef {
        id: drafted.draft,
        version: drafted.message,
    }
}
