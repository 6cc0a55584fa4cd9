//! The list of tools, which is the same in turn after turn.

use alfred_core::ports::ToolSpec;
use std::sync::{Arc, Mutex, PoisonError};

/// Appends a field as it was written before, so that a list of tools isn't serialised for each turn.
pub(super) fn append(object: &mut Vec<u8>, field: &str, json: &[u8]) {
    object.pop();
    object.extend_from_slice(format!(",\"{field}\":").as_bytes());
    object.extend_from_slice(json);
    object.push(b'}');
}

type Cached = (Arc<[ToolSpec]>, Arc<[u8]>);

/// The last tool list as JSON. It holds the list too, so that its address can't be another's.
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
