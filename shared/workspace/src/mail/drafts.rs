//! Drafts as files that mail programs can open and edit. They aren't mails of the mailbox.

use alfred_core::digest::sha256_hex;
use alfred_core::ports::{AccountError, Discarded, DraftRef, OutgoingMail};
use alfred_mime::{Draft, digest, message_id_of};
use jiff::Timestamp;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::person::{Identity, not_reached};
use crate::{Result, folder};

const DRAFTS: &str = "drafts";
/// Makes mail programs open the file as a draft.
const UNSENT: (&str, &str) = ("X-Unsent", "1");

/// Keeps a draft. An existing draft of the key is returned as it is. `root` is the mail folder.
pub(crate) fn save(
    root: &Path,
    who: &Identity,
    (mail, key): (&OutgoingMail, &str),
    at: Timestamp,
) -> Result<DraftRef> {
    let id = digest(&who.account, &format!("draft\n{key}"));
    let path = file(root, &id);
    let draft = Draft {
        mail,
        from: &who.mailbox,
        message_id: &message_id_of(&id, &who.mailbox),
        at,
        header: Some(UNSENT),
    };
    let bytes = draft.to_bytes().map_err(not_reached)?;
    let kept = || {
        fs::create_dir_all(root.join(DRAFTS))?;
        folder::create(&path, &bytes)?;
        version(&path)
    };
    let version = kept().map_err(not_reached)?;
    let gone = || AccountError::not_reached("the draft that was written isn't there");
    Ok(DraftRef {
        version: version.ok_or_else(gone)?,
        id,
    })
}

pub(crate) fn discard(root: &Path, draft: &DraftRef) -> Result<Discarded> {
    // The id comes from outside, so it must not become a path.
    if !draft.id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Ok(Discarded::Gone);
    }
    let path = file(root, &draft.id);
    match version(&path).map_err(not_reached)? {
        None => Ok(Discarded::Gone),
        Some(now) if now != draft.version => Ok(Discarded::Edited),
        Some(_) => {
            folder::remove(&path).map_err(not_reached)?;
            Ok(Discarded::Deleted)
        }
    }
}

fn file(root: &Path, id: &str) -> PathBuf {
    root.join(DRAFTS).join(format!("{id}.eml"))
}

/// The digest of the content. `None` if the file doesn't exist.
fn version(path: &Path) -> io::Result<Option<String>> {
    let bytes = folder::optional(fs::read(path))?;
    Ok(bytes.map(|bytes| sha256_hex(&bytes)))
}
