//! Commits: all writes or none.

use alfred_core::ports::{Commit, Condition, Key, Op, Write};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use uuid::Uuid;

use super::number;
use crate::database::sync_commits;

struct Current {
    version: i64,
    is_live: bool,
    commit: Option<Uuid>,
}

/// Returns the key whose condition failed. With `defers_sync` the log isn't flushed. The next write without it, also one
/// of the queue, flushes the whole log.
pub(super) fn commit(
    connection: &mut Connection,
    commit: &Commit,
    now: i64,
) -> rusqlite::Result<Option<Key>> {
    if !commit.defers_sync {
        return apply(connection, commit, now);
    }
    sync_commits(connection, false)?;
    let done = apply(connection, commit, now);
    sync_commits(connection, true)?;
    done
}

/// Checks every condition, then writes. If any item has the commit's id, the commit succeeded before, and nothing is
/// written.
fn apply(connection: &mut Connection, commit: &Commit, now: i64) -> rusqlite::Result<Option<Key>> {
    let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let currents = commit.writes.iter();
    let currents = currents.map(|write| current(&tx, &write.key, now));
    let currents = currents.collect::<rusqlite::Result<Vec<_>>>()?;
    let mut known = currents.iter().flatten();
    if known.any(|current| current.commit == Some(commit.id)) {
        return Ok(None);
    }
    let mut pairs = commit.writes.iter().zip(&currents);
    let failed = pairs.find(|(write, current)| !holds(write.condition, current.as_ref()));
    if let Some((failed, _)) = failed {
        return Ok(Some(failed.key.clone()));
    }
    for (write, current) in commit.writes.iter().zip(&currents) {
        let live = current.as_ref().filter(|c| c.is_live);
        let version = live.map_or(0, |c| c.version).saturating_add(1);
        execute(&tx, write, version, commit.id)?;
    }
    tx.commit()?;
    Ok(None)
}

fn current(tx: &Transaction<'_>, key: &Key, now: i64) -> rusqlite::Result<Option<Current>> {
    tx.prepare_cached(
        "SELECT version, expires IS NULL OR expires > ?4, commit_id FROM items
         WHERE tbl = ?1 AND part = ?2 AND range = ?3",
    )?
    .query_row(
        params![number(key.table), key.partition, key.range, now],
        |row| {
            Ok(Current {
                version: row.get(0)?,
                is_live: row.get(1)?,
                commit: row
                    .get::<_, Option<Vec<u8>>>(2)?
                    .and_then(|id| Uuid::from_slice(&id).ok()),
            })
        },
    )
    .optional()
}

fn holds(condition: Option<Condition>, current: Option<&Current>) -> bool {
    let live = current.filter(|c| c.is_live);
    match condition {
        None => true,
        Some(Condition::Absent) => live.is_none(),
        Some(Condition::Version(n)) => live.is_some_and(|c| i64::try_from(n) == Ok(c.version)),
    }
}

fn execute(
    tx: &Transaction<'_>,
    write: &Write,
    version: i64,
    commit: Uuid,
) -> rusqlite::Result<()> {
    let key = &write.key;
    match &write.op {
        Op::Put { body, expires_at } => {
            tx.prepare_cached(
                "INSERT INTO items (tbl, part, range, version, body, expires, commit_id)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
                 ON CONFLICT (tbl, part, range) DO UPDATE SET version = excluded.version,
                 body = excluded.body, expires = excluded.expires, commit_id = excluded.commit_id",
            )?
            .execute(params![
                number(key.table),
                key.partition,
                key.range,
                version,
                body.as_str(),
                expires_at.map(Timestamp::as_second),
                commit.as_bytes(),
            ])?;
        }
        Op::Delete => {
            tx.prepare_cached("DELETE FROM items WHERE tbl = ?1 AND part = ?2 AND range = ?3")?
                .execute(params![number(key.table), key.partition, key.range])?;
        }
        Op::Check => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use alfred_core::ports::SystemIds;

    #[test]
    fn commits_after_a_failed_unsynced_one_are_synced() {
        let mut no_tables = Connection::open_in_memory().unwrap();
        let write = Write::delete(Key::state("p", "a"), None);
        let mut unsynced = Commit::new(&SystemIds, vec![write]);
        unsynced.defers_sync = true;
        assert!(commit(&mut no_tables, &unsynced, 0).is_err());
        let level = no_tables.pragma_query_value(None, "synchronous", |row| row.get::<_, i64>(0));
        assert_eq!(level, Ok(2), "SQLite's FULL");
    }
}
