use rusqlite::{Connection, TransactionBehavior};

/// Stored as `PRAGMA user_version`.
pub const SCHEMA_VERSION: i64 = 3;
/// "ALFR", stored as `PRAGMA application_id`.
pub(super) const APPLICATION_ID: i64 = 0x414C_4652;

/// Times of items and blobs are seconds since 1970, times of messages milliseconds. `items` keeps its rowid because
/// tables without one are slow with large bodies.
const TABLES: &str = "
CREATE TABLE items (
    tbl       INTEGER NOT NULL,
    part      TEXT    NOT NULL,
    range     TEXT    NOT NULL,
    version   INTEGER NOT NULL,
    body      TEXT    NOT NULL,
    expires   INTEGER,
    commit_id BLOB,
    PRIMARY KEY (tbl, part, range)
) STRICT;
CREATE INDEX items_by_expiry ON items (expires) WHERE expires IS NOT NULL;

CREATE TABLE messages (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    queue      TEXT    NOT NULL,
    grp        TEXT    NOT NULL,
    body       TEXT    NOT NULL,
    sent_at    INTEGER NOT NULL,
    visible_at INTEGER NOT NULL,
    leased     INTEGER NOT NULL DEFAULT 0,
    receives   INTEGER NOT NULL DEFAULT 0,
    deaths     INTEGER NOT NULL DEFAULT 0 -- how often the process died while it handled the message
) STRICT;
CREATE INDEX messages_by_group ON messages (queue, grp, id);

CREATE TABLE dedups (
    queue TEXT    NOT NULL,
    dedup TEXT    NOT NULL,
    until INTEGER NOT NULL,
    PRIMARY KEY (queue, dedup)
) STRICT, WITHOUT ROWID;
CREATE INDEX dedups_by_end ON dedups (until);

CREATE TABLE dead_letters (
    id       INTEGER PRIMARY KEY,
    queue    TEXT    NOT NULL,
    grp      TEXT    NOT NULL,
    body     TEXT    NOT NULL,
    sent_at  INTEGER NOT NULL,
    dead_at  INTEGER NOT NULL,
    receives INTEGER NOT NULL,
    reason   TEXT    NOT NULL
) STRICT;

CREATE TABLE blobs (
    scope   TEXT    NOT NULL,
    digest  TEXT    NOT NULL,
    written INTEGER NOT NULL,
    bytes   BLOB    NOT NULL,
    PRIMARY KEY (scope, digest)
) STRICT;

CREATE TABLE vault (
    name  TEXT NOT NULL PRIMARY KEY,
    bytes BLOB NOT NULL
) STRICT;
CREATE TRIGGER vault_keeps_bytes BEFORE UPDATE ON vault
BEGIN SELECT RAISE(ABORT, 'the vault is write-once'); END;
CREATE TRIGGER vault_keeps_names BEFORE DELETE ON vault
BEGIN SELECT RAISE(ABORT, 'the vault is write-once'); END;
";

pub(super) fn create_tables(connection: &mut Connection) -> rusqlite::Result<()> {
    let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    tx.execute_batch(TABLES)?;
    tx.pragma_update(None, "application_id", APPLICATION_ID)?;
    tx.pragma_update(None, "user_version", SCHEMA_VERSION)?;
    tx.commit()
}
