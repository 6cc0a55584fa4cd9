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

    pub fn byte_len(&self) -> usize {
        self.0.len()
    }

    /// Parses the body. If it is damaged or nested too deeply, its text becomes a JSON string.
    pub fn value(&self) -> Value {
        serde_json::from_str(&self.0).unwrap_or_else(|_| self.as_str().into())
    }
}

impl From<Value> for Body {
    fn from(value: Value) -> Self {
        Self(value.to_string())
    }
}
