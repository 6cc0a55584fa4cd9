use serde_json::{Deserializer, Value};

/// Opening and closing quotes. Slack's clients turn straight quotes into curly ones.
const QUOTES: [(char, &[char]); 4] = [
    ('"', &['"']),
    ('\'', &['\'']),
    ('“', &['”', '“']),
    ('‘', &['’']),
];

pub struct Pairs<'a>(pub &'a str);

impl<'a> Iterator for Pairs<'a> {
    type Item = Result<(&'a str, Written<'a>), &'a str>;

    fn next(&mut self) -> Option<Self::Item> {
        let text = self.0.trim_start();
        if text.is_empty() {
            return None;
        }
        let word = text.split(char::is_whitespace).next().unwrap_or(text);
        let Some((field, _)) = word.split_once('=').filter(|(field, _)| !field.is_empty()) else {
            self.0 = &text[word.len()..];
            return Some(Err(word));
        };
        let (value, rest) = Written::first(&text[field.len() + 1..]);
        self.0 = rest;
        Some(Ok((field, value)))
    }
}

pub enum Written<'a> {
    Text(&'a str),
    Json(Value),
}

impl<'a> Written<'a> {
    fn first(text: &'a str) -> (Self, &'a str) {
        if text.starts_with(['[', '{']) {
            let mut values = Deserializer::from_str(text).into_iter::<Value>();
            if let Some(Ok(value)) = values.next() {
                return (Self::Json(value), &text[values.byte_offset()..]);
            }
        }
        let quoted = QUOTES.iter().find_map(|(open, close)| {
            let inner = text.strip_prefix(*open)?;
            // A quote only closes the value if whitespace or the end follows.
            inner.match_indices(*close).find_map(|(at, close)| {
                let rest = &inner[at + close.len()..];
                let ends = rest.is_empty() || rest.starts_with(char::is_whitespace);
                ends.then(|| (Self::Text(&inner[..at]), rest))
            })
        });
        quoted.unwrap_or_else(|| {
            let word = text.split(char::is_whitespace).next().unwrap_or(text);
            (Self::Text(word), &text[word.len()..])
        })
    }

    /// Text that doesn't fit the schema stays text, so the schema check can report it.
    pub fn typed(self, schema: &Value) -> Value {
        match self {
            Self::Json(value) => value,
            Self::Text(text) => typed(text, schema),
        }
    }
}

fn typed(text: &str, schema: &Value) -> Value {
    let wants = types(schema);
    let as_text = || Value::from(text);
    if wants.contains(&"string") {
        return as_text();
    }
    let items = || {
        let items = &schema["items"];
        let parts = text.split(',').map(str::trim);
        Value::Array(parts.map(|part| typed(part, items)).collect())
    };
    let found = wants.iter().find_map(|wanted| match *wanted {
        "integer" => text.parse::<i64>().ok().map(Value::from),
        "number" => text.parse::<f64>().ok().map(Value::from),
        "boolean" => match text.to_lowercase().as_str() {
            "true" | "yes" => Some(true.into()),
            "false" | "no" => Some(false.into()),
            _ => None,
        },
        "array" => Some(items()),
        _ => None,
    });
    found.unwrap_or_else(as_text)
}

fn types(schema: &Value) -> Vec<&str> {
    let own = match &schema["type"] {
        Value::String(one) => vec![one.as_str()],
        Value::Array(all) => all.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let branches = schema["anyOf"].as_array().into_iter().flatten();
    own.into_iter().chain(branches.flat_map(types)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn pairs(text: &str) -> Vec<(String, Value)> {
        let string = json!({"type": "string"});
        let pairs = Pairs(text).map(Result::unwrap);
        let pairs = pairs.map(|(field, value)| (field.to_owned(), value.typed(&string)));
        pairs.collect()
    }

    #[test]
    fn quotes_of_all_sorts_hold_words_together() {
        let read = pairs("a=\"b c\" d=“e f” g='it's' h=i=j k=\"l m=\"n");
        let expected = [
            ("a", json!("b c")),
            ("d", json!("e f")),
            ("g", json!("it's")),
            ("h", json!("i=j")),
        ];
        for (pair, (field, value)) in read.iter().zip(expected) {
            assert_eq!((pair.0.as_str(), &pair.1), (field, &value));
        }
        assert_eq!(pairs("list=[\"a b\", 2] n=1")[0].1, json!(["a b", 2]));
    }

    #[test]
    fn each_type_is_read_and_what_does_not_fit_stays_text() {
        let typed = |text, schema: Value| typed(text, &schema);
        assert_eq!(typed("30", json!({"type": ["integer", "null"]})), json!(30));
        assert_eq!(typed("1.5", json!({"type": "number"})), json!(1.5));
        assert_eq!(typed("yes", json!({"type": "boolean"})), json!(true));
        assert_eq!(typed("maybe", json!({"type": "boolean"})), json!("maybe"));
        let list = json!({"type": "array", "items": {"type": "integer"}});
        assert_eq!(typed("1, 2", list), json!([1, 2]));
        let either = json!({"anyOf": [{"type": "integer"}, {"type": "null"}]});
        assert_eq!(typed("7", either), json!(7));
        assert_eq!(typed("7", Value::Null), json!("7"));
    }
}
