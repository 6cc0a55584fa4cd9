//! Messages as resources and as RFC 5322 has them.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use mail_builder::MessageBuilder;
use mail_builder::headers::address::Address;
use mail_builder::headers::raw::Raw;
use mail_parser::MessageParser;
use serde_json::{Value, json};

use super::mail::merge;
use super::{ANA, each, recorded, text};

/// The resource of a mail that arrived.
pub fn read(raw: &str) -> Value {
    let parsed = MessageParser::default().parse(raw).unwrap();
    let people = |list: Option<&mail_parser::Address<'_>>| -> Vec<Value> {
        let all = list.into_iter().flat_map(mail_parser::Address::iter);
        let person = all.map(|one| {
            let address = one.address().unwrap_or_default();
            json!({"emailAddress": {"name": one.name().unwrap_or(address), "address": address}})
        });
        person.collect()
    };
    let words = parsed.body_text(0).unwrap_or_default();
    let headers = parsed.headers_raw();
    let headers = headers.map(|(name, value)| json!({"name": name, "value": value.trim()}));
    let mut message = recorded("message");
    let fields = json!({
        "isDraft": false,
        "from": people(parsed.from())[0],
        "toRecipients": people(parsed.to()),
        "replyTo": people(parsed.reply_to()),
        "subject": parsed.subject(),
        "body": {"contentType": "text", "content": words},
        "bodyPreview": words.chars().take(255).collect::<String>(),
        "hasAttachments": parsed.attachment_count() > 0,
        "internetMessageId": parsed.message_id().map(|id| format!("<{id}>")),
        "internetMessageHeaders": headers.collect::<Vec<_>>(),
    });
    merge(&mut message, &fields);
    message
}

fn header<'a>(message: &'a Value, name: &str) -> &'a str {
    let found = each(&message["internetMessageHeaders"]).find(|header| header["name"] == name);
    found.map_or("", |header| text(&header["value"]))
}

/// The draft of an answer as Exchange makes it: to whom it likes, in the thread of the mail.
pub fn reply(original: &Value, fields: &Value) -> Value {
    let id = original["internetMessageId"].as_str().unwrap();
    let thread = format!("{} {id}", header(original, "References"));
    let others = original["replyTo"]
        .as_array()
        .filter(|others| !others.is_empty());
    let mut reply = json!({
        "subject": format!("RE: {}", original["subject"]),
        "body": {"contentType": "text", "content": format!("\n____\n{}", original["body"])},
        "toRecipients": others.cloned().unwrap_or_else(|| vec![original["from"].clone()]),
        "internetMessageHeaders": [
            {"name": "In-Reply-To", "value": id},
            {"name": "References", "value": thread.trim()},
        ],
    });
    merge(&mut reply, fields);
    reply
}

/// What was written here, as it is sent.
pub fn written(message: &Value) -> String {
    let person = |one: &Value| {
        let [name, address] = ["name", "address"].map(|field| one["emailAddress"][field].as_str());
        Address::new_address(name.map(str::to_owned), address.unwrap().to_owned())
    };
    let people = |list: &str| Address::new_list(each(&message[list]).map(person).collect());
    let id = text(&message["internetMessageId"]);
    let mut built = MessageBuilder::new()
        .from(Address::new_address(None::<&str>, ANA))
        .to(people("toRecipients"))
        .subject(text(&message["subject"]))
        .message_id(id.trim_matches(['<', '>']))
        .text_body(text(&message["body"]["content"]));
    if message["ccRecipients"] != json!([]) {
        built = built.cc(people("ccRecipients"));
    }
    for name in ["In-Reply-To", "References"] {
        let value = header(message, name);
        if !value.is_empty() {
            built = built.header(name, Raw::new(value.to_owned()));
        }
    }
    for file in each(&message["attachments"]) {
        let content = BASE64_STANDARD.decode(text(&file["contentBytes"])).unwrap();
        built = built.attachment(text(&file["contentType"]), text(&file["name"]), content);
    }
    built.write_to_string().unwrap()
}
