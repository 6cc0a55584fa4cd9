use alfred_core::digest::sha256_hex;
use alfred_core::ports::{Key, Store, StoreError, Write};
use alfred_core::{Result, keys};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use std::sync::Arc;

use crate::model::Run;
use crate::store::ports::Ports;

/// In base64.
pub(crate) async fn kept(store: &dyn Store, key: &Key) -> Result<Option<Arc<str>>, StoreError> {
    let row = store.get(key).await?;
    Ok(row.and_then(|row| row.body["base64"].as_str().map(Arc::from)))
}

pub(crate) async fn content(store: &dyn Store, key: &Key) -> Result<Option<Vec<u8>>, StoreError> {
    let kept = kept(store, key).await?;
    Ok(kept.and_then(|kept| STANDARD.decode(&*kept).ok()))
}

pub fn row(
    ports: &Ports,
    since: Timestamp,
    bytes: &[u8],
    key: impl FnOnce(&str) -> Key,
) -> (Write, String) {
    let digest = sha256_hex(bytes);
    let retention = SignedDuration::from_hours(24 * ports.config.retention_days);
    let row = Write::create(key(&digest), json!({ "base64": STANDARD.encode(bytes) }));
    (row.kept(since, retention), digest)
}

pub(crate) fn key(run: &Run, digest: &str) -> Key {
    keys::attached(&run.team, &run.user, &run.id, digest)
}

/// Stores a content before the step that refers to it. Repeating it is harmless.
pub(crate) async fn keep(ports: &Ports, run: &Run, bytes: &[u8]) -> Result<String> {
    let (row, digest) = row(ports, run.created_at, bytes, |digest| key(run, digest));
    ports.commit_once(vec![row]).await?;
    Ok(digest)
}
