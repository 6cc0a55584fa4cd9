//! A store wrapper that moves large bodies to blob storage, so that item size limits don't apply.

use async_trait::async_trait;
use serde_json::{Value, json};

use super::{
    BlobError, Blobs, Body, Commit, Item, Key, MAX_COMMIT_BYTES, MAX_WRITES, Op, Page, Query,
    Store, StoreError,
};
use crate::keys;

/// Bodies of at least this size are stored as blobs.
pub const SPILL_BYTES: usize = 256 * 1024;
const BLOB: &str = "$blob";

/// Scope prefix of the bodies of items that expire. On AWS, the bucket deletes only what is under it by age.
pub const EXPIRING: &str = "expiring";

/// The scope and digest of the blob that replaces a stored body, if it was moved.
pub fn spilled(partition: &str, stored: &Value) -> Option<(String, String)> {
    let digest = stored.get(BLOB)?.as_str()?.to_owned();
    Some((scope(partition, stored["expires"] == true), digest))
}

fn scope(partition: &str, expires: bool) -> String {
    let own = keys::blob_scope(partition);
    if expires {
        format!("{EXPIRING}/{own}")
    } else {
        own
    }
}

/// Writes large bodies to `Blobs` before the commit that refers to them, and loads them when items are read.
pub struct Spilling<S, B> {
    store: S,
    blobs: B,
}

impl<S: Store, B: Blobs> Spilling<S, B> {
    pub fn new(store: S, blobs: B) -> Self {
        Self { store, blobs }
    }

    async fn whole(&self, mut item: Item) -> Result<Item, StoreError> {
        let Some((scope, digest)) = spilled(&item.key.partition, &item.body) else {
            return Ok(item);
        };
        let bytes = self.blobs.get(&scope, &digest).await;
        let bytes = bytes.map_err(unavailable)?;
        // The parser's message could quote the body.
        item.body = serde_json::from_slice(&bytes).map_err(|_| StoreError::Corrupt {
            detail: format!("blob {digest}: no JSON"),
        })?;
        Ok(item)
    }
}

fn unavailable(error: BlobError) -> StoreError {
    match error {
        BlobError::Unavailable { detail } => StoreError::Unavailable { detail },
        BlobError::Denied { detail } => StoreError::Refused { reason: detail },
        BlobError::Missing { .. } => StoreError::Corrupt {
            detail: error.to_string(),
        },
    }
}

/// The bodies to move to blobs: every large one, then the largest until the commit is small enough.
fn to_spill(commit: &Commit) -> Vec<(usize, Body)> {
    let mut bodies = Vec::new();
    for (index, write) in commit.writes.iter().enumerate() {
        if let Op::Put { body, .. } = &write.op {
            bodies.push((body.byte_len(), index, body));
        }
    }
    bodies.sort_by_key(|(bytes, ..)| std::cmp::Reverse(*bytes));
    let mut total: usize = bodies.iter().map(|(bytes, ..)| bytes).sum();
    let mut spilled = Vec::new();
    for (bytes, index, body) in bodies {
        if bytes < SPILL_BYTES && total <= MAX_COMMIT_BYTES {
            break;
        }
        total -= bytes;
        spilled.push((index, body.clone()));
    }
    spilled
}

#[async_trait]
impl<S: Store, B: Blobs> Store for Spilling<S, B> {
    async fn get(&self, key: &Key) -> Result<Option<Item>, StoreError> {
        match self.store.get(key).await? {
            Some(item) => self.whole(item).await.map(Some),
            None => Ok(None),
        }
    }

    async fn query(&self, query: &Query) -> Result<Page, StoreError> {
        let mut page = self.store.query(query).await?;
        for item in &mut page.items {
            if item.body.get(BLOB).is_some() {
                match self.whole(item.clone()).await {
                    Ok(whole) => *item = whole,
                    Err(StoreError::Corrupt { .. }) => item.body = item.body.to_string().into(),
                    Err(other) => return Err(other),
                }
            }
        }
        Ok(page)
    }

    async fn commit(&self, commit: &Commit) -> Result<(), StoreError> {
        let spilled = if commit.writes.len() > MAX_WRITES {
            Vec::new()
        } else {
            to_spill(commit)
        };
        if spilled.is_empty() {
            return self.store.commit(commit).await;
        }
        let mut lighter = commit.clone();
        for (index, whole) in spilled {
            let Some(write) = lighter.writes.get_mut(index) else {
                continue;
            };
            if let Op::Put { body, expires_at } = &mut write.op {
                let expires = expires_at.is_some();
                let scope = scope(&write.key.partition, expires);
                let digest = self.blobs.put(&scope, whole.as_str().as_bytes()).await;
                let digest = digest.map_err(unavailable)?;
                *body =
                    json!({ BLOB: digest, "bytes": whole.byte_len(), "expires": expires }).into();
            }
        }
        self.store.commit(&lighter).await
    }
}
