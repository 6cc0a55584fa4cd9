use alfred_core::ports::QueueError;
use alfred_core::{TeamId, UserId};
use rusqlite::params;

use super::SqliteQueue;

impl SqliteQueue {
    /// Removes a user's messages, including leased and dead ones, and returns their number. A handler of one
    /// learns when it settles the message that it was removed.
    pub async fn forget(&self, team: &TeamId, user: &UserId) -> Result<usize, QueueError> {
        let (team, user) = (team.0.clone(), user.0.clone());
        self.change(move |tx, _| {
            let mut removed = 0;
            for table in ["messages", "dead_letters"] {
                // The body of a dead letter may be no JSON.
                removed += tx.execute(
                    &format!(
                        "DELETE FROM {table} WHERE CASE WHEN json_valid(body) THEN
                         json_extract(body, '$.team') = ?1 AND json_extract(body, '$.user') = ?2
                         ELSE 0 END"
                    ),
                    params![team, user],
                )?;
            }
            Ok(removed)
        })
        .await
    }
}
