//! Opening a file without ever harming it.

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use thiserror::Error;

use super::schema::{APPLICATION_ID, SCHEMA_VERSION, create_tables};

/// SQLite's quick check takes about 0.5 s for 100 MB, and a restart shall go on within a second.
const CHECKED_BYTES: u64 = 64 * 1024 * 1024;

/// Why a database wasn't opened. The file is as it was.
#[derive(Debug, Error)]
pub enum OpenError {
    /// It can't be read or written.
    #[error("{}: {source}; check that the folder exists, isn't full and is yours to write", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// It is no database, or a damaged one.
    #[error("{} is damaged ({detail}); nothing was changed. Restore it from a backup, or move it away, with the files of the same name in -wal and -shm, to start empty", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What SQLite found.
        detail: String,
    },
    /// It is a database of another program.
    #[error("{} belongs to another program; nothing was changed. Choose another data folder", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// Another release wrote it.
    #[error("{} has schema {found}, this release reads {known}; nothing was changed. Start the release that wrote it, or move the file away, with the files of the same name in -wal and -shm, to start empty", path.display())]
    OtherRelease {
        /// The file.
        path: PathBuf,
        /// Its schema.
        found: i64,
        /// Ours.
        known: i64,
    },
    /// SQLite wouldn't open it.
    #[error("{}: {detail}", path.display())]
    Sqlite {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        detail: String,
    },
}

/// The writer's and the reader's connection.
pub(super) fn on_disk(path: &Path) -> Result<(Connection, Connection), OpenError> {
    let is_empty = if is_new(path)? {
        create(path)?;
        true
    } else {
        probe(path)?
    };
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let open = || -> rusqlite::Result<_> {
        let mut writer = Connection::open_with_flags(path, flags)?;
        configure(&writer)?;
        if is_empty {
            create_tables(&mut writer)?;
        }
        let reader = Connection::open_with_flags(path, flags)?;
        configure(&reader)?;
        reader.pragma_update(None, "query_only", true)?;
        Ok((writer, reader))
    };
    open().map_err(|error| sqlite(path, &error))
}

pub(super) fn in_memory() -> Result<Connection, OpenError> {
    let open = || -> rusqlite::Result<_> {
        let mut connection = Connection::open_in_memory()?;
        keep_statements(&connection)?;
        create_tables(&mut connection)?;
        Ok(connection)
    };
    open().map_err(|error| sqlite(Path::new(":memory:"), &error))
}

/// What is acknowledged outlives kills and power cuts. It costs one fsync of the write-ahead log a commit:
/// a fraction of a millisecond on an SSD, up to 10 ms on a disk that turns.
fn configure(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(Duration::from_secs(5))?;
    keep_statements(connection)?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    connection.pragma_update(None, "synchronous", "full")?;
    // Only macOS knows these: there a plain fsync leaves data in the drive's cache.
    connection.pragma_update(None, "fullfsync", true)?;
    connection.pragma_update(None, "checkpoint_fullfsync", true)?;
    connection.pragma_update(None, "journal_size_limit", 64 * 1024 * 1024)
}

/// A statement is parsed once. Without the guarantee SQLite plans it anew for every other bound of a range.
fn keep_statements(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_prepared_statement_cache_capacity(64);
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

/// An empty file is one whose creation was interrupted; with a log beside it, it has lost its data.
fn is_new(path: &Path) -> Result<bool, OpenError> {
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(source) => Err(io_error(path, source)),
        Ok(found) if !found.is_file() => Err(damaged(path, "not a file")),
        Ok(found) if found.len() > 0 => Ok(false),
        Ok(_) => {
            let mut log = path.as_os_str().to_owned();
            log.push("-wal");
            match fs::metadata(&log) {
                Ok(log) if log.len() > 0 => Err(damaged(path, "empty, with a log beside it")),
                _ => Ok(true),
            }
        }
    }
}

/// The file must exist before SQLite opens it, so that it is only ours to read.
fn create(path: &Path) -> Result<(), OpenError> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path).map_err(|e| io_error(path, e))?;
    file.sync_all().map_err(|e| io_error(path, e))?;
    crate::durable::sync_parent(path).map_err(|e| io_error(path, e))
}

/// Checks that a file is ours, sound and of this schema, without writing a byte of it. Returns true if it has no
/// tables yet.
/// Every page of a file up to `CHECKED_BYTES` is looked at; damage in a larger
/// one shows when it is read, as `Corrupt`.
fn probe(path: &Path) -> Result<bool, OpenError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(|e| sqlite(path, &e))?;
    let number = |pragma: &str| {
        connection
            .pragma_query_value(None, pragma, |row| row.get::<_, i64>(0))
            .map_err(|error| sqlite(path, &error))
    };
    number("schema_version")?;
    let (owner, schema) = (number("application_id")?, number("user_version")?);
    let tables: i64 = connection
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
        .map_err(|error| sqlite(path, &error))?;
    if owner != APPLICATION_ID {
        // A file killed between its first page and its tables is still new.
        let unused = owner == 0 && schema == 0 && tables == 0;
        return if unused {
            Ok(true)
        } else {
            Err(OpenError::Foreign {
                path: path.to_owned(),
            })
        };
    }
    if schema != SCHEMA_VERSION {
        return Err(OpenError::OtherRelease {
            path: path.to_owned(),
            found: schema,
            known: SCHEMA_VERSION,
        });
    }
    if fs::metadata(path).map_err(|e| io_error(path, e))?.len() > CHECKED_BYTES {
        return Ok(false);
    }
    let verdict: String = connection
        .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
        .map_err(|error| sqlite(path, &error))?;
    if verdict == "ok" {
        Ok(false)
    } else {
        Err(damaged(path, &verdict))
    }
}

fn io_error(path: &Path, source: io::Error) -> OpenError {
    OpenError::Io {
        path: path.to_owned(),
        source,
    }
}

fn damaged(path: &Path, detail: &str) -> OpenError {
    OpenError::Damaged {
        path: path.to_owned(),
        detail: detail.to_owned(),
    }
}

fn sqlite(path: &Path, error: &rusqlite::Error) -> OpenError {
    use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
    match error.sqlite_error_code() {
        Some(DatabaseCorrupt | NotADatabase) => damaged(path, &error.to_string()),
        _ => OpenError::Sqlite {
            path: path.to_owned(),
            detail: error.to_string(),
        },
    }
}
