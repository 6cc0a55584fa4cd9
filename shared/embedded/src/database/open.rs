//! Opens or creates the database file. A file that is refused is never changed.

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use thiserror::Error;

use super::schema::{APPLICATION_ID, SCHEMA_VERSION, create_tables};

/// Larger files skip the quick check: it takes about 0.5 s per 100 MB, and a restart should take under a second.
const CHECKED_BYTES: u64 = 64 * 1024 * 1024;

#[derive(Debug, Error)]
#[error("{}: {problem}", path.display())]
pub struct OpenError {
    pub path: PathBuf,
    pub problem: Problem,
}

#[derive(Debug, Error)]
pub enum Problem {
    #[error("{0}; check that the folder exists, isn't full and is yours to write")]
    Io(#[from] io::Error),
    #[error(
        "damaged ({0}); nothing was changed. Restore it from a backup, or move it away, with the files of the same name in -wal and -shm, to start empty"
    )]
    Damaged(String),
    #[error("belongs to another program; nothing was changed. Choose another data folder")]
    Foreign,
    #[error(
        "written by another release (schema {0}, this one reads {SCHEMA_VERSION}); nothing was changed. Start that release, or choose another data folder"
    )]
    OtherRelease(i64),
    #[error("{0}; look whether another program uses it, and whether it is yours to write")]
    Sqlite(String),
}

impl Problem {
    pub(super) fn at(self, path: &Path) -> OpenError {
        OpenError {
            path: path.to_owned(),
            problem: self,
        }
    }
}

impl From<rusqlite::Error> for Problem {
    fn from(error: rusqlite::Error) -> Self {
        let detail = error.to_string();
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Damaged(detail),
            _ => Self::Sqlite(detail),
        }
    }
}

pub(super) fn on_disk(path: &Path) -> Result<(Connection, Connection), Problem> {
    let has_tables = !is_new(path)? && probe(path)?;
    if !has_tables {
        create(path)?;
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut writer = Connection::open_with_flags(path, flags)?;
    configure(&writer)?;
    if !has_tables {
        create_tables(&mut writer)?;
    }
    let reader = Connection::open_with_flags(path, flags)?;
    configure(&reader)?;
    reader.pragma_update(None, "query_only", true)?;
    Ok((writer, reader))
}

pub(super) fn in_memory() -> Result<Connection, Problem> {
    let mut connection = Connection::open_in_memory()?;
    keep_statements(&connection)?;
    create_tables(&mut connection)?;
    Ok(connection)
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
pub(super) fn is_new(path: &Path) -> Result<bool, Problem> {
    let found = match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
        found => found?,
    };
    if !found.is_file() {
        return Err(Problem::Damaged("not a file".into()));
    }
    if found.len() == 0 && fs::metadata(log_of(path)).is_ok_and(|log| log.len() > 0) {
        return Err(Problem::Damaged("empty, with a log beside it".into()));
    }
    Ok(found.len() == 0)
}

fn log_of(path: &Path) -> PathBuf {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    log.into()
}

/// Creates the file before SQLite opens it, so that it gets mode 0600. SQLite gives its log the same mode.
fn create(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false).mode(0o600);
    options.open(path)?.sync_all()?;
    crate::durable::sync_parent(path)
}

/// Checks owner, soundness and schema of a file without writing to it. Returns false if it has no tables yet.
/// Files over `CHECKED_BYTES` aren't scanned: damage there surfaces as `Corrupt` on a later read.
pub(super) fn probe(path: &Path) -> Result<bool, Problem> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let bytes = path.as_os_str().as_encoded_bytes().iter();
    let name: String = bytes.map(|byte| format!("%{byte:02x}")).collect();
    // Without a log nobody has it open. Then this makes no files beside it.
    let is_still = u8::from(!log_of(path).exists());
    let connection =
        Connection::open_with_flags(format!("file:{name}?immutable={is_still}"), flags)?;
    let number = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
    number("PRAGMA schema_version")?;
    let owner = number("PRAGMA application_id")?;
    let schema = number("PRAGMA user_version")?;
    if owner != APPLICATION_ID {
        // A process killed between writing the first page and the tables leaves such a file.
        let tables = number("SELECT count(*) FROM sqlite_schema")?;
        let is_unused = owner == 0 && schema == 0 && tables == 0;
        return is_unused.then_some(false).ok_or(Problem::Foreign);
    }
    if schema != SCHEMA_VERSION {
        return Err(Problem::OtherRelease(schema));
    }
    if fs::metadata(path)?.len() > CHECKED_BYTES {
        return Ok(true);
    }
    let verdict: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if verdict != "ok" {
        return Err(Problem::Damaged(verdict));
    }
    Ok(true)
}
