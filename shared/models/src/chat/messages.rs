//! The messages of a request (<https://platform.openai.com/docs/api-reference/chat/create>).

use alfred_core::model::{given, sendable};
use alfred_core::ports::{InputFile, Message, ToolCall};
use serde::Serialize;
use serde::ser::{SerializeSeq, Serializer};
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::collections::HashMap;

use super::super::client::Target;
use super::super::variant::Echoes;

pub(super) struct Messages<'a> {
    list: &'a [Message],
    /// Instruction appended at the end.
    words: Option<String>,
    to: Target<'a>,
    /// Replacement ids by original call id.
    ids: HashMap<&'a str, String>,
}

impl<'a> Messages<'a> {
    pub(super) fn new(list: &'a [Message], words: Option<String>, to: Target<'a>) -> Self {
        let mut ids = HashMap::new();
        if to.variant.short_ids {
            for call in list.iter().flat_map(calls) {
                let next = ids.len();
                ids.entry(call.id.as_str())
                    .or_insert_with(|| format!("c{next:08}"));
            }
        }
        Self {
            list,
            words,
            to,
            ids,
        }
    }

    fn id(&'a self, id: &'a str) -> &'a str {
        self.ids.get(id).map_or(id, String::as_str)
    }

    fn wire(&'a self, message: &'a Message) -> WireMessage<'a> {
        match message {
            Message::System { text } => WireMessage::plain("system", text),
            Message::User { text } => WireMessage::plain("user", text),
            Message::Files { files } => WireMessage {
                content: Some(Content::Parts(files.iter().map(part).collect())),
                ..WireMessage::plain("user", "")
            },
            Message::Assistant { text, tool_calls } => WireMessage {
                content: (!text.is_empty() || tool_calls.is_empty()).then_some(Content::Text(text)),
                tool_calls: tool_calls.iter().map(|call| self.call(call)).collect(),
                echo: self.beside_message(tool_calls),
                ..WireMessage::plain("assistant", text)
            },
            Message::Tool { call_id, text } => WireMessage {
                tool_call_id: Some(self.id(call_id)),
                ..WireMessage::plain("tool", text)
            },
        }
    }

    fn call(&'a self, call: &'a ToolCall) -> WireCall<'a> {
        let given = given(call, self.to.provider, self.to.model).map(|echo| &echo.call);
        let unsigned = || {
            let mark = json!({"google": {"thought_signature": "skip_thought_signature_validator"}});
            ("extra_content".into(), mark)
        };
        WireCall {
            id: self.id(&call.id),
            r#type: "function",
            function: WireFunction {
                name: &call.name,
                arguments: sendable(&call.arguments),
            },
            echo: self.echo(given, Echoes::Signed, unsigned),
        }
    }

    fn beside_message(&self, calls: &'a [ToolCall]) -> Fields<'a> {
        let given =
            given(calls.first()?, self.to.provider, self.to.model).map(|echo| &echo.message);
        let empty = || ("reasoning_content".into(), "".into());
        self.echo(given, Echoes::Reasoned, empty)
    }

    /// The given fields, or a replacement if the endpoint requires some.
    fn echo(
        &self,
        given: Option<&'a Map<String, Value>>,
        missed: Echoes,
        instead: impl FnOnce() -> (String, Value),
    ) -> Fields<'a> {
        match given.filter(|fields| !fields.is_empty()) {
            _ if self.to.variant.echoes == Echoes::Never => None,
            Some(fields) => Some(Cow::Borrowed(fields)),
            None if self.to.variant.echoes == missed => {
                Some(Cow::Owned(Map::from_iter([instead()])))
            }
            None => None,
        }
    }
}

/// Extra fields of a message.
type Fields<'a> = Option<Cow<'a, Map<String, Value>>>;

fn calls(message: &Message) -> &[ToolCall] {
    match message {
        Message::Assistant { tool_calls, .. } => tool_calls,
        Message::System { .. }
        | Message::User { .. }
        | Message::Files { .. }
        | Message::Tool { .. } => &[],
    }
}

impl Serialize for Messages<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        for message in self.list {
            list.serialize_element(&self.wire(message))?;
        }
        if let Some(words) = &self.words {
            list.serialize_element(&WireMessage::plain("system", words))?;
        }
        list.end()
    }
}

/// A file as a message part (<https://platform.openai.com/docs/guides/pdf-files>).
fn part(file: &InputFile) -> Value {
    match file.is_image() {
        true => json!({"type": "image_url", "image_url": {"url": file.data_url()}}),
        false => {
            json!({"type": "file", "file": {"filename": file.name, "file_data": file.data_url()}})
        }
    }
}

/// Plain text isn't sent as parts, since not every endpoint accepts them.
#[derive(Serialize)]
#[serde(untagged)]
enum Content<'a> {
    Text(&'a str),
    Parts(Vec<Value>),
}

#[derive(Serialize)]
struct WireMessage<'a> {
    role: &'static str,
    /// Null for tool calls without text, as the reference requires.
    content: Option<Content<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<WireCall<'a>>,
    #[serde(flatten)]
    echo: Fields<'a>,
}

impl<'a> WireMessage<'a> {
    fn plain(role: &'static str, text: &'a str) -> Self {
        Self {
            role,
            content: Some(Content::Text(text)),
            tool_call_id: None,
            tool_calls: Vec::new(),
            echo: None,
        }
    }
}

#[derive(Serialize)]
struct WireCall<'a> {
    id: &'a str,
    r#type: &'static str,
    function: WireFunction<'a>,
    #[serde(flatten)]
    echo: Fields<'a>,
}

#[derive(Serialize)]
struct WireFunction<'a> {
    name: &'a str,
    arguments: Cow<'a, str>,
}
