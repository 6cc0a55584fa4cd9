//! How an item lies in a table.
//!
//! | attribute | what |
//! |---|---|
//! | `pk`, `sk` | partition and range key |
//! | `_v` | version |
//! | `_c` | id of the commit that wrote it |
//! | `_x` | when it expires, seconds since 1970; the table's time to live |
//! | `_j` | as JSON text: fields that DynamoDB would refuse or change |
//! | any other | a field of the body; `__` before a name that could be one of these |

use alfred_core::ports::{Body, Item, Key, StoreError, Table};
use aws_sdk_dynamodb::types::AttributeValue;
use jiff::Timestamp;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::HashMap;
use uuid::Uuid;

use super::Result;

pub(super) const PARTITION: &str = "pk";
pub(super) const RANGE: &str = "sk";
pub(super) const VERSION: &str = "_v";
pub(super) const COMMIT: &str = "_c";
pub(super) const EXPIRES: &str = "_x";
const AS_JSON: &str = "_j";

const ESCAPE: &str = "__";
/// DynamoDB nests 32 levels deep; one is the item itself.
const MAX_DEPTH: usize = 30;
/// DynamoDB's numbers end at about 1e-130 and 1e126.
const SMALLEST: f64 = 1e-120;

pub(super) type Attributes = HashMap<String, AttributeValue>;

pub(super) struct Row<'a> {
    pub(super) key: &'a Key,
    pub(super) body: &'a Body,
    pub(super) version: u64,
    pub(super) commit: Uuid,
    pub(super) expires_at: Option<Timestamp>,
}

pub(super) fn number(n: impl ToString) -> AttributeValue {
    AttributeValue::N(n.to_string())
}

pub(super) fn text(text: impl Into<String>) -> AttributeValue {
    AttributeValue::S(text.into())
}

pub(super) fn commit_id(id: Uuid) -> AttributeValue {
    text(id.simple().to_string())
}

pub(super) fn key_attributes(key: &Key) -> Attributes {
    HashMap::from([
        (PARTITION.to_owned(), text(&key.partition)),
        (RANGE.to_owned(), text(&key.range)),
    ])
}

pub(super) fn attribute_name(field: &str) -> Cow<'_, str> {
    if field.is_empty() || field == PARTITION || field == RANGE || field.starts_with('_') {
        Cow::Owned(format!("{ESCAPE}{field}"))
    } else {
        Cow::Borrowed(field)
    }
}

fn field_name(attribute: &str) -> Option<&str> {
    let is_own = [PARTITION, RANGE, VERSION, COMMIT, EXPIRES, AS_JSON].contains(&attribute);
    let field = attribute.strip_prefix(ESCAPE);
    field.or((!is_own).then_some(attribute))
}

/// Whether DynamoDB gives back just what it got.
fn survives(value: &Value, depth: usize) -> bool {
    match value {
        Value::Null | Value::Bool(_) | Value::String(_) => true,
        Value::Number(number) => match number.as_f64() {
            // Whole floats would come back as integers.
            Some(float) if number.is_f64() => float.fract() != 0.0 && float.abs() > SMALLEST,
            _ => true,
        },
        Value::Array(items) => depth < MAX_DEPTH && items.iter().all(|v| survives(v, depth + 1)),
        Value::Object(fields) => {
            depth < MAX_DEPTH
                && fields
                    .iter()
                    .all(|(name, v)| !name.is_empty() && survives(v, depth + 1))
        }
    }
}

impl Row<'_> {
    pub(super) fn attributes(&self) -> Result<Attributes> {
        let refused = |error: &dyn std::fmt::Display| StoreError::Refused {
            reason: format!("the body of {:?} can't be stored: {error}", self.key),
        };
        let mut attributes = key_attributes(self.key);
        attributes.insert(VERSION.into(), number(self.version));
        attributes.insert(COMMIT.into(), commit_id(self.commit));
        if let Some(at) = self.expires_at {
            attributes.insert(EXPIRES.into(), number(at.as_second()));
        }
        let fields: Map<String, Value> = serde_json::from_str(self.body.as_str())
            .map_err(|_| refused(&"it is no JSON object"))?;
        let mut as_json = Map::new();
        for (field, value) in fields {
            if survives(&value, 1) {
                let value = serde_dynamo::to_attribute_value(value).map_err(|e| refused(&e))?;
                attributes.insert(attribute_name(&field).into_owned(), value);
            } else {
                as_json.insert(field, value);
            }
        }
        if !as_json.is_empty() {
            attributes.insert(AS_JSON.into(), text(Value::Object(as_json).to_string()));
        }
        Ok(attributes)
    }
}

pub(super) struct Header {
    pub(super) version: u64,
    pub(super) commit: Option<String>,
    expires: Option<i64>,
}

impl Header {
    pub(super) fn from_attributes(attributes: &Attributes) -> Option<Self> {
        Some(Self {
            version: as_number(attributes, VERSION)?,
            commit: as_text(attributes, COMMIT),
            expires: as_number(attributes, EXPIRES),
        })
    }

    pub(super) fn is_expired(&self, now: i64) -> bool {
        self.expires.is_some_and(|at| at <= now)
    }

    pub(super) fn is_by(&self, commit: Uuid) -> bool {
        self.commit.as_deref() == Some(commit.simple().to_string().as_str())
    }
}

fn as_number<T: std::str::FromStr>(attributes: &Attributes, name: &str) -> Option<T> {
    match attributes.get(name) {
        Some(AttributeValue::N(digits)) => digits.parse().ok(),
        _ => None,
    }
}

fn as_text(attributes: &Attributes, name: &str) -> Option<String> {
    match attributes.get(name) {
        Some(AttributeValue::S(text)) => Some(text.clone()),
        _ => None,
    }
}

pub(super) fn corrupt(table: Table, attributes: &Attributes, what: &str) -> StoreError {
    let partition = as_text(attributes, PARTITION).unwrap_or_default();
    let range = as_text(attributes, RANGE).unwrap_or_default();
    let detail = format!("{what} in {table:?} at {partition} / {range}");
    StoreError::Corrupt { detail }
}

/// Reads a row; `None` when it has expired.
pub(super) fn item(table: Table, attributes: Attributes, now: i64) -> Result<Option<Item>> {
    let header = Header::from_attributes(&attributes);
    let header = header.ok_or_else(|| corrupt(table, &attributes, "no version"))?;
    if header.is_expired(now) {
        return Ok(None);
    }
    let (Some(partition), Some(range)) =
        (as_text(&attributes, PARTITION), as_text(&attributes, RANGE))
    else {
        return Err(corrupt(table, &attributes, "no key"));
    };
    let expires_at = header.expires.map(Timestamp::from_second).transpose();
    let expires_at =
        expires_at.map_err(|_| corrupt(table, &attributes, "an expiry out of range"))?;
    let as_json = as_text(&attributes, AS_JSON);
    let body = match as_json.as_deref().map(serde_json::from_str) {
        Some(Err(_)) => Value::String(as_json.unwrap_or_default()),
        Some(Ok(fields)) => with_attributes(fields, attributes),
        None => with_attributes(Map::new(), attributes),
    };
    Ok(Some(Item {
        key: Key {
            table,
            partition,
            range,
        },
        version: header.version,
        body,
        expires_at,
    }))
}

/// The fields with those that are attributes of their own; a text where one of these is no JSON.
fn with_attributes(mut fields: Map<String, Value>, attributes: Attributes) -> Value {
    for (attribute, value) in attributes {
        let Some(field) = field_name(&attribute) else {
            continue;
        };
        let Ok(value) = serde_dynamo::from_attribute_value(value) else {
            return Value::String(Value::Object(fields).to_string());
        };
        fields.insert(field.to_owned(), value);
    }
    Value::Object(fields)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn there_and_back(body: &Value) -> (Attributes, Value) {
        let key = Key::state("p", "r");
        let row = Row {
            key: &key,
            body: &body.clone().into(),
            version: 3,
            commit: Uuid::from_u128(7),
            expires_at: Some(Timestamp::from_second(100).unwrap()),
        };
        let attributes = row.attributes().unwrap();
        let item = item(Table::State, attributes.clone(), 99).unwrap().unwrap();
        assert_eq!((item.key, item.version), (key.clone(), 3));
        assert_eq!(item.expires_at, row.expires_at);
        (attributes, item.body)
    }

    #[test]
    fn fields_are_attributes_and_reserved_names_are_escaped() {
        let body =
            json!({"n": 1, "pk": "mine", "_v": 9, "__x": true, "": null, "f": 0.5, "l": [1, "a"]});
        let (attributes, back) = there_and_back(&body);
        assert_eq!(back, body);
        assert_eq!(attributes["n"], number(1));
        assert_eq!(attributes["_v"], number(3));
        assert_eq!(attributes["__pk"], text("mine"));
        assert!(!attributes.contains_key(AS_JSON));
    }

    #[test]
    fn what_dynamodb_would_change_or_refuse_is_kept_as_json() {
        let mut deep = json!("bottom");
        for _ in 0..40 {
            deep = json!([deep]);
        }
        let body = json!({"whole": 1.0, "huge": 1e300, "tiny": 1e-200, "deep": deep, "unnamed": {"": 1}, "n": 2});
        let (attributes, back) = there_and_back(&body);
        assert_eq!(back, body);
        assert!(back["whole"].is_f64());
        assert_eq!(attributes["n"], number(2));
        for field in ["whole", "huge", "tiny", "deep", "unnamed"] {
            assert!(!attributes.contains_key(field), "{field}");
        }
    }

    #[test]
    fn a_body_that_was_cut_off_is_a_text_and_no_object() {
        let (mut attributes, _) = there_and_back(&json!({"whole": 1.0}));
        attributes.insert(AS_JSON.into(), text("{\"whole\":"));
        let item = item(Table::State, attributes, 99).unwrap().unwrap();
        assert_eq!((&item.body, item.version), (&json!("{\"whole\":"), 3));
        assert!(item.readable().is_err());
    }

    #[test]
    fn an_expired_row_is_no_item_and_a_foreign_one_is_corrupt() {
        let key = Key::state("p", "r");
        let row = Row {
            key: &key,
            body: &json!({}).into(),
            version: 1,
            commit: Uuid::nil(),
            expires_at: Some(Timestamp::from_second(100).unwrap()),
        };
        let attributes = row.attributes().unwrap();
        assert_eq!(item(Table::State, attributes, 100).unwrap(), None);
        let error = item(Table::State, key_attributes(&key), 0).unwrap_err();
        assert!(error.to_string().contains("p / r"), "{error}");
    }
}
