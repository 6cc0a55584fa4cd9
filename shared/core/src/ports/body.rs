use serde::Serialize;
use serde_json::Value;

/// The body of an item to write: compact JSON.
#[derive(Clone, Debug, PartialEq)]
pub struct Body(String);

impl Body {
    pub fn new(value: &impl Serialize) -> serde_json::Result<Self> {
        serde_json::to_string(value).map(Self)
    }

    pub fn is_object(&self) -> bool {
        self.0.starts_with('{')
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The length in bytes.
    #[expect(clippy::len_without_is_empty, reason = "JSON is never empty")]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn value(&self) -> Value {
        serde_json::from_str(&self.0).unwrap_or_default()
    }
}

impl From<Value> for Body {
    fn from(value: Value) -> Self {
        Self(value.to_string())
    }
}
