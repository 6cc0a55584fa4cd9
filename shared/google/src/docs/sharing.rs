//! Who may see a document (<https://developers.google.com/workspace/drive/api/reference/rest/v3/permissions>).

use alfred_core::ports::{Access, AccountError, AccountService, Mailbox, Share};
use alfred_core::text;
use serde::Deserialize;
use serde_json::{Value, json};

use super::not_own;
use crate::drive::{Drive, File};
use crate::{Result, found};
use alfred_accounts::api::CallError;
use alfred_accounts::ask::Ask;

const NOT_SHARED: &str = "Google lets you read this document, but not share it.";

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Permission {
    id: String,
    /// `user`, `group`, `domain` or `anyone`.
    r#type: String,
    role: Access,
    #[serde(default)]
    email_address: String,
    #[serde(default)]
    display_name: String,
}

impl Permission {
    fn share(&self) -> Share {
        let anyone = (self.r#type == "anyone").then_some("anyone with the link");
        let with = Mailbox::new(anyone.unwrap_or(&self.display_name), &self.email_address);
        let access = self.role;
        Share { with, access }
    }
}

pub(super) fn shares(file: &File) -> Result<Vec<Share>, String> {
    let all = file.permissions.as_ref().ok_or(NOT_SHARED)?;
    Ok(all.iter().map(Permission::share).collect())
}

impl Drive<'_> {
    pub(super) async fn share(&self, id: &str, share: &Share) -> Result<()> {
        let (who, to) = (&share.with.address, share.access);
        let gone = || AccountError::refused(text::DOCUMENT_GONE);
        let file = self.file(id).await?.ok_or_else(gone)?;
        let all = file.permissions.as_ref();
        let mut all = all.ok_or(AccountError::refused(NOT_SHARED))?.iter();
        let there = all.find(|one| one.email_address.eq_ignore_ascii_case(who));
        let service = AccountService::Documents;
        let url = format!("{}/{id}/permissions", self.google.files_url());
        let ask = match there {
            there if there.map_or(Access::None, |there| there.role) == to => return Ok(()),
            // Not repeated, since Google writes to the person.
            None => {
                let new = json!({"type": "user", "role": to, "emailAddress": who});
                Ask::post(service, url, new).query("sendNotificationEmail", true)
            }
            Some(there) if to == Access::None => {
                Ask::delete(service, format!("{url}/{}", there.id)).repeatable()
            }
            Some(there) => {
                let url = format!("{url}/{}", there.id);
                Ask::patch(service, url, json!({"role": to})).repeatable()
            }
        };
        let ask = ask.query("supportsAllDrives", true);
        match self.google.call::<Value>(self.account, &ask).await {
            Err(CallError::Status { code: 403, .. }) => Err(not_own("share")),
            answer if to == Access::None => found(answer, &[404]).map(|_| ()),
            answer => found(answer, &[404])?.map(|_| ()).ok_or_else(gone),
        }
    }
}
