use serde_json::Value;

/// The length in bytes of a value's compact JSON, without writing it: every commit measures all its bodies.
pub fn json_len(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(true) => 4,
        Value::Bool(false) => 5,
        Value::Number(number) => number.to_string().len(),
        Value::String(text) => text_len(text),
        Value::Array(items) => {
            let items = items.iter().map(|item| json_len(item) + 1);
            (1 + items.sum::<usize>()).max(2)
        }
        Value::Object(fields) => {
            let fields = fields.iter();
            let fields = fields.map(|(name, value)| text_len(name) + json_len(value) + 2);
            (1 + fields.sum::<usize>()).max(2)
        }
    }
}

fn text_len(text: &str) -> usize {
    let needs_escape = |byte: u8| byte < 32 || byte == b'"' || byte == b'\\';
    // Without an early return the compiler checks many bytes at once.
    if !text
        .bytes()
        .fold(false, |any, byte| any | needs_escape(byte))
    {
        return 2 + text.len();
    }
    let escaped = text.bytes().map(|byte| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 8 | 12 => 2,
        0..32 => 6,
        _ => 1,
    });
    2 + escaped.sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn length_is_that_of_the_written_json() {
        let every: String = (0..=0x7f_u8)
            .map(char::from)
            .chain("é→😀".chars())
            .collect();
        let numbers = json!([0, -1, u64::MAX, i64::MIN, 0.5, 1e300, -5e-324, 2.0]);
        for value in [
            json!({"a": [], "b": {}, "c": [1, [true, false, null]], &every: &every}),
            numbers,
            json!([]),
            json!({}),
            json!(""),
        ] {
            assert_eq!(json_len(&value), value.to_string().len(), "{value}");
        }
    }
}
