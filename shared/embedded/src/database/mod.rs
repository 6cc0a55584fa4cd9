mod open;
mod schema;
mod worker;

pub(crate) use open::sync_commits;
pub use open::{OpenError, Problem};
pub use schema::SCHEMA_VERSION;

use alfred_core::ports::{BlobError, QueueError, StoreError, VaultError};
use jiff::Timestamp;
use rusqlite::{Connection, ErrorCode, Row};
use std::path::Path;
use std::sync::Arc;
use thiserror::Error;

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

/// Why work on the database has no result.
#[derive(Debug, Error)]
pub(crate) enum Fault {
    #[error("the database is closed")]
    Closed,
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
}

impl Database {
    /// Opens or creates the file. Damaged, foreign and newer files are refused and left unchanged.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        let opened = open::on_disk(path);
        let started = opened.and_then(|(writer, reader)| Self::start(writer, Some(reader)));
        started.map_err(|problem| problem.at(path))
    }

    /// Checks a file without changing it, also while another process uses it. False if nothing is in it yet.
    pub fn check(path: &Path) -> Result<bool, OpenError> {
        let check = || Ok(!open::is_new(path)? && open::probe(path)?);
        check().map_err(|problem: Problem| problem.at(path))
    }

    pub fn in_memory() -> Result<Self, OpenError> {
        let opened = open::in_memory().and_then(|writer| Self::start(writer, None));
        opened.map_err(|problem| problem.at(Path::new(":memory:")))
    }

    fn start(writer: Connection, reader: Option<Connection>) -> Result<Self, Problem> {
        let reader = reader.map(|reader| Worker::start(reader, "sqlite-read"));
        Ok(Self(Arc::new(Workers {
            writer: Worker::start(writer, "sqlite-write")?,
            reader: reader.transpose()?,
        })))
    }

    /// Runs the work on the writer thread, to its end even if the caller is dropped.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, Fault> {
        self.0.writer.run(work).await
    }

    /// Runs the work on the reader thread. It sees every acknowledged write.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, Fault> {
        let reader = self.0.reader.as_ref().unwrap_or(&self.0.writer);
        reader.run(work).await
    }
}

impl From<Fault> for StoreError {
    fn from(fault: Fault) -> Self {
        let detail = fault.to_string();
        let code = match fault {
            Fault::Closed => None,
            Fault::Sqlite(error) => error.sqlite_error_code(),
        };
        match code {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Contended { detail },
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Corrupt { detail },
            _ => Self::Unavailable { detail },
        }
    }
}

macro_rules! unavailable {
    ($($port:ident),*) => {
        $(impl From<Fault> for $port {
            fn from(fault: Fault) -> Self {
                let detail = fault.to_string();
                Self::Unavailable { detail }
            }
        })*
    };
}

unavailable!(QueueError, BlobError, VaultError);

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
