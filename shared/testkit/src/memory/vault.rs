//! A vault in memory.

use alfred_core::ports::{Vault, VaultError};
use async_trait::async_trait;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Locked bytes in memory. Tests can break in.
#[derive(Debug, Default)]
pub struct MemoryVault {
    locked: Mutex<BTreeMap<String, Vec<u8>>>,
    faults: AtomicUsize,
}

impl MemoryVault {
    pub fn names(&self) -> Vec<String> {
        self.locked.lock().unwrap().keys().cloned().collect()
    }

    /// What no port can do: takes something out, or puts something else in.
    pub fn tamper(&self, name: &str, bytes: Option<Vec<u8>>) {
        let mut locked = self.locked.lock().unwrap();
        match bytes {
            Some(bytes) => locked.insert(name.to_owned(), bytes),
            None => locked.remove(name),
        };
    }

    /// The next locks do their work, and their answer is lost.
    pub fn lose_answers(&self, times: usize) {
        self.faults.store(times, Ordering::SeqCst);
    }
}

#[async_trait]
impl Vault for MemoryVault {
    async fn lock(&self, name: &str, bytes: &[u8]) -> Result<(), VaultError> {
        {
            let mut locked = self.locked.lock().unwrap();
            let there = locked
                .entry(name.to_owned())
                .or_insert_with(|| bytes.to_vec());
            if there != bytes {
                return Err(VaultError::Taken {
                    name: name.to_owned(),
                });
            }
        }
        let less = |left: usize| left.checked_sub(1);
        match self
            .faults
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, less)
        {
            Ok(_) => Err(VaultError::Unavailable {
                detail: "the answer was lost".into(),
            }),
            Err(_) => Ok(()),
        }
    }

    async fn read(&self, name: &str) -> Result<Option<Vec<u8>>, VaultError> {
        Ok(self.locked.lock().unwrap().get(name).cloned())
    }
}
