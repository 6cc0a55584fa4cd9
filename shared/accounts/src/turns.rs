//! One caller at a time for each name.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash};
use tokio::sync::{Mutex, MutexGuard};

/// Locks by name. Different names may share a lock.
pub struct Turns([Mutex<()>; 32]);

impl Default for Turns {
    fn default() -> Self {
        Self(std::array::from_fn(|_| Mutex::default()))
    }
}

impl Turns {
    pub async fn of(&self, name: impl Hash) -> MutexGuard<'_, ()> {
        let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one(name);
        let at = usize::try_from(hash % 32).unwrap_or_default();
        self.0[at].lock().await
    }
}
