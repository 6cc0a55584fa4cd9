//! Forgetting: what is on its way for a person.

use alfred_core::ports::QueueError;
use alfred_core::{TeamId, UserId};
use rusqlite::params;

use super::SqliteQueue;

impl SqliteQueue {
    /// Removes a person's messages, those in flight and dead ones included, and says how many
    /// those were. Who is handling one finds at its end that it is no longer theirs.
    ///
    /// # Errors
    /// `Unavailable` when the database doesn't answer.
    pub async fn forget(&self, team: &TeamId, user: &UserId) -> Result<usize, QueueError> {
        let (team, user) = (team.0.clone(), user.0.clone());
        self.change(move |connection, _| {
            let tx = connection.transaction()?;
            let mut removed = 0;
            for table in ["messages", "dead_letters"] {
                // A dead letter may be no JSON at all.
                removed += tx.execute(
                    &format!(
                        "DELETE FROM {table} WHERE CASE WHEN json_valid(body) THEN
                         json_extract(body, '$.team') = ?1 AND json_extract(body, '$.user') = ?2
                         ELSE 0 END"
                    ),
                    params![team, user],
                )?;
            }
            tx.commit()?;
            Ok(removed)
        })
        .await
    }
}
