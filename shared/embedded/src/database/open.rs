//! Opens or creates the database file. A file that is refused is never changed.

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use thiserror::Error;

use super::schema::{APPLICATION_ID, SCHEMA_VERSION, create_tables};

/// Larger files skip the quick check: it takes about 0.5 s per 100 MB, and a restart should take under a second.
const CHECKED_BYTES: u64 = 64 * 1024 * 1024;

#[derive(Debug, Error)]
pub enum OpenError {
    #[error("{}: {source}; check that the folder exists, isn't full and is yours to write", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{} is damaged ({detail}); nothing was changed. Restore it from a backup, or move it away, with the files of the same name in -wal and -shm, to start empty", path.display())]
    Damaged { path: PathBuf, detail: String },
    #[error("{} belongs to another program; nothing was changed. Choose another data folder", path.display())]
    Foreign { path: PathBuf },
    #[error("{} has schema {found}, this release reads {known}; nothing was changed. Start the release that wrote it, or move the file away, with the files of the same name in -wal and -shm, to start empty", path.display())]
    OtherRelease {
        path: PathBuf,
        found: i64,
        known: i64,
    },
    #[error("{}: {detail}", path.display())]
    Sqlite { path: PathBuf, detail: String },
}

/// Returns the writer's and the reader's connection.
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

/// Makes every acknowledged write survive kills and power cuts, except for commits that defer it. Each costs one fsync
/// of the write-ahead log: a fraction of a millisecond on an SSD, up to 10 ms on a spinning disk.
fn configure(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(Duration::from_secs(5))?;
    keep_statements(connection)?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    sync_commits(connection, true)?;
    // These two only have an effect on macOS, where a plain fsync leaves data in the drive's cache.
    connection.pragma_update(None, "fullfsync", true)?;
    connection.pragma_update(None, "checkpoint_fullfsync", true)?;
    connection.pragma_update(None, "journal_size_limit", 64 * 1024 * 1024)
}

/// Whether each commit flushes the write-ahead log before it returns.
pub(crate) fn sync_commits(connection: &Connection, each: bool) -> rusqlite::Result<()> {
    let level = if each { "full" } else { "normal" };
    connection.pragma_update(None, "synchronous", level)
}

/// Caches parsed statements. Without QPSG, SQLite replans a range query for each new bound.
fn keep_statements(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_prepared_statement_cache_capacity(64);
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

/// An empty file was left by an interrupted creation and counts as new. If it has a write-ahead log, it lost data.
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

/// Creates the file before SQLite opens it, so that it gets mode 0600.
fn create(path: &Path) -> Result<(), OpenError> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path).map_err(|e| io_error(path, e))?;
    file.sync_all().map_err(|e| io_error(path, e))?;
    crate::durable::sync_parent(path).map_err(|e| io_error(path, e))
}

/// Checks owner, soundness and schema of a file without writing to it. Returns true if it has no tables yet.
/// Files over `CHECKED_BYTES` aren't scanned: damage there surfaces as `Corrupt` on a later read.
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
        // A process killed between writing the first page and the tables leaves such a file.
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
