//! States of mails as a log of `ID STATE` lines, where the last line of an id counts. A change appends a
//! line, so its cost doesn't depend on the mailbox's size. Opening compacts the log.

use alfred_core::id::MailId;
use alfred_core::ports::MailStatus;
use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::folder;

/// Outdated lines before the log is compacted.
const STALE: usize = 1_000;

pub(super) struct States {
    path: PathBuf,
    states: HashMap<MailId, MailStatus>,
}

impl States {
    /// Reads the log and ignores malformed lines.
    pub fn open(path: &Path) -> io::Result<Self> {
        let text = folder::optional(fs::read(path))?.unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let mut states = HashMap::new();
        let mut lines = 0;
        let whole = text
            .split_inclusive('\n')
            .filter_map(|line| line.strip_suffix('\n'));
        for line in whole {
            if let Some((id, status)) = line.split_once(' ')
                && let Ok(status) = serde_json::from_value(status.into())
            {
                lines += 1;
                states.insert(MailId::from(id), status);
            }
        }
        let path = path.to_owned();
        let opened = Self { path, states };
        if lines > opened.states.len() + STALE {
            opened.compact()?;
        }
        Ok(opened)
    }

    pub fn get(&self, id: &MailId) -> Option<MailStatus> {
        self.states.get(id).copied()
    }

    /// Durable when it returns.
    pub fn set(&mut self, id: &MailId, status: MailStatus) -> io::Result<()> {
        if self.get(id) == Some(status) {
            return Ok(());
        }
        // A failed write may have left part of a line, so a line break comes first.
        let line = format!("\n{}", line_of(id, status)?);
        folder::append(&self.path, line.as_bytes())?;
        self.states.insert(id.clone(), status);
        Ok(())
    }

    fn compact(&self) -> io::Result<()> {
        let lines = self.states.iter().map(|(id, status)| line_of(id, *status));
        let mut lines: Vec<String> = lines.collect::<io::Result<_>>()?;
        lines.sort_unstable();
        folder::replace(&self.path, lines.concat().as_bytes())
    }
}

fn line_of(id: &MailId, status: MailStatus) -> io::Result<String> {
    let word = serde_json::to_string(&status)?;
    Ok(format!("{id} {}\n", word.trim_matches('"')))
}
