//! One SQLite file and the two threads that work on it.

mod open;
mod schema;
mod worker;

pub use open::OpenError;
pub use schema::SCHEMA_VERSION;
pub use worker::Closed;

use alfred_core::ports::{QueueError, StoreError};
use jiff::Timestamp;
use rusqlite::{Connection, ErrorCode, Row};
use std::path::Path;
use std::sync::Arc;

use worker::Worker;

/// An open database. Clones share it; the last one closes it.
///
/// Writes go through one thread, one after the other, which is what SQLite does
/// anyway; no async worker ever blocks on the disk. Reads have a connection
/// and a thread of their own, so that they don't wait for a writer's fsync.
#[derive(Clone)]
pub struct Database(Arc<Workers>);

struct Workers {
    writer: Worker,
    /// A database in memory has one connection only.
    reader: Option<Worker>,
}

impl Database {
    /// Opens or creates the file. What is damaged, foreign or newer is refused and left as it is.
    ///
    /// # Errors
    /// `OpenError`, which names the file and says what to do.
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

    /// A database that is gone with the last clone.
    ///
    /// # Errors
    /// When SQLite or a thread can't be started.
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

    /// Runs the work on the writer's thread. It runs to its end even when the caller is dropped.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> T + Send + 'static,
    ) -> Result<T, Closed> {
        self.0.writer.run(work).await
    }

    /// Runs the work on the reader's thread; it sees every acknowledged write.
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

/// A text of a row. One that is damaged can be shown, and never reads as JSON: it fails where it is parsed
/// and holds up nothing else.
pub(crate) fn text(row: &Row<'_>, column: usize) -> rusqlite::Result<String> {
    let bytes = row.get_ref(column)?.as_bytes()?;
    Ok(match str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => format!("\u{FFFD}{}", String::from_utf8_lossy(bytes)),
    })
}

/// A count of a row; a damaged one is the nearest there is.
pub(crate) fn count(stored: i64) -> u32 {
    u32::try_from(stored.clamp(0, 1_000_000)).unwrap_or_default()
}

/// A moment of a row, in milliseconds; a damaged one is the beginning of 1970.
pub(crate) fn moment(stored: i64) -> Timestamp {
    Timestamp::from_millisecond(stored).unwrap_or_default()
}

/// What a failure of SQLite means to a caller of the store.
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

/// What a failure of SQLite means to a caller of the queue.
pub(crate) fn queue_error(error: rusqlite::Error) -> QueueError {
    QueueError::Unavailable {
        detail: error.to_string(),
    }
}
