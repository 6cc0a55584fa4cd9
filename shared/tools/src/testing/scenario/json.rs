//! Arguments of commands as JSON, with shorthands for long texts and lists.

use serde_json::Value;

/// Parses JSON. In texts, `«x×500»` stands for 500 times `x`. In lists, `{"repeat": 3, "of": "p«n»"}` stands for
/// the items p0, p1 and p2.
pub(super) fn parse(text: &str) -> Value {
    let mut value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    expand(&mut value);
    value
}

/// Parses JSON, and returns what follows it after a `|`.
pub(super) fn split(text: &str) -> (Value, Option<&str>) {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let first = values.next().and_then(Result::ok);
    let mut value = first.unwrap_or_else(|| panic!("no JSON: {text}"));
    expand(&mut value);
    let rest = text[values.byte_offset()..].trim().strip_prefix('|');
    (value, rest.map(str::trim))
}

fn expand(value: &mut Value) {
    match value {
        Value::String(text) => *text = repeated(text),
        Value::Object(fields) => fields.values_mut().for_each(expand),
        Value::Array(items) => {
            *items = items.drain(..).flat_map(each).collect();
            items.iter_mut().for_each(expand);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn repeated(text: &str) -> String {
    let (Some(from), Some(to)) = (text.find('«'), text.find('»')) else {
        return text.to_owned();
    };
    let (what, times) = text[from + '«'.len_utf8()..to].split_once('×').unwrap();
    let what = what.repeat(times.parse().unwrap());
    let rest = repeated(&text[to + '»'.len_utf8()..]);
    format!("{}{what}{rest}", &text[..from])
}

fn each(item: Value) -> Vec<Value> {
    let Some(times) = item["repeat"].as_u64() else {
        return vec![item];
    };
    let text = item["of"].to_string();
    let nth = |n: u64| serde_json::from_str(&text.replace("«n»", &n.to_string())).unwrap();
    (0..times).map(nth).collect()
}

/// One line per field. Long lists of objects get a line per item, and long texts are shortened.
pub(super) fn shown(value: &Value) -> String {
    let Some(fields) = value.as_object() else {
        return plain(value);
    };
    let line = |(name, value): (&String, &Value)| {
        let whole = plain(value);
        match value {
            Value::Array(items) if whole.len() > 90 => {
                let items = items.iter().map(|item| format!("\n  - {}", plain(item)));
                format!("{name}:{}", items.collect::<String>())
            }
            Value::Object(_) if whole.len() > 90 => {
                format!("{name}:\n  {}", shown(value).replace('\n', "\n  "))
            }
            _ => format!("{name}: {whole}"),
        }
    };
    fields.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) if text.contains(['\n', '\r']) || text.is_empty() => json(value),
        Value::String(text) => short(text),
        other => json(other),
    }
}

fn json(value: &Value) -> String {
    let mut value = value.clone();
    shorten(&mut value);
    value.to_string()
}

fn shorten(value: &mut Value) {
    match value {
        Value::String(text) => *text = short(text),
        Value::Array(items) => items.iter_mut().for_each(shorten),
        Value::Object(fields) => fields.values_mut().for_each(shorten),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

pub(super) fn short(text: &str) -> String {
    let count = text.chars().count();
    if count <= 900 {
        return text.to_owned();
    }
    let head: String = text.chars().take(40).collect();
    let tail: String = text.chars().skip(count - 20).collect();
    format!("{head} [{count} characters] {tail}")
}
