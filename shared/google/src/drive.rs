//! Drive v3 (<https://developers.google.com/workspace/drive/api/reference/rest/v3/files>): lists the documents
//! and spreadsheets that a person can read, and makes new ones.

use alfred_core::keys;
use alfred_core::ports::{Account, AccountError, AccountService, FileSummary};
use alfred_mime::digest;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Google;
use super::docs::Permission;
use crate::{Result, found, is_id};
use alfred_accounts::Progress;
use alfred_accounts::ask::Ask;
use alfred_accounts::drafts::in_flight;
use alfred_accounts::outbox::not_now;

const FIELDS: &str = "id,name,modifiedTime,size,trashed,webViewLink,capabilities/canEdit";
const SHARES: &str = "permissions(id,type,role,emailAddress,displayName)";
/// Name of the property that stores a file's idempotency key.
const KEY: &str = "alfred";
/// The condition of a search by content.
pub(super) const BY_CONTENT: &str = "fullText contains";
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
    /// Bytes, as a text.
    size: Option<String>,
    #[serde(default)]
    pub trashed: bool,
    #[serde(default)]
    pub web_view_link: Option<String>,
    #[serde(default)]
    pub capabilities: Capabilities,
    /// `None` if the account may not share the file.
    pub permissions: Option<Vec<Permission>>,
}

impl File {
    pub fn summary<Id: From<String>>(&self) -> FileSummary<Id> {
        FileSummary {
            id: self.id.clone().into(),
            title: self.name.clone(),
            modified: self.modified_time,
            size: self.size.as_ref().and_then(|size| size.parse().ok()),
        }
    }
}

/// What the connected account may do with the file.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Capabilities {
    pub can_edit: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Page {
    #[serde(default)]
    pub files: Vec<File>,
    pub next_page_token: Option<String>,
}

/// The row of a file that is being made. Drive's search may not show a new file at once, so a row is written before
/// the call, and gets the file's id after it.
#[derive(Serialize, Deserialize)]
struct Making {
    tried: Timestamp,
    /// The file, if it was certainly made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<String>,
}

/// A person's files of one kind.
#[derive(Clone, Copy)]
pub(super) struct Drive<'a> {
    pub google: &'a Google,
    pub account: &'a Account,
    pub kind: Kind,
}

impl Google {
    pub(super) fn files_url(&self) -> String {
        format!("{}/drive/v3/files", self.api.endpoints.drive)
    }
}

impl Drive<'_> {
    /// Files whose title contains all of these words, last changed first. Drive itself only matches word prefixes.
    pub async fn titled<Id: From<String>>(
        &self,
        words: &[String],
        limit: usize,
    ) -> Result<Vec<FileSummary<Id>>> {
        let words: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
        let titled = |file: &&File| {
            let name = file.name.to_lowercase();
            words.iter().all(|word| name.contains(word))
        };
        let (limit, mut files, mut token) = (limit.clamp(1, 100), Vec::new(), None);
        for _ in 0..PAGES {
            let page = self.page("trashed = false", token.as_deref()).await?;
            files.extend(page.files.iter().filter(titled).map(File::summary));
            token = page.next_page_token;
            if files.len() >= limit || token.is_none() {
                break;
            }
        }
        files.truncate(limit);
        Ok(files)
    }

    /// Drive can't sort what it finds by content.
    pub async fn page(&self, condition: &str, token: Option<&str>) -> Result<Page> {
        let is_sorted = !condition.contains(BY_CONTENT);
        let query = format!("mimeType = '{}' and {condition}", self.kind.mime_type());
        let ask = Ask::get(self.kind.service(), self.google.files_url())
            .query("q", query)
            .query_some("orderBy", is_sorted.then_some("modifiedTime desc"))
            .query("includeItemsFromAllDrives", true)
            .query("supportsAllDrives", true)
            .query("pageSize", PAGE)
            .query("fields", format!("nextPageToken,files({FIELDS})"))
            .query_some("pageToken", token);
        Ok(self.google.call(self.account, &ask).await?)
    }

    /// A file. `None` if it doesn't exist or is in the bin.
    pub async fn file(&self, id: &str) -> Result<Option<File>> {
        let file = self.file_or_trashed(id).await?;
        Ok(file.filter(|file| !file.trashed))
    }

    /// A file, even in the bin. `None` if it doesn't exist.
    pub async fn file_or_trashed(&self, id: &str) -> Result<Option<File>> {
        if !is_id(id) {
            return Ok(None);
        }
        let url = format!("{}/{id}", self.google.files_url());
        let ask = Ask::get(self.kind.service(), url)
            .query("fields", format!("{FIELDS},{SHARES}"))
            .query("supportsAllDrives", true);
        found(self.google.call(self.account, &ask).await, &[404])
    }

    /// The file made under a key. `Unknown` if it was removed, or if the search may not show it yet.
    pub async fn file_made(&self, key: &str) -> Result<Option<File>> {
        let digest = digest(self.account, key);
        let (row, _) = self.making(&digest).read().await?;
        self.file_of_row(&digest, row).await
    }

    /// The row of a key's digest.
    fn making(&self, digest: &str) -> Progress<'_> {
        Progress {
            store: &*self.google.store,
            key: keys::file_made(self.account, digest),
            now: self.google.clock.now(),
        }
    }

    async fn file_of_row(&self, digest: &str, row: Option<Making>) -> Result<Option<File>> {
        let now = self.google.clock.now();
        let is_hidden = row.as_ref().is_some_and(|row| in_flight(row.tried, now));
        let made = if let Some(id) = row.and_then(|row| row.id) {
            self.file_or_trashed(&id).await?
        } else {
            let keyed = format!("appProperties has {{ key='{KEY}' and value='{digest}' }}");
            match self.page(&keyed, None).await?.files.into_iter().next() {
                None if is_hidden => {
                    return Err(AccountError::unknown("the call may still be at work"));
                }
                None => return Ok(None),
                made => made,
            }
        };
        let there = made.filter(|file| !file.trashed);
        let gone = || AccountError::unknown("it was made, and was removed or is in the bin");
        there.map(Some).ok_or_else(gone)
    }

    /// Makes a file under a key, or returns the existing one. A document may have a text.
    pub async fn make(&self, title: &str, markdown: Option<&str>, key: &str) -> Result<File> {
        let digest = digest(self.account, key);
        let _turn = self.google.sending.of(&digest).await;
        let making = self.making(&digest);
        let (row, version) = making.read().await?;
        if let Some(made) = self.file_of_row(&digest, row).await? {
            return Ok(made);
        }
        let body = json!({
            "name": title,
            "mimeType": self.kind.mime_type(),
            "appProperties": {KEY: &digest},
        });
        // Not `making.now`: the search may have taken minutes.
        let tried = self.google.clock.now();
        let row = Making { tried, id: None };
        making.advance(version, &row).await.map_err(not_now)?;
        let ask = self.creation(markdown, body).query("fields", FIELDS);
        let made = self.google.call::<File>(self.account, &ask).await;
        let file = match made.map_err(AccountError::from) {
            Ok(file) => file,
            Err(error @ AccountError::Unknown { .. }) => return Err(error),
            Err(error) => {
                if let Err(error) = making.forget().await {
                    tracing::warn!(%error, "the row of a file that wasn't made isn't deleted");
                }
                return Err(error);
            }
        };
        let id = Some(file.id.clone());
        making.finish(&Making { tried, id }).await;
        Ok(file)
    }

    fn creation(&self, markdown: Option<&str>, body: Value) -> Ask {
        let service = self.kind.service();
        let Some(markdown) = markdown else {
            return Ask::post(service, self.google.files_url(), body);
        };
        let base = &self.google.api.endpoints.drive;
        let url = format!("{base}/upload/drive/v3/files");
        let content = markdown.as_bytes().to_vec();
        Ask::post(service, url, body).with_upload("text/markdown; charset=UTF-8", content)
    }
}
