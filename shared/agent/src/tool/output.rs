use alfred_core::ports::{Usage, Write};
use alfred_core::{ApprovalId, Failure, Source};
use alfred_timeline::Timeline;
use serde::Serialize;
use serde_json::{Map, Value};
use thiserror::Error;

use crate::model::{Flow, Receipt, Unclear, UndoCall, Verdict};
use crate::policy::tool_def::ToolDef;

#[derive(Clone, Debug, Default)]
pub struct ToolOutput {
    pub data: Map<String, Value>,
    pub action: Option<String>,
    /// Committed with the journal step, so that they happen exactly once.
    pub writes: Vec<Write>,
    /// Applied before the result is committed.
    pub choices: Vec<Choice>,
    pub options: Vec<String>,
    pub receipt: Option<Receipt>,
    pub flow: Option<Flow>,
    /// The reply lists those that the answer cites.
    pub sources: Vec<Source>,
    pub kind: Option<&'static str>,
    pub unclear: Option<Unclear>,
    /// Dropped if a later call changes something.
    pub picture: Option<Timeline>,
    pub usage: Usage,
}

impl ToolOutput {
    /// `Bug` if the value isn't a JSON object.
    pub fn data(value: &impl Serialize) -> Result<Self, ToolError> {
        match serde_json::to_value(value).map_err(Failure::bug)? {
            Value::Object(data) => Ok(Self {
                data,
                ..Self::default()
            }),
            other => Err(Failure::bug(format!("a tool gave {other} instead of an object")).into()),
        }
    }

    pub fn with_effect(mut self, what: String, writes: Vec<Write>) -> Self {
        self.writes = writes;
        self.with_receipt(Receipt {
            what,
            ..Receipt::default()
        })
    }

    pub fn at_place(mut self, place: impl Into<String>) -> Self {
        if let Some(receipt) = &mut self.receipt {
            receipt.place = place.into();
        }
        self
    }

    pub fn undone_by(mut self, tool: &str, arguments: impl IntoIterator<Item = Value>) -> Self {
        let calls = arguments.into_iter().map(|arguments| UndoCall {
            tool: tool.to_owned(),
            arguments,
            left: None,
        });
        if let Some(receipt) = &mut self.receipt {
            receipt.undo.extend(calls);
        }
        self
    }

    /// One state per undo call.
    pub fn leaving(mut self, left: impl IntoIterator<Item = Value>) -> Self {
        let calls = self.receipt.iter_mut().flat_map(|it| &mut it.undo);
        for (call, left) in calls.zip(left) {
            call.left = Some(left);
        }
        self
    }

    pub fn deciding(mut self, choice: Choice) -> Self {
        self.choices.push(choice);
        self
    }

    /// Buttons for the person. The model doesn't see these texts.
    pub fn offering(mut self, options: impl IntoIterator<Item = String>) -> Self {
        self.options = bounded(options);
        self
    }

    pub fn with_receipt(mut self, receipt: Receipt) -> Self {
        self.action = Some(receipt.what.clone());
        self.receipt = Some(receipt);
        self
    }

    pub fn picturing(mut self, timeline: Timeline) -> Self {
        self.picture = Some(timeline);
        self
    }

    pub fn citing(mut self, sources: Vec<Source>) -> Self {
        self.sources = sources;
        self
    }

    pub fn bringing(mut self, flow: Flow) -> Self {
        self.flow = Some(flow);
        self
    }
}

pub const MOST_OPTIONS: usize = 5;

fn bounded(options: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for (at, option) in options.into_iter().take(MOST_OPTIONS).enumerate() {
        let is_known = all.contains(&option);
        let numbered = || format!("{}. {option}", at + 1);
        all.push(if is_known { numbered() } else { option });
    }
    all
}

/// Why a call wasn't done, with advice for another try.
#[derive(Clone, Debug, Default, PartialEq, Error)]
#[error("{message}")]
pub struct Refusal {
    pub message: String,
    /// For the person, without tools and ids. `None` if `message` fits.
    pub say: Option<String>,
    pub data: Map<String, Value>,
    pub options: Vec<String>,
    /// By default the tool's flow, since the message may contain data.
    pub flow: Option<Flow>,
    pub kind: Option<&'static str>,
    /// The reason to show in the ledger, for a call that was checked but not run.
    pub unclear: Option<Unclear>,
}

impl Refusal {
    pub fn say(mut self, words: impl Into<String>) -> Self {
        self.say = Some(words.into());
        self
    }

    /// Sets the reason for the ledger, if none is set.
    pub(crate) fn unclear(mut self, reason: Unclear) -> Self {
        self.unclear.get_or_insert(reason);
        self
    }

    pub fn said(self) -> String {
        self.say.unwrap_or(self.message)
    }
}

impl<T: Into<String>> From<T> for Refusal {
    fn from(message: T) -> Self {
        Self {
            message: message.into(),
            ..Self::default()
        }
    }
}

#[derive(Debug, Error)]
pub enum ToolError {
    /// Nothing happened. The model gets the message and can try another way.
    #[error("{0}")]
    Failed(Refusal),
    /// The effect may have happened. It is looked up later, never blindly repeated.
    #[error("outcome unknown: {0}")]
    Unknown(String),
    #[error(transparent)]
    Stop(#[from] Failure),
}

impl ToolError {
    /// Changes the refusal. Other kinds of errors stay as they are.
    pub(crate) fn map(self, change: impl FnOnce(Refusal) -> Refusal) -> Self {
        match self {
            Self::Failed(refusal) => Self::Failed(change(refusal)),
            other => other,
        }
    }

    pub fn failed(message: impl Into<String>) -> Self {
        Self::Failed(message.into().into())
    }

    pub fn say(self, words: impl Into<String>) -> Self {
        self.map(|refusal| refusal.say(words))
    }

    /// For the model only; may name tools and arguments.
    pub fn hint(self, words: &str) -> Self {
        self.map(|mut refusal| {
            refusal.say.get_or_insert_with(|| refusal.message.clone());
            refusal.message = format!("{} {words}", refusal.message);
            refusal
        })
    }

    pub fn with(self, name: &str, value: Value) -> Self {
        self.map(|mut refusal| {
            refusal.data.insert(name.to_owned(), value);
            refusal
        })
    }

    pub fn offering(self, options: impl IntoIterator<Item = String>) -> Self {
        let options = bounded(options);
        self.map(|refusal| Refusal { options, ..refusal })
    }

    pub fn kind(self, kind: &'static str) -> Self {
        let kind = Some(kind);
        self.map(|refusal| Refusal { kind, ..refusal })
    }

    pub fn bringing(self, flow: Flow) -> Self {
        let flow = Some(flow);
        self.map(|refusal| Refusal { flow, ..refusal })
    }

    pub fn looked(self, def: &ToolDef) -> Self {
        self.map(|mut refusal| {
            refusal.flow.get_or_insert(def.flow);
            refusal
        })
    }
}

impl From<alfred_core::ports::StoreError> for ToolError {
    fn from(error: alfred_core::ports::StoreError) -> Self {
        Self::Stop(error.into())
    }
}

/// A tool never approves for the person; only the person's own call does.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    pub approval: ApprovalId,
    pub revision: u32,
    pub verdict: Verdict,
    pub arguments: Option<Value>,
    pub note: Option<String>,
}

#[derive(Debug)]
pub enum Resolution {
    Call(Value),
    /// Nothing to do; this is the result. Its writes only record that the person was informed.
    Nothing(Box<ToolOutput>),
}

#[derive(Debug)]
pub enum Settled {
    Done(Box<ToolOutput>),
    /// It can't happen any more, so it may be repeated.
    NotDone,
    Unknown,
}

#[derive(Clone, Copy, Debug)]
pub struct PartDone<'a> {
    pub tool: &'a str,
    pub ok: bool,
    pub output: &'a Value,
}

pub(crate) fn part_id(call: &str, number: usize) -> String {
    format!("{call}{SEPARATOR}{number}")
}

/// The id of the whole call, or the id itself if it is no part.
pub(crate) fn whole_of(id: &str) -> &str {
    id.split_once(SEPARATOR).map_or(id, |(whole, _)| whole)
}

pub(crate) fn is_part(id: &str) -> bool {
    id.contains(SEPARATOR)
}

/// Model-made call ids that contain it are replaced.
const SEPARATOR: char = '~';
