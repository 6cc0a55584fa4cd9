//! Calendars as files: `calendar.ics` is written, `calendar/*.ics` are also read, `people/ADDRESS.ics` belong
//! to others. An unchanged file is read once. A write doesn't lose what another program wrote meanwhile.

use alfred_core::ports::{AccountError, Span};
use jiff::tz::TimeZone;
use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::file::{Change, EMPTY, Own, Parsed, Shelf, TRIES, Wanted, keeps_changing};
use crate::calendar::calendar_not_written;
use crate::documents::FILE_TOO_LARGE;
use crate::folder;
use crate::person::{not_reached, unknown};

const OWN: &str = "calendar.ics";
/// Larger files aren't read.
const LARGEST: u64 = 50 * 1_024 * 1_024;

pub(crate) struct Files {
    root: PathBuf,
    known: HashMap<PathBuf, (Stamp, Arc<Parsed>)>,
}

type Stamp = (u64, SystemTime);

impl Files {
    pub fn new(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            known: HashMap::new(),
        }
    }

    /// The current content of a file. `None` if it doesn't exist.
    fn read(
        &mut self,
        path: &Path,
        name: &str,
        floating: &TimeZone,
    ) -> io::Result<Option<Arc<Parsed>>> {
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
            0..=LARGEST => Parsed::new(name, fs::read(path)?, floating),
            _ => Parsed::unread(name, FILE_TOO_LARGE.to_owned()),
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
    fn own(&mut self, _: Wanted<'_>, floating: &TimeZone) -> Result<Vec<Own>, AccountError> {
        let mut paths = vec![self.root.join(OWN)];
        paths.extend(calendars(&self.root.join("calendar")).map_err(not_reached)?);
        let mut own = Vec::new();
        for path in paths {
            let name = path.strip_prefix(&self.root).unwrap_or(&path);
            let name = name.to_string_lossy().into_owned();
            let read = self.read(&path, &name, floating);
            if let Some(parsed) = read.map_err(not_reached)? {
                own.push((path, name, parsed));
            }
        }
        Ok(own)
    }

    fn others(
        &mut self,
        address: &str,
        _: &Span,
        floating: &TimeZone,
    ) -> Result<Option<Vec<Arc<Parsed>>>, AccountError> {
        // The address is compared with existing file names, so it never becomes a path.
        let people = self.root.join("people");
        let is_theirs = |path: &&PathBuf| {
            let name = path.file_stem().and_then(|stem| stem.to_str());
            name.is_some_and(|name| name.to_lowercase() == address)
        };
        let files = calendars(&people).map_err(not_reached)?;
        let Some(path) = files.iter().find(is_theirs) else {
            return Ok(None);
        };
        let read = self.read(path, address, floating).map_err(not_reached)?;
        Ok(read.map(|parsed| vec![parsed]))
    }

    fn place_of(&self, _uid: &str) -> (PathBuf, String) {
        (self.root.join(OWN), OWN.to_owned())
    }

    fn change(
        &mut self,
        path: &Path,
        name: &str,
        floating: &TimeZone,
        change: &mut Change<'_>,
    ) -> Result<(), AccountError> {
        for _ in 0..TRIES {
            let before = folder::optional(fs::read(path)).map_err(not_reached)?;
            let bytes = before.clone().unwrap_or_else(|| EMPTY.as_bytes().to_vec());
            if bytes.len() as u64 > LARGEST || std::str::from_utf8(&bytes).is_err() {
                return Err(AccountError::refused(calendar_not_written(name)));
            }
            let parsed = Parsed::new(name, bytes, floating);
            let Some(source) = &parsed.source else {
                return Err(AccountError::refused(calendar_not_written(name)));
            };
            let Some(new) = change(&parsed, source)? else {
                return Ok(());
            };
            if folder::optional(fs::read(path)).map_err(not_reached)? != before {
                continue;
            }
            folder::replace(path, new.as_bytes()).map_err(unknown)?;
            self.known.remove(path);
            return Ok(());
        }
        Err(keeps_changing(name))
    }
}

/// The calendars of a folder, sorted. None if it doesn't exist.
fn calendars(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let Some(entries) = folder::optional(fs::read_dir(folder))? else {
        return Ok(Vec::new());
    };
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let is = path
            .extension()
            .is_some_and(|e| e.eq_ignore_ascii_case("ics"));
        if is {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}
