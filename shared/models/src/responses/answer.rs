//! Assembles an answer (<https://platform.openai.com/docs/api-reference/responses-streaming>). The
//! answer consists of the finished items.

use alfred_core::model::Said;
use alfred_core::ports::{Finish, Usage};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::super::reading::{Incoming, Reader, Taken};
use super::super::refusal::Fault;

const MAX_ITEMS: usize = 1_000;
/// Fields of reasoning that may be sent back.
const KEPT: [&str; 3] = ["id", "summary", "encrypted_content"];

#[derive(Deserialize)]
#[serde(tag = "type")]
enum Event {
    #[serde(
        rename = "response.output_text.delta",
        alias = "response.refusal.delta"
    )]
    Text { delta: String },
    #[serde(rename = "response.output_item.done")]
    Done { item: Item },
    #[serde(
        rename = "response.completed",
        alias = "response.incomplete",
        alias = "response.failed"
    )]
    Ended { response: Whole },
    #[serde(rename = "error")]
    Error,
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Item {
    Message {
        #[serde(default)]
        content: Vec<Part>,
    },
    FunctionCall {
        #[serde(default)]
        call_id: String,
        name: String,
        #[serde(default)]
        arguments: String,
    },
    Reasoning(Map<String, Value>),
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Part {
    OutputText {
        text: String,
    },
    Refusal {
        refusal: String,
    },
    #[serde(other)]
    Other,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Whole {
    output: Vec<Item>,
    status: String,
    incomplete_details: Option<Incomplete>,
    error: Option<Value>,
    usage: Option<WireUsage>,
}

#[derive(Deserialize)]
struct Incomplete {
    reason: String,
}

#[derive(Deserialize)]
struct WireUsage {
    input_tokens: u64,
    output_tokens: u64,
    input_tokens_details: Option<Details>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Details {
    cached_tokens: u64,
}

#[derive(Default)]
pub(in super::super) struct Answer {
    items: Vec<Item>,
    /// Text of the item that isn't finished, to estimate what a cut answer cost.
    unfinished: String,
    ended: Option<Whole>,
}

impl Answer {
    fn end(&mut self, mut whole: Whole, reader: &Reader) -> Result<(), Fault> {
        if let Some(error) = whole.error.take() {
            return Err(reader.told(error.to_string().as_bytes()));
        }
        if whole.output.len() > self.items.len() {
            self.items = std::mem::take(&mut whole.output);
        }
        if self.items.len() > MAX_ITEMS {
            return Err(reader.unusable("too many items"));
        }
        self.unfinished.clear();
        self.ended = Some(whole);
        Ok(())
    }
}

impl Incoming for Answer {
    fn event(&mut self, data: &[u8], reader: &Reader) -> Result<Taken, Fault> {
        match reader.parse(data)? {
            Event::Text { delta } => self.unfinished.push_str(&delta),
            Event::Done { item } if self.items.len() < MAX_ITEMS => {
                self.unfinished.clear();
                self.items.push(item);
            }
            Event::Done { .. } => return Err(reader.unusable("too many items")),
            Event::Ended { response } => {
                return self.end(response, reader).map(|()| Taken::Last);
            }
            Event::Error => return Err(reader.told(data)),
            Event::Other => {}
        }
        Ok(Taken::Open)
    }

    fn whole(&mut self, object: &[u8], reader: &Reader) -> Result<(), Fault> {
        self.end(reader.parse(object)?, reader)
    }

    fn is_finished(&self) -> bool {
        self.ended.is_some()
    }
}

impl From<Answer> for Said {
    fn from(answer: Answer) -> Self {
        let mut said = Self::default();
        for item in answer.items {
            match item {
                // Nothing is stored at OpenAI, so reasoning without its content can't be referenced.
                Item::Reasoning(mut item) if item.contains_key("encrypted_content") => {
                    item.retain(|field, _| KEPT.contains(&&**field));
                    // Serde consumed the `type` tag.
                    item.insert("type".into(), "reasoning".into());
                    said.reasons(item.into());
                }
                Item::Message { content } => content.into_iter().for_each(|part| match part {
                    Part::OutputText { text } => said.says(&text),
                    Part::Refusal { refusal } => {
                        said.refused = true;
                        said.says(&refusal);
                    }
                    Part::Other => {}
                }),
                Item::FunctionCall {
                    call_id,
                    name,
                    arguments,
                } => said.calls(call_id, name, arguments),
                Item::Reasoning(_) | Item::Other => {}
            }
        }
        let whole = answer.ended.unwrap_or_default();
        let why = whole.incomplete_details.map(|it| it.reason);
        said.cut = match (whole.status.as_str(), why.as_deref()) {
            (_, Some("content_filter")) => Some(Finish::Filtered),
            ("incomplete", _) => Some(Finish::Length),
            _ => None,
        };
        said.usage = whole.usage.map(|usage| Usage {
            input_tokens: usage.input_tokens,
            cached_tokens: usage.input_tokens_details.unwrap_or_default().cached_tokens,
            output_tokens: usage.output_tokens,
            ..Usage::default()
        });
        said.says(&answer.unfinished);
        said
    }
}
