//! Drive v3 (<https://developers.google.com/workspace/drive/api/reference/rest/v3>): files of Docs and Sheets. With
//! `drive.file` alone an app sees those that were made with it.

mod permissions;
mod query;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

use crate::docs::Document;
use crate::error::ApiError;
use crate::exchange::{Given, Scene};
use crate::fields;
use crate::routes::{DELETE, GET, PATCH, POST, Routes, Spec};
use crate::scope::{DRIVE_FILE, DRIVE_READONLY};
use crate::sheets::Spreadsheet;
use query::Query;

/// The default fields of a file.
const DEFAULT: &str = "kind,id,name,mimeType";

pub(crate) fn routes() -> Routes {
    let spec = |id| Spec::new(id, &[DRIVE_READONLY, DRIVE_FILE], 1);
    let writes = |id| Spec::new(id, &[DRIVE_FILE], 1);
    let creation = writes("drive.files.create");
    let one = "/drive/v3/files/{fileId}";
    let exports = "/drive/v3/files/{fileId}/export";
    Routes::at("")
        .method(GET, "/drive/v3/files", spec("drive.files.list"))
        .by(list)
        .method(POST, "/drive/v3/files", creation)
        .by(create)
        .method(POST, "/upload/drive/v3/files", creation)
        .by(create)
        .method(GET, one, spec("drive.files.get"))
        .by(read)
        .method(PATCH, one, writes("drive.files.update"))
        .by(update)
        .method(GET, exports, spec("drive.files.export"))
        .by(export)
        .method(POST, permissions::ALL, writes("drive.permissions.create"))
        .by(permissions::create)
        .method(PATCH, permissions::ONE, writes("drive.permissions.update"))
        .by(permissions::change)
        .method(DELETE, permissions::ONE, writes("drive.permissions.delete"))
        .by(permissions::change)
}

/// Somebody's files, by id.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Drive(BTreeMap<String, File>);

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct File {
    pub name: String,
    /// Whether it was made with the app. States written earlier name it `open`.
    #[serde(alias = "open")]
    pub by_app: bool,
    /// By its owner here.
    pub editable: bool,
    pub trashed: bool,
    pub modified: Timestamp,
    pub content: Content,
    /// The roles of the people with whom its owner shared it, by address.
    #[serde(default)]
    pub shared: BTreeMap<String, String>,
    app_properties: BTreeMap<String, String>,
    created: Timestamp,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    Document(Document),
    Spreadsheet(Spreadsheet),
}

impl Content {
    fn mime_type(&self) -> &'static str {
        match self {
            Self::Document(_) => "application/vnd.google-apps.document",
            Self::Spreadsheet(_) => "application/vnd.google-apps.spreadsheet",
        }
    }

    /// An empty one of this type.
    fn empty(mime_type: &str) -> Option<Self> {
        let all = [
            Self::Document(Document::default()),
            Self::Spreadsheet(Spreadsheet::default()),
        ];
        all.into_iter().find(|one| one.mime_type() == mime_type)
    }
}

impl File {
    /// Made with the app, and editable.
    pub fn new(name: &str, content: Content, modified: Timestamp) -> Self {
        Self {
            name: name.to_owned(),
            by_app: true,
            editable: true,
            trashed: false,
            modified,
            content,
            shared: BTreeMap::new(),
            app_properties: BTreeMap::new(),
            created: modified,
        }
    }

    pub fn mime_type(&self) -> &'static str {
        self.content.mime_type()
    }

    fn text(&self) -> String {
        match &self.content {
            Content::Document(document) => document.markdown(),
            Content::Spreadsheet(sheet) => json!(sheet).to_string(),
        }
    }

    fn resource(&self, id: &str) -> Value {
        let kind = match self.content {
            Content::Document(_) => "document",
            Content::Spreadsheet(_) => "spreadsheets",
        };
        let mut resource = json!({
            "kind": "drive#file",
            "id": id,
            "name": self.name,
            "mimeType": self.content.mime_type(),
            "trashed": self.trashed,
            "appProperties": self.app_properties,
            "createdTime": self.created.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string(),
            "modifiedTime": self.modified.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string(),
            "capabilities": {"canEdit": self.editable},
            "size": self.text().len().to_string(),
            "webViewLink": format!("https://docs.google.com/{kind}/d/{id}/edit"),
        });
        // Not for readers.
        if self.editable {
            resource["permissions"] = permissions::shown(self);
        }
        resource
    }
}

impl Drive {
    pub fn put(&mut self, id: &str, file: File) {
        self.0.insert(id.to_owned(), file);
    }

    /// Also one that the app doesn't see.
    pub fn file(&mut self, id: &str) -> Option<&mut File> {
        self.0.get_mut(id)
    }

    pub fn files(&self) -> impl Iterator<Item = (&str, &File)> {
        self.0.iter().map(|(id, file)| (id.as_str(), file))
    }

    pub fn remove(&mut self, id: &str) {
        self.0.remove(id);
    }
}

impl Scene<'_> {
    /// A file that the app sees.
    pub fn file(&mut self, id: &str) -> Result<&mut File, ApiError> {
        let all_files = self.all_files;
        let file = self.account()?.drive.file(id);
        let seen = file.filter(|file| all_files || file.by_app);
        seen.ok_or_else(ApiError::not_found)
    }

    /// A file that the app may change.
    pub fn editable(&mut self, id: &str) -> Result<&mut File, ApiError> {
        let (all_files, sees_all) = (self.all_files, self.sees_all);
        let forbidden = |reason| ApiError::new(403, reason, "The caller does not have permission");
        let file = self.account()?.drive.file(id);
        let file = file.filter(|file| sees_all || all_files || file.by_app);
        let file = file.ok_or_else(ApiError::not_found)?;
        match file {
            file if !all_files && !file.by_app => Err(forbidden("appNotAuthorizedToFile")),
            file if !file.editable => Err(forbidden("forbidden")),
            file => Ok(file),
        }
    }
}

/// <https://developers.google.com/workspace/drive/api/reference/rest/v3/files/list>
fn list(scene: &mut Scene<'_>) -> Result<Given, ApiError> {
    let asked = scene.asked;
    let query = Query::parse(asked.query("q").unwrap_or_default())?;
    let number = |name: &str, default: &str| {
        let number = asked.query(name).unwrap_or(default).parse::<usize>();
        number.map_err(|_| ApiError::invalid(format!("Invalid value for {name}")))
    };
    let size = number("pageSize", "100")?.min(1_000);
    let start = number("pageToken", "0")?;
    let shown = scene.now.saturating_sub(scene.search_lag);
    let shown = shown.map_err(|error| ApiError::invalid(error.to_string()))?;
    let all_files = scene.all_files;
    let drive = &scene.account()?.drive;
    let is_listed = |file: &File| (all_files || file.by_app) && file.created <= shown;
    let found = drive.files();
    let found = found.filter(|(_, file)| is_listed(file) && query.fits(file));
    let mut found: Vec<(&str, &File)> = found.collect();
    if !query.takes_order(asked.query("orderBy")) {
        return Err(ApiError::invalid("Unknown orderBy"));
    }
    found.sort_by_key(|(_, file)| std::cmp::Reverse(file.modified));
    let page = found.iter().skip(start).take(size);
    let page: Vec<Value> = page.map(|(id, file)| file.resource(id)).collect();
    let mut answer = json!({"kind": "drive#fileList", "incompleteSearch": false, "files": page});
    if start + size < found.len() {
        answer["nextPageToken"] = json!((start + size).to_string());
    }
    let default = format!("kind,incompleteSearch,nextPageToken,files({DEFAULT})");
    let mask = asked.query("fields").unwrap_or(&default);
    Ok(fields::wanted(&answer, mask)?.into())
}

/// <https://developers.google.com/workspace/drive/api/reference/rest/v3/files/get>
fn read(scene: &mut Scene<'_>) -> Result<Given, ApiError> {
    let id = scene.asked.param("fileId");
    let mask = scene.asked.query("fields").unwrap_or(DEFAULT);
    let resource = scene.file(id)?.resource(id);
    Ok(fields::wanted(&resource, mask)?.into())
}

/// <https://developers.google.com/workspace/drive/api/reference/rest/v3/files/update>: into the bin, or out of it.
fn update(scene: &mut Scene<'_>) -> Result<Given, ApiError> {
    let (id, body) = (scene.asked.param("fileId"), scene.asked.body()?);
    let trashed = body["trashed"].as_bool();
    let file = scene.editable(id)?;
    file.trashed = trashed.ok_or_else(|| ApiError::invalid("Only the bin is local"))?;
    Ok(fields::wanted(&file.resource(id), DEFAULT)?.into())
}

/// <https://developers.google.com/workspace/drive/api/reference/rest/v3/files/export>: of documents, as Markdown
/// or what begins like a PDF.
fn export(scene: &mut Scene<'_>) -> Result<Given, ApiError> {
    let asked = scene.asked;
    let file = scene.file(asked.param("fileId"))?;
    match (&file.content, asked.query("mimeType")) {
        (Content::Document(document), Some("text/markdown")) => {
            Ok(Given::Text(document.markdown()))
        }
        (Content::Document(document), Some("application/pdf")) => {
            Ok(Given::Text(format!("%PDF-1.4\n{}", document.markdown())))
        }
        _ => Err(ApiError::invalid(
            "The requested conversion is not supported.",
        )),
    }
}

/// <https://developers.google.com/workspace/drive/api/reference/rest/v3/files/create>: an empty file, or by upload a
/// document of Markdown. Ids of these are Google's to choose.
fn create(scene: &mut Scene<'_>) -> Result<Given, ApiError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase", deny_unknown_fields)]
    struct New {
        name: String,
        mime_type: String,
        #[serde(default)]
        app_properties: BTreeMap<String, String>,
    }
    let new: New = serde_json::from_value(scene.asked.body()?)
        .map_err(|error| ApiError::invalid(error.to_string()))?;
    let content = Content::empty(&new.mime_type)
        .ok_or_else(|| ApiError::invalid("This stand-in keeps documents and spreadsheets alone"))?;
    let content = match &scene.asked.upload {
        None => content,
        Some(text) if scene.asked.query("uploadType") == Some("multipart") => {
            let text =
                str::from_utf8(text).map_err(|_| ApiError::invalid("The text isn't UTF-8"))?;
            Content::Document(Document::of_lines(text))
        }
        Some(_) => return Err(ApiError::invalid("Invalid upload")),
    };
    let id = format!("1local-file-{:06}", scene.state.next());
    let mut file = File::new(&new.name, content, scene.now);
    file.app_properties = new.app_properties;
    let mask = scene.asked.query("fields").unwrap_or(DEFAULT);
    let resource = fields::wanted(&file.resource(&id), mask)?;
    scene.account()?.drive.put(&id, file);
    Ok(resource.into())
}
