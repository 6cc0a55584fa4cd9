//! Converts values to and from item bodies, with a version check.

use alfred_core::ports::{Body, Item, Key, Query, Range, Store, StoreError};
use alfred_core::{Failure, Result};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::model::ROW_VERSION;

pub fn body<T: serde::Serialize>(value: &T) -> Result<Body> {
    Body::new(value).map_err(Failure::bug)
}

/// Parses a stored body. `Retry` for one of a newer release, `Bug` if it can't be parsed.
pub fn read<T: DeserializeOwned>(body: Value) -> Result<T> {
    let version = body.get("v").and_then(Value::as_u64).unwrap_or(0);
    if version > u64::from(ROW_VERSION) {
        return Err(Failure::retry(format!(
            "stored by a newer release: version {version}, this one reads up to {ROW_VERSION}"
        )));
    }
    if !body.is_object() {
        // The parser's own message would quote the stored text.
        return Err(Failure::bug("unreadable row: no JSON object"));
    }
    serde_json::from_value(body).map_err(|error| Failure::bug(format!("unreadable row: {error}")))
}

/// Reads an item even if its body is corrupt, since overwriting it needs its version.
pub async fn stored(store: &dyn Store, key: &Key) -> Result<Option<Item>, StoreError> {
    match store.get(key).await {
        Err(StoreError::Corrupt { .. }) => {}
        outcome => return outcome,
    }
    let only = Range::Between(key.range.clone(), key.range.clone());
    let mut query = Query::state(key.partition.clone(), only);
    query.table = key.table;
    Ok(store.query(&query).await?.items.pop())
}
