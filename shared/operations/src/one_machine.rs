//! One machine: deletes a person from the database and the file of secrets, and settles dead letters.

use alfred_core::ports::{Account, QueueError, QueueName, Store};
use alfred_embedded::{FileSecrets, SqliteQueue, SqliteStore};
use async_trait::async_trait;
use std::collections::BTreeSet;

use crate::dead_letters::{DeadLetter, DeadLetterQueues, DeadLetters, Settlement};
use crate::forget::{Erased, Erasure, ForgetError};

/// The deleted data stays in the database's file until `SqliteStore::compact`.
pub struct OneMachineErasure {
    pub sqlite: SqliteStore,
    pub queue: SqliteQueue,
    pub secrets: FileSecrets,
}

#[async_trait]
impl Erasure for OneMachineErasure {
    fn rows(&self) -> &dyn Store {
        &self.sqlite
    }

    async fn erase(
        &self,
        partitions: BTreeSet<String>,
        account: &Account,
    ) -> Result<Erased, ForgetError> {
        let Account { team, user } = account;
        let partitions = partitions.into_iter().collect();
        let scope = format!("{team}/{user}");
        let erasure = self.sqlite.erase(partitions, &scope).await?;
        let secrets = format!("alfred/{team}/{user}/");
        let secrets = self.secrets.forget(&secrets).await?;
        let messages = self.queue.forget(team, user).await?;
        Ok(Erased {
            items: erasure.items,
            others: vec![
                ("large bodies", erasure.bodies),
                ("secrets", secrets),
                ("queued messages", messages),
            ],
        })
    }
}

#[async_trait]
impl DeadLetterQueues for SqliteQueue {
    async fn list(&self) -> Result<DeadLetters, QueueError> {
        let mut letters = Vec::new();
        for queue in QueueName::ALL {
            let found = self.dead_letters(queue, usize::MAX).await?.into_iter();
            letters.extend(found.map(|letter| DeadLetter {
                id: letter.id.to_string(),
                queue,
                group: letter.group,
                body: letter.body,
                since: letter.dead_at,
                receives: letter.receive_count,
                reason: letter.reason,
            }));
        }
        Ok(DeadLetters { letters, more: 0 })
    }

    async fn settle(&self, id: Option<&str>, how: Settlement) -> Result<usize, QueueError> {
        let Ok(id) = id.map(str::parse::<i64>).transpose() else {
            return Ok(0);
        };
        self.settle_dead(id, how == Settlement::Redrive).await
    }
}
