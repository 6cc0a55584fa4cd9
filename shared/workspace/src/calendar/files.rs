//! Calendars as files: `calendar.ics` is written, `calendar/*.ics` are also read, `people/ADDRESS.ics` belong
//! to others. An unchanged file is read once. A write doesn't lose what another program wrote meanwhile.

use alfred_core::digest::sha256_hex;
use alfred_core::ports::{AccountError, Span};
use jiff::tz::TimeZone;
use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::file::{Own, Parsed, Shelf, Wanted};
use crate::calendar::calendar_not_written;
use crate::documents::FILE_TOO_LARGE;
use crate::person::{Identity, not_reached, unknown};
use crate::{Result, folder};

const OWN: &str = "calendar.ics";
/// Larger files aren't read.
const LARGEST: u64 = 50 * 1_024 * 1_024;

pub(crate) struct Files {
    root: PathBuf,
    /// The zone of times without one.
    floating: TimeZone,
    known: HashMap<PathBuf, (Stamp, Arc<Parsed>)>,
}

type Stamp = (u64, SystemTime);

impl Files {
    pub fn new(root: &Path, who: &Identity) -> Self {
        Self {
            root: root.to_owned(),
            floating: who.zone.clone(),
            known: HashMap::new(),
        }
    }

    fn name_of(&self, path: &Path) -> String {
        let name = path.strip_prefix(&self.root).unwrap_or(path);
        name.to_string_lossy().into_owned()
    }

    /// The current content of a file. `None` if it doesn't exist.
    fn parsed(&mut self, path: &Path, name: &str) -> io::Result<Option<Arc<Parsed>>> {
        // A symbolic link may lead out of the folder, so it is ignored.
        let found = folder::optional(fs::symlink_metadata(path))?.filter(fs::Metadata::is_file);
        let Some(found) = found else {
            self.known.remove(path);
            return Ok(None);
        };
        let stamp = (found.len(), found.modified()?);
        if let Some((known, parsed)) = self.known.get(path)
            && *known == stamp
        {
            return Ok(Some(parsed.clone()));
        }
        let parsed = Arc::new(match found.len() {
            0..=LARGEST => Parsed::new(name, fs::read(path)?, &self.floating),
            _ => Parsed::unread(name, FILE_TOO_LARGE),
        });
        // A file written within the same clock tick as the read could change again with the same stamp, so it
        // isn't cached.
        if stamp.1.elapsed().is_ok_and(|age| age.as_millis() > 50) {
            self.known.insert(path.to_owned(), (stamp, parsed.clone()));
        }
        Ok(Some(parsed))
    }
}

impl Shelf for Files {
    fn own(&mut self, _: Wanted<'_>) -> Result<Vec<Own>> {
        let mut paths = vec![self.root.join(OWN)];
        paths.extend(folder::named(&self.root.join("calendar"), "ics").map_err(not_reached)?);
        let mut own = Vec::new();
        for path in paths {
            let name = self.name_of(&path);
            if let Some(parsed) = self.parsed(&path, &name).map_err(not_reached)? {
                own.push((path, name, parsed));
            }
        }
        Ok(own)
    }

    fn others(&mut self, address: &str, _: &Span) -> Result<Option<Vec<Arc<Parsed>>>> {
        // The address is compared with existing file names, so it never becomes a path.
        let people = self.root.join("people");
        let is_theirs = |path: &&PathBuf| {
            let name = path.file_stem().and_then(|stem| stem.to_str());
            name.is_some_and(|name| name.to_lowercase() == address)
        };
        let files = folder::named(&people, "ics").map_err(not_reached)?;
        let Some(path) = files.iter().find(is_theirs) else {
            return Ok(None);
        };
        let read = self.parsed(path, address).map_err(not_reached)?;
        Ok(read.map(|parsed| vec![parsed]))
    }

    fn place_of(&self, _uid: &str) -> (PathBuf, String) {
        (self.root.join(OWN), OWN.to_owned())
    }

    fn read(&mut self, path: &Path) -> Result<Option<(Vec<u8>, String)>> {
        let Some(bytes) = folder::optional(fs::read(path)).map_err(not_reached)? else {
            return Ok(None);
        };
        if bytes.len() as u64 > LARGEST {
            let reason = calendar_not_written(&self.name_of(path));
            return Err(AccountError::refused(reason));
        }
        let version = sha256_hex(&bytes);
        Ok(Some((bytes, version)))
    }

    fn write(&mut self, path: &Path, version: Option<String>, text: String) -> Result<bool> {
        let now = folder::optional(fs::read(path)).map_err(not_reached)?;
        if now.as_deref().map(sha256_hex) != version {
            return Ok(false);
        }
        folder::replace(path, text.as_bytes()).map_err(unknown)?;
        self.known.remove(path);
        Ok(true)
    }
}
