//! Files: from the upload URL to a message, and who sees them.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::blocks::files::named;
use crate::db::{FILE, TICKET, Tx};
use crate::person::PersonError;
use crate::png::{self, Picture};
use crate::state::{SlackLocal, lock};

/// Largest file in bytes. Slack takes up to 1 GB.
pub const FILE_BYTES: u64 = 10_000_000;

/// How far a file has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Stage {
    #[default]
    Waiting,
    /// The bytes are stored; the upload isn't completed.
    Uploaded,
    /// `files.info` finds it unprocessed this many times.
    Processing { looks: u32 },
    /// A message may name it.
    Processed,
}

/// A file, without its bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StoredFile {
    pub id: String,
    pub name: String,
    pub title: String,
    pub alt: String,
    pub size: u64,
    /// Seconds since 1970.
    pub created: i64,
    pub stage: Stage,
    /// `None` for what isn't a PNG, which no message shows.
    pub picture: Option<Picture>,
    /// What a person's client said it is; empty for the app's own.
    #[serde(default)]
    pub media_type: String,
}

impl StoredFile {
    pub(crate) fn mimetype(&self) -> &str {
        match (self.media_type.as_str(), &self.picture) {
            ("", Some(_)) => "image/png",
            ("", None) => "application/octet-stream",
            (said, _) => said,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedFile {
    pub name: String,
    pub media_type: String,
    pub bytes: Vec<u8>,
}

impl Tx<'_> {
    pub(crate) fn file(&self, id: &str) -> rusqlite::Result<Option<StoredFile>> {
        self.get(FILE, id)
    }

    pub(crate) fn put_file(&self, file: &StoredFile) -> rusqlite::Result<()> {
        self.put(FILE, &file.id, file)
    }
}

impl SlackLocal {
    /// Stores a file that a person shares. Returns it as their message shows it.
    pub(crate) fn keep_shared(&self, shared: &SharedFile) -> rusqlite::Result<Value> {
        let file = StoredFile {
            id: self.id("F"),
            name: shared.name.clone(),
            title: shared.name.clone(),
            size: shared.bytes.len() as u64,
            created: self.0.clock.now().as_second(),
            stage: Stage::Processed,
            picture: png::picture(&shared.bytes),
            media_type: shared.media_type.clone(),
            ..StoredFile::default()
        };
        self.db().write(|tx| {
            tx.put_content(&file.id, &shared.bytes)?;
            tx.put_file(&file)
        })?;
        Ok(json!({
            "id": file.id, "name": file.name, "title": file.title, "mimetype": file.mimetype(),
            "size": file.size, "mode": "hosted", "is_external": false, "file_access": "visible",
            "url_private_download": self.download_address(&file),
        }))
    }

    /// Where the token reads a file's bytes.
    pub(crate) fn download_address(&self, file: &StoredFile) -> String {
        let (base, team) = (lock(&self.0.base_url).clone(), &self.seed().team_id);
        format!("{base}/files-pri/{team}-{}/download", file.id)
    }

    /// Stores a file that waits for its bytes. Returns the ticket of its upload URL.
    pub(crate) fn expect_file(&self, file: &StoredFile) -> rusqlite::Result<String> {
        let ticket = self.id("");
        self.db().write(|tx| {
            tx.put_file(file)?;
            tx.put(TICKET, &ticket, &file.id)
        })?;
        Ok(ticket)
    }

    /// Takes a file's bytes, as many as were announced. False if no file waits for them under this ticket.
    pub(crate) fn take_bytes(&self, ticket: &str, bytes: &[u8]) -> rusqlite::Result<bool> {
        self.db().write(|tx| {
            let id: Option<String> = tx.get(TICKET, ticket)?;
            let file = id.map(|id| tx.file(&id)).transpose()?.flatten();
            let Some(mut file) = file.filter(|file| file.size == bytes.len() as u64) else {
                return Ok(false);
            };
            file.picture = png::picture(bytes);
            file.stage = Stage::Uploaded;
            tx.remove(TICKET, ticket)?;
            tx.put_content(&file.id, bytes)?;
            tx.put_file(&file)?;
            Ok(true)
        })
    }

    /// Reads a file and advances its processing.
    pub(crate) fn look_at_file(&self, id: &str) -> rusqlite::Result<Option<StoredFile>> {
        self.db().write(|tx| {
            let Some(mut file) = tx.file(id)? else {
                return Ok(None);
            };
            file.stage = match file.stage {
                // Nobody sees a file whose upload wasn't finished.
                Stage::Waiting | Stage::Uploaded => return Ok(None),
                Stage::Processing { looks: 0 } | Stage::Processed => Stage::Processed,
                Stage::Processing { looks } => Stage::Processing { looks: looks - 1 },
            };
            tx.put_file(&file)?;
            Ok(Some(file))
        })
    }

    /// Size of a picture that a message may show, in pixels and in bytes.
    pub(crate) fn picture(&self, id: &str) -> rusqlite::Result<Option<(Picture, u64)>> {
        let file = self.db().read().file(id)?;
        let file = file.filter(|file| file.stage == Stage::Processed);
        Ok(file.and_then(|file| Some((file.picture?, file.size))))
    }

    /// The bytes of a file that a message, an ephemeral message, an open view or the Home tab shows to this person.
    pub fn file(&self, user: &str, id: &str) -> Result<Vec<u8>, PersonError> {
        if !self.sees_file(user, id)? {
            return Err(PersonError::UnknownFile);
        }
        let bytes = self.db().read().content(id)?;
        bytes.ok_or(PersonError::UnknownFile)
    }

    fn sees_file(&self, user: &str, id: &str) -> Result<bool, PersonError> {
        let shown_in = self.db().read().shown_in(id)?;
        let channels = self.channels(user)?;
        let in_message = channels.iter().any(|one| shown_in.contains(&one.id));
        let views = self.views(user)?.into_iter().chain(self.home_view(user)?);
        let mut blocks = views.filter_map(|view| view.view["blocks"].as_array().cloned());
        let shows = |blocks: Vec<Value>| named(&blocks).iter().any(|file| file == id);
        let in_view = blocks.any(shows);
        let mut ephemerals = self.ephemerals(user).into_iter();
        Ok(in_message || in_view || ephemerals.any(|one| shows(one.blocks)))
    }
}
