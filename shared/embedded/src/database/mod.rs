mod open;
mod schema;
mod worker;

pub use open::OpenError;
pub(crate) use open::sync_commits;
pub use schema::SCHEMA_VERSION;
pub use worker::Closed;

use alfred_core::ports::{QueueError, StoreError};
use jiff::Timestamp;
use rusqlite::{Connection, ErrorCode, Row};
use std::path::Path;
use std::sync::Arc;

use worker::Worker;

/// An open SQLite file. Clones share it; dropping the last one closes it. All writes run on one thread,
/// all reads on a second one, so that reads don't wait for a writer's fsync. No async worker blocks on the disk.
#[derive(Clone)]
pub struct Database(Arc<Workers>);

struct Workers {
    writer: Worker,
    /// `None` in memory: such a database has a single connection.
    reader: Option<Worker>,
}

impl Database {
    /// Opens or creates the file. Damaged, foreign and newer files are refused and left unchanged.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        let (writer, reader) = open::on_disk(path)?;
        let start = |connection, name| {
            Worker::start(connection, name).map_err(|source| OpenError::Io {
                path: path.to_owned(),
                source,
            })
        };
        Ok(Self(Arc::new(Workers {
            writer: start(writer, "sqlite-write")?,
            reader: Some(start(reader, "sqlite-read")?),
        })))
    }

    pub fn in_memory() -> Result<Self, OpenError> {
        let name = Path::new(":memory:");
        let connection = open::in_memory()?;
        let writer =
            Worker::start(connection, "sqlite-memory").map_err(|source| OpenError::Io {
                path: name.to_owned(),
                source,
            })?;
        Ok(Self(Arc::new(Workers {
            writer,
            reader: None,
        })))
    }

    /// Runs the work on the writer thread, to its end even if the caller is dropped.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> T + Send + 'static,
    ) -> Result<T, Closed> {
        self.0.writer.run(work).await
    }

    /// Runs the work on the reader thread. It sees every acknowledged write.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> T + Send + 'static,
    ) -> Result<T, Closed> {
        let reader = self.0.reader.as_ref().unwrap_or(&self.0.writer);
        reader.run(work).await
    }
}

impl From<Closed> for StoreError {
    fn from(closed: Closed) -> Self {
        Self::Unavailable {
            detail: closed.to_string(),
        }
    }
}

impl From<Closed> for QueueError {
    fn from(closed: Closed) -> Self {
        Self::Unavailable {
            detail: closed.to_string(),
        }
    }
}

/// Reads a text column. Invalid UTF-8 is prefixed with U+FFFD, so that parsing it as JSON fails.
pub(crate) fn text(row: &Row<'_>, column: usize) -> rusqlite::Result<String> {
    let bytes = row.get_ref(column)?.as_bytes()?;
    Ok(match str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => format!("\u{FFFD}{}", String::from_utf8_lossy(bytes)),
    })
}

/// Clamps a damaged count to 0..=1,000,000.
pub(crate) fn count(stored: i64) -> u32 {
    u32::try_from(stored.clamp(0, 1_000_000)).unwrap_or_default()
}

/// Converts milliseconds since 1970; a damaged value becomes 1970.
pub(crate) fn moment(stored: i64) -> Timestamp {
    Timestamp::from_millisecond(stored).unwrap_or_default()
}

pub(crate) fn store_error(error: rusqlite::Error) -> StoreError {
    let detail = error.to_string();
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            StoreError::Contended { detail }
        }
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            StoreError::Corrupt { detail }
        }
        _ => StoreError::Unavailable { detail },
    }
}

pub(crate) fn queue_error(error: rusqlite::Error) -> QueueError {
    QueueError::Unavailable {
        detail: error.to_string(),
    }
}
