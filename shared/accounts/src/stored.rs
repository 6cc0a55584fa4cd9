//! Rows of the store with their versions.

use alfred_core::ports::{Key, Store, StoreError};
use serde::de::DeserializeOwned;

/// A row and its version, which is 0 if there is none. `what` names the row in errors.
pub async fn stored<T: DeserializeOwned>(
    store: &dyn Store,
    key: &Key,
    what: &str,
) -> Result<(Option<T>, u64), StoreError> {
    let Some(item) = store.get(key).await? else {
        return Ok((None, 0));
    };
    let version = item.version;
    Ok((Some(item.decode(what)?), version))
}
