//! Drive v3 (<https://developers.google.com/workspace/drive/api/reference/rest/v3/files>): lists documents
//! and spreadsheets. With the scope `drive.file` these are the files that Alfred made or that were picked for
//! it.

use alfred_core::ports::{Account, AccountError, AccountService};
use alfred_mime::digest;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};

use super::Google;
use super::making::Making;
use crate::{Result, found};
use alfred_accounts::api::{shaped, unsure};
use alfred_accounts::ask::Ask;
use alfred_accounts::upload::Upload;

/// Requested fields of a file.
const FIELDS: &str = "id,name,modifiedTime,trashed,webViewLink,capabilities/canEdit";
/// Name of the property that stores a file's idempotency key.
const KEY: &str = "alfred";
/// Page size and most pages of a title search.
const PAGE: usize = 1_000;
const PAGES: usize = 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Document,
    Spreadsheet,
}

impl Kind {
    fn mime_type(self) -> &'static str {
        match self {
            Self::Document => "application/vnd.google-apps.document",
            Self::Spreadsheet => "application/vnd.google-apps.spreadsheet",
        }
    }

    pub fn service(self) -> AccountService {
        match self {
            Self::Document => AccountService::Documents,
            Self::Spreadsheet => AccountService::Sheets,
        }
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct File {
    pub id: String,
    pub name: String,
    pub modified_time: Timestamp,
    #[serde(default)]
    pub trashed: bool,
    #[serde(default)]
    pub web_view_link: Option<String>,
    #[serde(default)]
    pub capabilities: Capabilities,
}

/// What the connected account may do with the file.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Capabilities {
    pub can_edit: bool,
}

pub(super) struct NewFile<'a> {
    pub kind: Kind,
    pub title: &'a str,
    /// The text of a document.
    pub markdown: Option<&'a str>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page {
    #[serde(default)]
    files: Vec<File>,
    #[serde(default)]
    next_page_token: Option<String>,
}

/// Whether a text can be an id. Only ids become part of a URL.
pub(super) fn is_id(id: &str) -> bool {
    let fits = |b: u8| b.is_ascii_alphanumeric() || b"-_".contains(&b);
    !id.is_empty() && id.bytes().all(fits)
}

impl Google {
    pub(super) fn files_url(&self) -> String {
        format!("{}/drive/v3/files", self.api.endpoints.drive)
    }

    /// Files whose title contains all of these words, last changed first. Drive itself only matches word
    /// prefixes.
    pub(super) async fn files_titled(
        &self,
        account: &Account,
        kind: Kind,
        words: &[String],
        limit: usize,
    ) -> Result<Vec<File>> {
        let words: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
        let titled = |file: &File| {
            let name = file.name.to_lowercase();
            words.iter().all(|word| name.contains(word))
        };
        let query = format!("mimeType = '{}' and trashed = false", kind.mime_type());
        let (limit, mut found, mut token) = (limit.clamp(1, 100), Vec::new(), None);
        for _ in 0..PAGES {
            let page = self.page(account, kind, &query, token.as_deref()).await?;
            found.extend(page.files.into_iter().filter(titled));
            token = page.next_page_token;
            if found.len() >= limit || token.is_none() {
                break;
            }
        }
        found.truncate(limit);
        Ok(found)
    }

    async fn page(
        &self,
        account: &Account,
        kind: Kind,
        query: &str,
        token: Option<&str>,
    ) -> Result<Page> {
        let mut ask = Ask::get(kind.service(), self.files_url())
            .query("q", query)
            .query("orderBy", "modifiedTime desc")
            .query("pageSize", PAGE)
            .query("fields", format!("nextPageToken,files({FIELDS})"));
        if let Some(token) = token {
            ask = ask.query("pageToken", token);
        }
        Ok(self.call(account, &ask).await?)
    }

    /// A file. `None` if it doesn't exist or is in the bin.
    pub(super) async fn file(
        &self,
        account: &Account,
        kind: Kind,
        id: &str,
    ) -> Result<Option<File>> {
        let found = self.file_or_trashed(account, kind, id).await?;
        Ok(found.filter(|file| !file.trashed))
    }

    /// A file, even in the bin. `None` if it doesn't exist.
    pub(super) async fn file_or_trashed(
        &self,
        account: &Account,
        kind: Kind,
        id: &str,
    ) -> Result<Option<File>> {
        if !is_id(id) {
            return Ok(None);
        }
        let ask =
            Ask::get(kind.service(), format!("{}/{id}", self.files_url())).query("fields", FIELDS);
        found(self.call(account, &ask).await, &[404])
    }

    /// The file made under a key. `Unknown` if it was removed, or if the search may not show it yet.
    pub(super) async fn file_made(
        &self,
        account: &Account,
        kind: Kind,
        key: &str,
    ) -> Result<Option<File>> {
        let digest = digest(account, key);
        let (row, _) = self.making(account, &digest).await?;
        self.file_of_row(account, kind, &digest, row).await
    }

    async fn file_of_row(
        &self,
        account: &Account,
        kind: Kind,
        digest: &str,
        row: Option<Making>,
    ) -> Result<Option<File>> {
        let unknown = |detail: &str| {
            Err(AccountError::Unknown {
                detail: detail.into(),
            })
        };
        let is_hidden = row
            .as_ref()
            .is_some_and(|row| row.is_hidden(self.clock.now()));
        let made = match row.and_then(|row| row.id) {
            Some(id) => self.file_or_trashed(account, kind, &id).await?,
            None => {
                let query = format!(
                    "mimeType = '{}' and appProperties has {{ key='{KEY}' and value='{digest}' }}",
                    kind.mime_type()
                );
                let found = self.page(account, kind, &query, None).await?.files;
                match found.into_iter().next() {
                    Some(file) => Some(file),
                    None if is_hidden => {
                        return unknown("the call to make it may still be at work");
                    }
                    None => return Ok(None),
                }
            }
        };
        match made {
            Some(file) if !file.trashed => Ok(Some(file)),
            _ => unknown("it was made, and was removed or is in the bin"),
        }
    }

    /// Makes a file under a key, or returns the existing one.
    pub(super) async fn make_file(
        &self,
        account: &Account,
        new: NewFile<'_>,
        key: &str,
    ) -> Result<File> {
        let digest = digest(account, key);
        let _turn = self.sending.of(&digest).await;
        let (row, version) = self.making(account, &digest).await?;
        let made = self.file_of_row(account, new.kind, &digest, row).await?;
        if let Some(made) = made {
            return Ok(made);
        }
        let body = json!({
            "name": new.title,
            "mimeType": new.kind.mime_type(),
            "appProperties": {KEY: &digest},
        });
        self.try_making(account, &digest, version).await?;
        let ask = self.creation(&new, body).query("fields", FIELDS);
        let answer = self
            .api
            .call(account, &ask)
            .await
            .map_err(AccountError::from);
        let file = match answer {
            Ok(answer) => shaped::<File>(answer).map_err(unsure)?,
            Err(error @ AccountError::Unknown { .. }) => return Err(error),
            Err(error) => {
                self.made(account, &digest, None).await;
                return Err(error);
            }
        };
        self.made(account, &digest, Some(&file.id)).await;
        Ok(file)
    }

    fn creation(&self, new: &NewFile<'_>, body: Value) -> Ask {
        let service = new.kind.service();
        let Some(markdown) = new.markdown else {
            return Ask::post(service, self.files_url(), body);
        };
        let upload = Upload {
            content_type: "text/markdown; charset=UTF-8",
            content: markdown.as_bytes().to_vec(),
        };
        let url = format!("{}/upload/drive/v3/files", self.api.endpoints.drive);
        Ask::post(service, url, body).with_upload(upload)
    }
}
