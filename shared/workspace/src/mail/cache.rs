//! The envelopes of a mailbox in a file, so that the next start needn't read every mail.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use super::HIDDEN;
use super::index::Record;
use crate::folder;

const NAME: &str = "index.jsonl";
/// The first line. Another one is that of another release, whose envelopes aren't ours.
const VERSION: &str = "alfred-mail-index 1";
/// New mails that are rather read again than that all envelopes are written for them.
const FEW: usize = 200;

fn path(root: &Path) -> PathBuf {
    root.join(HIDDEN).join(NAME)
}

/// What an earlier process knew. Lines that don't fit are left out: their mails are read anew.
pub(super) fn load(root: &Path) -> Vec<Record> {
    let Ok(file) = File::open(path(root)) else {
        return Vec::new();
    };
    let mut lines = BufReader::with_capacity(1 << 20, file).lines();
    match lines.next() {
        Some(Ok(first)) if first == VERSION => {}
        _ => return Vec::new(),
    }
    lines
        .map_while(Result::ok)
        .filter_map(|line| serde_json::from_str(&line).ok())
        .collect()
}

/// Writes the envelopes down when enough of them are new. What isn't written is read again: no harm is done.
pub(super) fn save(root: &Path, records: impl Iterator<Item = Record>, new: usize) {
    if new < FEW {
        return;
    }
    let mut bytes = format!("{VERSION}\n").into_bytes();
    for record in records {
        let before = bytes.len();
        if serde_json::to_writer(&mut bytes, &record).is_err() {
            bytes.truncate(before);
            continue;
        }
        bytes.push(b'\n');
    }
    let written = folder::replace(&path(root), &bytes);
    if let Err(error) = written {
        tracing::warn!(%error, "the index of mails wasn't written; the next start takes longer");
    }
}
