//! Values as bodies of items, and back, with their version checked.

use alfred_core::Failure;
use alfred_core::ports::{Item, Key, Query, Range, Store, StoreError};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The version of rows and steps that this release writes.
pub const ROW_VERSION: u8 = 1;

/// A value as the body of an item.
///
/// # Errors
/// `Bug` when it can't be written as JSON.
pub fn body<T: serde::Serialize>(value: &T) -> Result<Value, Failure> {
    serde_json::to_value(value).map_err(Failure::bug)
}

/// Reads a stored body. One of a newer release is left to that release.
///
/// # Errors
/// `Retry` for a newer version, `Bug` for what can't be read.
pub fn read<T: DeserializeOwned>(body: Value) -> Result<T, Failure> {
    let version = body.get("v").and_then(Value::as_u64).unwrap_or(0);
    if version > u64::from(ROW_VERSION) {
        return Err(Failure::retry(format!(
            "stored by a newer release: version {version}, this one reads up to {ROW_VERSION}"
        )));
    }
    if !body.is_object() {
        // The parser's message would quote it.
        return Err(Failure::bug("unreadable row: no JSON object"));
    }
    serde_json::from_value(body).map_err(|error| Failure::bug(format!("unreadable row: {error}")))
}

/// One item, also if its body can't be read: its version is what a write over it needs.
///
/// # Errors
/// When the store doesn't answer.
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
