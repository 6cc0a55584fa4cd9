//! Changes the states of mails on the server.

use crate::Result;
use alfred_core::ports::{AccountError, MailStatus};
use futures_util::TryStreamExt;
use std::collections::BTreeMap;

use crate::imap::entry::{BACKLOG, PROCESSED};
use crate::imap::id::Name;
use crate::imap::line::{AT_ONCE, Line, set};
use crate::imap::open::unknown;
use crate::imap::shelf::Shelf;

const MAIL_SERVER_NO_MARKS: &str = "Your mail server keeps no marks of mine, so a mail there is unread, read or archived, and nothing else.";

/// Puts mails into one state. Returns the previous states.
pub(crate) async fn set_all(
    line: &mut Line,
    names: &[Option<Name>],
    status: MailStatus,
) -> Result<Vec<Option<MailStatus>>> {
    let wanted: Vec<Name> = names.iter().flatten().cloned().collect();
    let shelves = [Shelf::Inbox, Shelf::Archive, Shelf::Bin];
    let found = line.locate(&wanted, &shelves).await?;
    let mut to_change: BTreeMap<Shelf, Vec<u32>> = BTreeMap::new();
    for entry in found.values().filter(|entry| entry.status != status) {
        to_change.entry(entry.shelf).or_default().push(entry.uid);
    }
    for (shelf, mut uids) in to_change {
        uids.sort_unstable();
        for some in uids.chunks(AT_ONCE) {
            change(line, shelf, some, status).await?;
        }
    }
    let before = |name: &Option<Name>| Some(found.get(name.as_ref()?)?.status);
    Ok(names.iter().map(before).collect())
}

/// Keywords are set first: if interrupted, the mail is still in its old place.
async fn change(line: &mut Line, from: Shelf, uids: &[u32], status: MailStatus) -> Result<()> {
    let (to, add, remove) = match status {
        MailStatus::Unread => (Shelf::Inbox, None, vec!["\\Seen", BACKLOG, PROCESSED]),
        MailStatus::Read => (Shelf::Inbox, Some("\\Seen"), vec![BACKLOG, PROCESSED]),
        MailStatus::Backlog => (Shelf::Inbox, Some(BACKLOG), vec![PROCESSED]),
        MailStatus::Processed => (Shelf::Inbox, Some(PROCESSED), vec![BACKLOG]),
        MailStatus::Archived => (Shelf::Archive, None, Vec::new()),
        MailStatus::Deleted => (Shelf::Bin, None, Vec::new()),
    };
    let mut target = None;
    if to != from {
        target = Some(line.ensure(to).await?);
    }
    line.select(from).await?;
    if add.is_some_and(|flag| !flag.starts_with('\\') && !line.keeps(flag)) {
        return Err(AccountError::refused(MAIL_SERVER_NO_MARKS));
    }
    let uids = set(uids);
    if !remove.is_empty() {
        let flags = remove.join(" ");
        store(line, &uids, &format!("-FLAGS.SILENT ({flags})")).await?;
    }
    if let Some(flag) = add {
        store(line, &uids, &format!("+FLAGS.SILENT ({flag})")).await?;
    }
    if let Some(target) = target {
        line.session.uid_mv(&uids, &target).await.map_err(unknown)?;
    }
    Ok(())
}

pub(crate) async fn store(line: &mut Line, uids: &str, what: &str) -> Result<()> {
    let stored = line.session.uid_store(uids, what).await;
    let answers = stored.map_err(unknown)?.try_collect::<Vec<_>>();
    answers.await.map(drop).map_err(unknown)
}
