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

const SORTED: &[(&str, Whose)] = &[
    ("app_id", Nobody),
    ("assistant_thread", Unread),
    ("attachments", Unread),
    // Read only to detect quotations.
    ("blocks", Unread),
    ("bot_id", Nobody),
    ("bot_link", Unread),
    ("bot_profile", Unread),
    ("channel", Nobody),
    ("channel_type", Nobody),
    ("client_msg_id", Nobody),
    ("comment", Unread),
    ("deleted_ts", Nobody),
    ("display_as_bot", Nobody),
    ("edited", Nobody),
    ("event_ts", Nobody),
    ("file", Unread),
    ("files[].alt_txt", Unread),
    ("files[].cc", Unread),
    ("files[].channels", Nobody),
    ("files[].created", Nobody),
    ("files[].editable", Nobody),
    ("files[].external_type", Unread),
    ("files[].file_access", Nobody),
    ("files[].filetype", Unread),
    ("files[].from", Unread),
    ("files[].headers", Unread),
    ("files[].id", Nobody),
    ("files[].initial_comment", Unread),
    ("files[].is_external", Nobody),
    ("files[].is_public", Nobody),
    ("files[].mimetype", Others),
    ("files[].mode", Nobody),
    ("files[].name", Others),
    ("files[].permalink", Unread),
    ("files[].permalink_public", Unread),
    ("files[].plain_text", Unread),
    ("files[].pretty_type", Unread),
    ("files[].preview", Unread),
    ("files[].preview_highlight", Unread),
    ("files[].public_url_shared", Nobody),
    ("files[].shares", Unread),
    ("files[].simplified_html", Unread),
    ("files[].size", Nobody),
    ("files[].subject", Unread),
    ("files[].timestamp", Nobody),
    ("files[].title", Unread),
    ("files[].to", Unread),
    ("files[].transcription", Unread),
    ("files[].url_private", Unread),
    ("files[].url_private_download", Unread),
    ("files[].user", Nobody),
    ("files[].user_team", Nobody),
    ("files[].username", Unread),
    ("function_inputs", Unread),
    ("hidden", Nobody),
    ("icons", Unread),
    ("inviter", Nobody),
    ("is_locked", Nobody),
    ("is_starred", Nobody),
    ("item", Unread),
    ("item_type", Unread),
    ("language", Unread),
    ("last_read", Nobody),
    ("latest_reply", Nobody),
    ("members", Nobody),
    ("message", Unread),
    ("metadata", Unread),
    ("name", Unread),
    ("no_notifications", Nobody),
    ("old_name", Unread),
    ("parent_user_id", Nobody),
    ("permalink", Unread),
    ("pinned_to", Nobody),
    ("previous_message", Unread),
    ("purpose", Unread),
    ("reactions", Unread),
    ("replies", Unread),
    ("reply_count", Nobody),
    ("reply_users", Nobody),
    ("reply_users_count", Nobody),
    ("room", Unread),
    ("root", Unread),
    ("source_team", Nobody),
    ("subscribed", Nobody),
    ("subtype", Nobody),
    ("suppress_notification", Nobody),
    ("team", Nobody),
    // Names next to ids are removed. `quotes` marks quotations.
    ("text", Author),
    ("thread_ts", Nobody),
    ("topic", Unread),
    ("ts", Nobody),
    ("type", Nobody),
    ("unread_count", Nobody),
    ("upload", Nobody),
    ("user", Nobody),
    ("user_profile", Unread),
    ("user_team", Nobody),
    ("username", Unread),
    ("workflow_variables", Unread),
    ("x_files", Nobody),
];

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
    let found = SORTED.iter().find(|(name, _)| *name == row);
    found.unwrap_or_else(|| panic!("{row} isn't sorted")).1
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
    for row in &there {
        sorted(row);
    }
    let rows: Vec<&str> = SORTED.iter().map(|(name, _)| *name).collect();
    assert!(rows.is_sorted(), "in order, so that each is found");
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
        let message = message_of(&body);
        let in_text = message.text.contains("planted");
        let without = SlackMessage {
            text: String::new(),
            ..message
        };
        let beside = serde_json::to_string(&without).unwrap().contains("planted");
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
    body["event"]["blocks"][0]["elements"]
        .as_array_mut()
        .unwrap()
        .pop();
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
