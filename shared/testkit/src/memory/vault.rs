//! A vault in memory.

use alfred_core::ports::{Vault, VaultError};
use async_trait::async_trait;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// Locked bytes in memory. Tests can break in.
#[derive(Debug, Default)]
pub struct MemoryVault {
    locked: Mutex<BTreeMap<String, Vec<u8>>>,
    loses_answer: AtomicBool,
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

    /// The next lock does its work, and its answer is lost.
    pub fn lose_answer(&self) {
        self.loses_answer.store(true, Ordering::SeqCst);
    }
}

#[async_trait]
impl Vault for MemoryVault {
    async fn lock(&self, name: &str, bytes: &[u8]) -> Result<(), VaultError> {
        let name = name.to_owned();
        let mut locked = self.locked.lock().unwrap();
        let there = locked.entry(name.clone());
        if there.or_insert_with(|| bytes.to_vec()) != bytes {
            return Err(VaultError::Taken { name });
        }
        if self.loses_answer.swap(false, Ordering::SeqCst) {
            let detail = "the answer was lost".into();
            return Err(VaultError::Unavailable { detail });
        }
        Ok(())
    }

    async fn read(&self, name: &str) -> Result<Option<Vec<u8>>, VaultError> {
        Ok(self.locked.lock().unwrap().get(name).cloned())
    }
}
