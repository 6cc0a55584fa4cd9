//! One caller at a time for each name.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::OwnedMutexGuard;

/// A lock for each name in use, by the name's hash of 64 bits.
#[derive(Default)]
pub struct Turns(Mutex<HashMap<u64, Arc<tokio::sync::Mutex<()>>>>);

impl Turns {
    pub async fn of(&self, name: impl Hash) -> OwnedMutexGuard<()> {
        let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one(name);
        let turn = {
            let mut turns = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            turns.retain(|_, turn| Arc::strong_count(turn) > 1);
            turns.entry(hash).or_default().clone()
        };
        turn.lock_owned().await
    }
}

#[cfg(test)]
mod tests {
    use super::Turns;
    use std::time::Duration;

    #[tokio::test]
    async fn only_the_same_name_waits() {
        let turns = Turns::default();
        let held = turns.of(0).await;
        for name in 1..=64 {
            let other = tokio::time::timeout(Duration::from_secs(5), turns.of(name)).await;
            assert!(other.is_ok(), "{name} waits for another name");
        }
        let again = tokio::time::timeout(Duration::from_millis(20), turns.of(0));
        assert!(again.await.is_err());
        drop(held);
        drop(turns.of(0).await);
    }
}
