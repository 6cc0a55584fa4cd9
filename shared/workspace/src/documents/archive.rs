//! Office files are zip archives. Their unpacked size is limited before anything reads them.

use crate::documents::FILE_TOO_LARGE;
use alfred_core::ports::AccountError;
use alfred_core::text;
use std::io::{self, Cursor, Read};
use zip::ZipArchive;
use zip::result::ZipError;

/// Unpacked bytes of a whole archive.
const MOST_UNPACKED: u64 = 200 * 1_024 * 1_024;
const MOST_PARTS: usize = 5_000;

/// Opens an archive within the limits.
pub(super) fn open(bytes: &[u8]) -> Result<ZipArchive<Cursor<&[u8]>>, AccountError> {
    bounded(bytes, MOST_UNPACKED)
}

fn bounded(bytes: &[u8], most: u64) -> Result<ZipArchive<Cursor<&[u8]>>, AccountError> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|_| damaged())?;
    let mut left = most;
    if archive.len() > MOST_PARTS {
        return Err(AccountError::refused(FILE_TOO_LARGE));
    }
    for number in 0..archive.len() {
        // The directory may lie about sizes, so they are measured.
        let part = archive.by_index(number).map_err(|_| damaged())?;
        let size = io::copy(&mut part.take(left + 1), &mut io::sink()).map_err(|_| damaged())?;
        left = left
            .checked_sub(size)
            .ok_or_else(|| AccountError::refused(FILE_TOO_LARGE))?;
    }
    Ok(archive)
}

/// A text part. `None` if it doesn't exist.
pub(super) fn part(
    archive: &mut ZipArchive<Cursor<&[u8]>>,
    name: &str,
) -> Result<Option<String>, AccountError> {
    let mut part = match archive.by_name(name) {
        Ok(part) => part,
        Err(ZipError::FileNotFound) => return Ok(None),
        Err(_) => return Err(damaged()),
    };
    let mut text = String::new();
    part.read_to_string(&mut text).map_err(|_| damaged())?;
    Ok(Some(text))
}

pub(super) fn damaged() -> AccountError {
    AccountError::refused(text::DOCUMENT_UNREADABLE)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use std::io::Write;
    use zip::write::SimpleFileOptions;

    pub fn packed(parts: &[(&str, &str)]) -> Vec<u8> {
        let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (name, part) in parts {
            zip.start_file(name, SimpleFileOptions::default()).unwrap();
            zip.write_all(part.as_bytes()).unwrap();
        }
        zip.finish().unwrap().into_inner()
    }

    #[test]
    fn what_unpacks_to_too_much_isnt_opened() {
        let half = "x".repeat(50_000);
        let bytes = packed(&[("a", &half), ("b", &half)]);
        assert!(bytes.len() < 2_000);
        assert!(bounded(&bytes, 100_000).is_ok());
        let refused = bounded(&bytes, 99_999);
        assert!(matches!(refused, Err(AccountError::Refused { .. })));
    }
}
