//! Mail states: outside the inbox a mail is archived, otherwise our categories and the read flag decide.

use alfred_core::id::MailId;
use alfred_core::ports::{AccountError, AccountService, MailStatus};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

use super::Outlook;
use super::wire::{ENVELOPE, Message};
use crate::{Result, found, is_id};
use alfred_accounts::api::shaped;
use alfred_accounts::ask::Ask;

/// Our categories. They need not be created first.
const PROCESSED: &str = "Alfred/Processed";
const BACKLOG: &str = "Alfred/Backlog";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Inbox,
    /// The archive, or one of the owner's folders.
    Archive,
    Sent,
    Bin,
    /// A draft, or junk.
    Away,
}

/// Folders that determine the place of a mail.
const FOLDERS: [(&str, Place); 4] = [
    ("inbox", Place::Inbox),
    ("sentitems", Place::Sent),
    ("deleteditems", Place::Bin),
    ("junkemail", Place::Away),
];

type Set = Result<Option<MailStatus>>;

pub(super) fn status(message: &Message, place: Place) -> MailStatus {
    let marked = |name: &str| message.categories.contains(name);
    match place {
        Place::Archive | Place::Away => MailStatus::Archived,
        Place::Bin => MailStatus::Deleted,
        Place::Sent => MailStatus::Read,
        Place::Inbox if marked(PROCESSED) => MailStatus::Processed,
        Place::Inbox if marked(BACKLOG) => MailStatus::Backlog,
        Place::Inbox if message.is_read => MailStatus::Read,
        Place::Inbox => MailStatus::Unread,
    }
}

/// What puts a mail into a state, if needed: changed fields, and the folder to move it to.
fn change(
    message: &Message,
    place: Place,
    to: MailStatus,
) -> (Option<Value>, Option<&'static str>) {
    match to {
        MailStatus::Archived => {
            let moves = matches!(place, Place::Inbox | Place::Bin);
            return (None, moves.then_some("archive"));
        }
        MailStatus::Deleted => return (None, (place != Place::Bin).then_some("deleteditems")),
        _ => {}
    }
    let mut categories = message.categories.clone();
    categories.remove(PROCESSED);
    if to != MailStatus::Processed {
        categories.remove(BACKLOG);
    }
    let mut is_read = message.is_read;
    match to {
        MailStatus::Unread => is_read = false,
        MailStatus::Read => is_read = true,
        MailStatus::Processed => drop(categories.insert(PROCESSED.into())),
        MailStatus::Backlog => drop(categories.insert(BACKLOG.into())),
        MailStatus::Archived | MailStatus::Deleted => {}
    }
    let mut fields = json!({});
    if categories != message.categories {
        fields["categories"] = json!(categories);
    }
    if is_read != message.is_read {
        fields["isRead"] = json!(is_read);
    }
    let fields = Some(fields).filter(|fields| fields != &json!({}));
    (fields, (place != Place::Inbox).then_some("inbox"))
}

impl Outlook<'_> {
    /// These mails with their place, without those that don't exist.
    pub(super) async fn placed(
        &self,
        ids: impl IntoIterator<Item = &MailId>,
    ) -> Result<BTreeMap<MailId, (Message, Place)>> {
        let ids = ids.into_iter().filter(|id| is_id(id.as_str()));
        let ids: BTreeSet<MailId> = ids.cloned().collect();
        let get = |path: String, fields| {
            let ask = Ask::get(AccountService::Mail, self.graph.url(&path));
            ask.query("$select", fields)
        };
        let folders = FOLDERS.map(|(name, _)| get(format!("me/mailFolders/{name}"), "id"));
        let mut places = BTreeMap::new();
        let told = self.graph.call_all(self.account, &folders).await?;
        for (folder, (_, place)) in told.into_iter().zip(FOLDERS) {
            let folder = folder.map_err(AccountError::from)?;
            let id = folder["id"].as_str().unwrap_or_default();
            places.insert(id.to_owned(), place);
        }
        let message = |id: &MailId| get(format!("me/messages/{id}"), ENVELOPE);
        let asked: Vec<Ask> = ids.iter().map(message).collect();
        let mut all = BTreeMap::new();
        let told = self.graph.call_all(self.account, &asked).await?;
        for (id, message) in ids.into_iter().zip(told) {
            let Some(message) = found(message)? else {
                continue;
            };
            let message: Message = shaped(message)?;
            let folder = &message.parent_folder_id;
            let place = if message.is_draft == Some(true) {
                Place::Away
            } else {
                places.get(folder).copied().unwrap_or(Place::Archive)
            };
            all.insert(id, (message, place));
        }
        Ok(all)
    }

    pub(super) async fn set_all(&self, ids: &[MailId], to: MailStatus) -> Result<Vec<Set>> {
        let placed = self.placed(ids).await?;
        let (mut set, mut fields, mut moves) = (BTreeMap::new(), Vec::new(), Vec::new());
        for (id, (message, place)) in &placed {
            if matches!(place, Place::Sent | Place::Away) {
                continue;
            }
            set.insert(id.clone(), Ok(Some(status(message, *place))));
            let (patch, folder) = change(message, *place, to);
            let url = self.graph.url(&format!("me/messages/{id}"));
            if let Some(patch) = patch {
                let ask = Ask::patch(AccountService::Mail, url.clone(), patch);
                fields.push((id, ask.repeatable()));
            }
            if let Some(folder) = folder {
                let body = json!({"destinationId": folder});
                let url = format!("{url}/move");
                let ask = Ask::post(AccountService::Mail, url, body);
                moves.push((id, ask.repeatable()));
            }
        }
        self.changed(fields, &mut set).await;
        moves.retain(|(id, _)| matches!(set.get(id), Some(Ok(Some(_)))));
        self.changed(moves, &mut set).await;
        let of = |id: &MailId| set.get(id).cloned().unwrap_or(Ok(None));
        Ok(ids.iter().map(of).collect())
    }

    /// Makes changes and records the failures.
    async fn changed(&self, changes: Vec<(&MailId, Ask)>, set: &mut BTreeMap<MailId, Set>) {
        let (ids, parts): (Vec<&MailId>, Vec<Ask>) = changes.into_iter().unzip();
        let told = match self.graph.call_all(self.account, &parts).await {
            Ok(told) => told.into_iter().map(found).collect(),
            Err(error) => vec![Err(error); ids.len()],
        };
        for (id, told) in ids.into_iter().zip(told) {
            match told {
                Ok(Some(_)) => {}
                Ok(None) => drop(set.insert(id.clone(), Ok(None))),
                Err(error) => drop(set.insert(id.clone(), Err(error))),
            }
        }
    }
}
