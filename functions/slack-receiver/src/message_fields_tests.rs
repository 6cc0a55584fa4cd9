//! Who wrote each field of Slack's message event, and which fields reach the envelope.

use super::*;
use Whose::{Author, Nobody, Others, Unread};
use serde::de::value::Error;
use serde::de::{self, Visitor};
use serde::forward_to_deserialize_any;
use std::collections::BTreeSet;

const EVERY_FIELD: &str = include_str!("../../../events/slack-message.every-field.json");

#[derive(Clone, Copy, Debug, PartialEq)]
enum Whose {
    Author,
    /// Written by others and shown to the model, so the run starts tainted.
    Others,
    /// Possibly anybody's words. Never read, so they taint nothing.
    Unread,
    Nobody,
}

/// The fields of the event by who wrote them: those of an author, of others, those that are unread, and nobody's. Names
/// next to ids are removed from the text. `blocks` are read only to detect quotations, which `quotes` marks.
fn groups() -> impl Iterator<Item = (Whose, &'static str)> {
    let groups = include_str!("message_fields.txt").lines();
    [Author, Others, Unread, Nobody].into_iter().zip(groups)
}

fn fixture() -> Value {
    serde_json::from_str(EVERY_FIELD).unwrap()
}

fn row(pointer: &str) -> String {
    let mut parts = pointer.split('/').skip(1);
    let field = parts.next().unwrap_or_default();
    match (field, parts.nth(1)) {
        ("files", Some(of_file)) => format!("files[].{of_file}"),
        _ => field.to_owned(),
    }
}

fn sorted(row: &str) -> Whose {
    let found = groups().find(|(_, fields)| fields.split(' ').any(|field| field == row));
    found.unwrap_or_else(|| panic!("{row} isn't sorted")).0
}

fn leaves(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            let parts = fields.iter();
            parts.for_each(|(name, part)| leaves(part, &format!("{at}/{name}"), found));
        }
        Value::Array(parts) if !parts.is_empty() => {
            let parts = parts.iter().enumerate();
            parts.for_each(|(index, part)| leaves(part, &format!("{at}/{index}"), found));
        }
        _ => found.push(at.to_owned()),
    }
}

fn message_of(body: &Value) -> SlackMessage {
    match parse(body.to_string().as_bytes()) {
        Ok(Event::Incoming(incoming)) => match incoming.payload {
            Payload::Message(message) => message,
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_field_of_slacks_message_is_sorted_once() {
    let mut all = Vec::new();
    leaves(&fixture()["event"], "", &mut all);
    let there: BTreeSet<String> = all.iter().map(|pointer| row(pointer)).collect();
    let rows = groups().flat_map(|(_, fields)| fields.split(' '));
    let rows: Vec<&str> = rows.collect();
    let listed: BTreeSet<String> = rows.iter().map(|&row| row.to_owned()).collect();
    assert_eq!((listed.len(), &listed), (rows.len(), &there));
}

#[test]
fn nothing_gets_into_the_envelope_but_as_it_is_sorted() {
    let mut all = Vec::new();
    leaves(&fixture()["event"], "", &mut all);
    let (mut tried, mut told) = (0, Vec::new());
    for pointer in all {
        let mut body = fixture();
        let leaf = body["event"].pointer_mut(&pointer).unwrap();
        let whose = sorted(&row(&pointer));
        if !leaf.is_string() || whose == Nobody {
            continue;
        }
        *leaf = "planted words".into();
        let mut message = message_of(&body);
        let in_text = message.text.contains("planted");
        message.text.clear();
        let beside = serde_json::to_string(&message).unwrap().contains("planted");
        let expected = (whose == Author, whose == Others);
        assert_eq!((in_text, beside), expected, "{pointer}");
        if in_text || beside {
            told.push(pointer);
        }
        tried += 1;
    }
    assert!(tried > 60, "{tried}");
    assert_eq!(told, ["/files/0/mimetype", "/files/0/name", "/text"]);
}

#[test]
fn a_quotation_is_told_of() {
    let mut body = fixture();
    assert!(message_of(&body).quotes);
    let elements = body["event"]["blocks"][0]["elements"].as_array_mut();
    elements.unwrap().pop();
    assert!(!message_of(&body).quotes);
}

#[test]
fn every_field_that_is_read_is_sorted() {
    for field in fields_of::<MessageEvent>() {
        match field {
            "files" | "blocks" => {}
            read => assert_ne!(sorted(read), Unread, "{read}"),
        }
    }
    for field in fields_of::<FileObject>() {
        assert_ne!(sorted(&format!("files[].{field}")), Unread, "{field}");
    }
}

fn fields_of<T: for<'de> Deserialize<'de>>() -> Vec<&'static str> {
    let mut names = Vec::new();
    // `Names` fails after it has recorded the fields.
    assert!(T::deserialize(Names(&mut names)).is_err());
    assert!(!names.is_empty());
    names
}

struct Names<'a>(&'a mut Vec<&'static str>);

impl<'de> de::Deserializer<'de> for Names<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(de::Error::custom("no struct"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Error> {
        self.0.extend(fields);
        Err(de::Error::custom("named"))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}
