use alfred_core::ports::{QueueError, QueueName};
use rusqlite::{Transaction, params};

use super::{DEDUP_WINDOW, SqliteQueue, millis};

/// SQS's limit, 1 MiB.
pub const MAX_BODY_BYTES: usize = 1_048_576;

struct Letter {
    queue: QueueName,
    body: String,
    group: String,
    dedup: String,
}

impl SqliteQueue {
    /// Sends a body, which need not be an envelope. Returns `Refused` if it exceeds `MAX_BODY_BYTES`.
    pub async fn send_raw(
        &self,
        queue: QueueName,
        body: String,
        group: &str,
        dedup: &str,
    ) -> Result<(), QueueError> {
        let bytes = body.len();
        if bytes > MAX_BODY_BYTES {
            let detail = format!("{bytes} bytes in a message, at most {MAX_BODY_BYTES}");
            return Err(QueueError::Refused { detail });
        }
        let letter = Letter {
            queue,
            body,
            group: group.to_owned(),
            dedup: dedup.to_owned(),
        };
        let stored = self.change(move |tx, now| store(tx, &letter, now));
        if stored.await? {
            self.wake(queue);
        }
        Ok(())
    }
}

/// Returns false if the message is a duplicate.
fn store(tx: &Transaction<'_>, letter: &Letter, now: i64) -> rusqlite::Result<bool> {
    let queue = letter.queue.as_str();
    let until = now.saturating_add(millis(DEDUP_WINDOW));
    // Entries that end after `until` were written before the clock was set back.
    tx.prepare_cached("DELETE FROM dedups WHERE until <= ?1 OR until > ?2")?
        .execute([now, until])?;
    let noted = tx
        .prepare_cached("INSERT OR IGNORE INTO dedups (queue, dedup, until) VALUES (?1, ?2, ?3)")?
        .execute(params![queue, letter.dedup, until])?;
    if noted == 1 {
        tx.prepare_cached(
            "INSERT INTO messages (queue, grp, body, sent_at, visible_at)
             VALUES (?1, ?2, ?3, ?4, ?4)",
        )?
        .execute(params![queue, letter.group, letter.body, now])?;
    }
    Ok(noted == 1)
}
