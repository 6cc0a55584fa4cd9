use serde::Serialize;
use sha2::{Digest, Sha256};

/// SHA-256 as 64 lower-case hex digits.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// Canonical JSON (RFC 8785): sorted keys, no white space, ECMAScript numbers. Fails if the value can't be
/// written as JSON, such as a map with keys that aren't strings.
pub fn canonical_json<T: Serialize>(value: &T) -> Result<String, serde_json::Error> {
    serde_json_canonicalizer::to_string(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn canonical_json_ignores_key_order_and_number_spelling() {
        let a = canonical_json(&json!({"b": 1.0, "a": [1e2, "é"]})).unwrap();
        assert_eq!(a, "{\"a\":[100,\"é\"],\"b\":1}");
    }

    #[test]
    fn sha256_of_nothing_is_the_published_value() {
        assert_eq!(
            sha256_hex(b""),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        );
    }
}
