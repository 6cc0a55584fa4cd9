//! Drafts for their owner. A draft is found by its `Message-ID`, which is derived from its key.

use crate::Result;
use alfred_core::ports::{Discarded, DraftRef, OutgoingMail};
use futures_util::TryStreamExt;
use jiff::Timestamp;

use crate::imap::id::Name;
use crate::imap::line::{Bytes, Line};
use crate::imap::mail::ImapAccount;
use crate::imap::open::unknown;
use crate::imap::outbox::Outgoing;
use crate::imap::shelf::Shelf;
use crate::imap::status::store;

/// Accepts only digests and host names, so the id can't change the search.
fn is_id(id: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '@' | '.' | '-');
    !id.is_empty() && id.len() <= 400 && id.chars().all(plain)
}

async fn lying(line: &mut Line, message_id: &str) -> Result<Option<Bytes>> {
    let search = format!("NOT DELETED HEADER Message-ID \"{message_id}\"");
    let found = line.entries(Shelf::Drafts, &search).await?;
    Ok(line.read(&found, 0).await?.pop())
}

impl ImapAccount<'_> {
    pub(crate) async fn keep(&self, mail: &OutgoingMail, key: &str) -> Result<DraftRef> {
        mail.check()?;
        let out = Outgoing::new(self.account, self.person, &format!("draft\n{key}"));
        let _turn = self.all.turns.of(&out.digest).await;
        let now = self.all.clock.now();
        let at = Timestamp::from_second(now.as_second()).unwrap_or(now);
        let bytes = out.written(mail, at)?;
        let version = self
            .on_a_line(async |line| {
                if let Some(there) = lying(line, &out.message_id).await? {
                    return Ok(there.name());
                }
                let flags = "(\\Draft \\Seen)";
                line.append(Shelf::Drafts, flags, at, &bytes).await?;
                Ok(Name::of_whole(at, &bytes))
            })
            .await?;
        Ok(DraftRef {
            id: out.message_id,
            version: version.id().as_str().to_owned(),
        })
    }

    /// A mail program that edits a draft replaces it by a new message.
    pub(crate) async fn discard(&self, draft: &DraftRef) -> Result<Discarded> {
        self.on_a_line(async |line| {
            if !is_id(&draft.id) {
                return Ok(Discarded::Gone);
            }
            let Some(there) = lying(line, &draft.id).await? else {
                return Ok(Discarded::Gone);
            };
            if there.name().id().as_str() != draft.version {
                return Ok(Discarded::Edited);
            }
            let uid = there.entry.uid.to_string();
            store(line, &uid, "+FLAGS.SILENT (\\Deleted)").await?;
            let gone = line.session.uid_expunge(&uid).await.map_err(unknown)?;
            let gone = gone.try_collect::<Vec<_>>().await;
            gone.map(|_| Discarded::Deleted).map_err(unknown)
        })
        .await
    }
}
