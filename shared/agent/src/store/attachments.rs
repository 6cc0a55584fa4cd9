//! The contents of files, stored with a run.

use alfred_core::digest::sha256_hex;
use alfred_core::ports::{Key, Store, StoreError, Write};
use alfred_core::{Failure, RunId, TeamId, UserId, keys};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use std::sync::Arc;

use crate::model::run::Run;
use crate::store::ports::Ports;

/// A run and its owner.
#[derive(Clone, Copy, Debug)]
pub struct RunOf<'a> {
    pub team: &'a TeamId,
    pub user: &'a UserId,
    pub run: &'a RunId,
}

impl<'a> From<&'a Run> for RunOf<'a> {
    fn from(run: &'a Run) -> Self {
        Self {
            team: &run.team,
            user: &run.user,
            run: &run.id,
        }
    }
}

impl RunOf<'_> {
    fn key(self, digest: &str) -> Key {
        keys::attached(self.team, self.user, self.run, digest)
    }
}

/// A content stored with a run, in base64.
pub(crate) async fn kept(
    store: &dyn Store,
    of: RunOf<'_>,
    digest: &str,
) -> Result<Option<Arc<str>>, StoreError> {
    let row = store.get(&of.key(digest)).await?;
    Ok(row.and_then(|row| row.body["base64"].as_str().map(Arc::from)))
}

/// Like [`kept`], decoded.
pub(crate) async fn content(
    store: &dyn Store,
    of: RunOf<'_>,
    digest: &str,
) -> Result<Option<Vec<u8>>, StoreError> {
    let kept = kept(store, of, digest).await?;
    Ok(kept.and_then(|kept| STANDARD.decode(&*kept).ok()))
}

/// The write that stores a content with a run, and its digest.
pub fn row(ports: &Ports, of: RunOf<'_>, since: Timestamp, bytes: &[u8]) -> (Write, String) {
    let digest = sha256_hex(bytes);
    let key = of.key(&digest);
    let retention = SignedDuration::from_hours(24 * ports.config.retention_days);
    let row = Write::create(key, json!({ "base64": STANDARD.encode(bytes) }));
    (row.kept(since, retention), digest)
}

/// Stores a content with a run, before the step that refers to it. Repeating it is harmless.
pub(crate) async fn keep(ports: &Ports, run: &Run, bytes: &[u8]) -> Result<String, Failure> {
    let (row, digest) = row(ports, run.into(), run.created_at, bytes);
    ports.commit_once(vec![row]).await?;
    Ok(digest)
}
