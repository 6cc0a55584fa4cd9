//! The serialised tool list, which is the same in every turn.

use alfred_core::ports::ToolSpec;
use std::sync::{Arc, Mutex, PoisonError};

/// Appends a field that is already serialised, so the tool list isn't serialised for each turn.
pub(super) fn append(object: &mut Vec<u8>, field: &str, json: &[u8]) {
    object.pop();
    object.extend_from_slice(format!(",\"{field}\":").as_bytes());
    object.extend_from_slice(json);
    object.push(b'}');
}

type Cached = (Arc<[ToolSpec]>, Arc<[u8]>);

/// The last tool list as JSON. It also owns the list, so no other list can have its address.
#[derive(Default)]
pub(super) struct ToolCache(Mutex<Option<Cached>>);

impl ToolCache {
    pub(super) fn json(
        &self,
        tools: &Arc<[ToolSpec]>,
        write: impl FnOnce(&[ToolSpec]) -> Result<Vec<u8>, serde_json::Error>,
    ) -> Result<Arc<[u8]>, serde_json::Error> {
        let mut cached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, json)) = cached.as_ref()
            && Arc::ptr_eq(known, tools)
        {
            return Ok(json.clone());
        }
        let json: Arc<[u8]> = write(tools)?.into();
        *cached = Some((tools.clone(), json.clone()));
        Ok(json)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tool_list_is_made_once_for_the_same_list() {
        let list = || -> Arc<[ToolSpec]> { Arc::new([]) };
        let cache = ToolCache::default();
        let (first, second) = (list(), list());
        let made = |list, bytes: &[u8]| cache.json(list, |_| Ok(bytes.to_vec())).unwrap();
        assert_eq!(*made(&first, b"a"), *b"a");
        assert_eq!(*made(&first, b"b"), *b"a");
        assert_eq!(*made(&second, b"b"), *b"b");
    }
}
