//! The output of a tool: data, receipt and writes, or an error.

use alfred_core::ports::Write;
use alfred_core::{ApprovalId, Failure, Source};
use alfred_timeline::Timeline;
use serde::Serialize;
use serde_json::{Map, Value};
use thiserror::Error;

use crate::model::approval::Verdict;
use crate::model::effect::{Flow, Receipt, UndoCall};
use crate::policy::tool_def::ToolDef;
use crate::tool::Refusal;

#[derive(Clone, Debug, Default)]
pub struct ToolOutput {
    /// The result's data; the field `success` is added later.
    pub data: Map<String, Value>,
    /// The effect in the past tense: "Created task \"Call Ana\"".
    pub action: Option<String>,
    /// Writes to commit together with the journal step, so that they happen exactly once.
    pub writes: Vec<Write>,
    /// Decisions about the person's approvals, applied before the result is committed.
    pub choices: Vec<Choice>,
    /// Choices for the person, in the order of the model's list.
    pub options: Vec<String>,
    pub receipt: Option<Receipt>,
    /// The flow of this result, if more precise than the tool's.
    pub flow: Option<Flow>,
    /// Web pages in the result. The reply lists those that the answer cites.
    pub sources: Vec<Source>,
    /// The kind of a failure, for the audit.
    pub kind: Option<&'static str>,
    /// A calendar picture for the reply. Dropped if a later call changes something.
    pub picture: Option<Timeline>,
}

impl ToolOutput {
    /// Data without an effect. Fails with `Bug` if the value isn't a JSON object.
    pub fn data(value: &impl Serialize) -> Result<Self, ToolError> {
        match serde_json::to_value(value) {
            Ok(Value::Object(data)) => Ok(Self {
                data,
                ..Self::default()
            }),
            Ok(other) => Err(ToolError::Stop(Failure::bug(format!(
                "a tool gave {other} instead of an object"
            )))),
            Err(error) => Err(ToolError::Stop(Failure::bug(error))),
        }
    }

    /// Adds an effect: its description and its writes.
    pub fn with_effect(mut self, action: String, writes: Vec<Write>) -> Self {
        self.receipt = Some(Receipt {
            what: action.clone(),
            ..Receipt::default()
        });
        self.action = Some(action);
        self.writes = writes;
        self
    }

    /// Adds where the effect can be seen.
    pub fn at_place(mut self, place: impl Into<String>) -> Self {
        if let Some(receipt) = &mut self.receipt {
            receipt.place = place.into();
        }
        self
    }

    /// Adds the undo calls, all of one tool.
    pub fn undone_by(
        mut self,
        tool: &'static str,
        arguments: impl IntoIterator<Item = Value>,
    ) -> Self {
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

    /// Adds the state that the effect left, one value per undo call.
    pub fn leaving(mut self, left: impl IntoIterator<Item = Value>) -> Self {
        let receipts = self.receipt.iter_mut();
        let calls = receipts.flat_map(|receipt| &mut receipt.undo);
        for (call, left) in calls.zip(left) {
            call.left = Some(left);
        }
        self
    }

    pub fn deciding(mut self, choice: Choice) -> Self {
        self.choices.push(choice);
        self
    }

    /// Adds choices for the person, as buttons. The model doesn't see these texts.
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

/// Maximum choices of a result. The person can also answer in words.
pub const MOST_OPTIONS: usize = 5;

/// At most `MOST_OPTIONS` choices. Duplicates get a number in front.
fn bounded(options: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for (at, option) in options.into_iter().take(MOST_OPTIONS).enumerate() {
        all.push(match all.contains(&option) {
            true => format!("{}. {option}", at + 1),
            false => option,
        });
    }
    all
}

#[derive(Debug, Error)]
pub enum ToolError {
    /// Nothing happened. The model gets the message and can try another way; a bad argument is named.
    #[error("{0}")]
    Failed(Refusal),
    /// No answer came, so the effect may have happened. It is looked up later, never blindly repeated.
    #[error("outcome unknown: {0}")]
    Unknown(String),
    /// Nothing happened, and the run stops: the store failed, or there is a bug.
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

    /// An error that the model or the person can act on.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::Failed(Refusal::from(message.into()))
    }

    pub fn say(self, words: impl Into<String>) -> Self {
        self.map(|refusal| refusal.say(words))
    }

    /// Adds advice for the model only, which may name tools and arguments.
    pub fn hint(self, words: &str) -> Self {
        self.map(|mut refusal| {
            refusal.say.get_or_insert_with(|| refusal.message.clone());
            refusal.message.push(' ');
            refusal.message.push_str(words);
            refusal
        })
    }

    /// Adds a data field. Ignored for other kinds of errors.
    pub fn with(self, name: &str, value: Value) -> Self {
        self.map(|mut refusal| {
            refusal.data.insert(name.to_owned(), value);
            refusal
        })
    }

    /// Adds choices for the person, as buttons, in the order of the error's list. The model doesn't
    /// see these texts.
    pub fn offering(self, options: impl IntoIterator<Item = String>) -> Self {
        let options = bounded(options);
        self.map(|refusal| Refusal { options, ..refusal })
    }

    /// Sets the kind of failure for the audit.
    pub fn kind(self, kind: &'static str) -> Self {
        let kind = Some(kind);
        self.map(|refusal| Refusal { kind, ..refusal })
    }

    pub fn bringing(self, flow: Flow) -> Self {
        let flow = Some(flow);
        self.map(|refusal| Refusal { flow, ..refusal })
    }

    /// Sets the tool's flow, for an error that may contain stored data.
    pub fn looked(self, def: &ToolDef) -> Self {
        self.map(|refusal| refusal.looked(def))
    }
}

impl From<alfred_core::ports::StoreError> for ToolError {
    fn from(error: alfred_core::ports::StoreError) -> Self {
        Self::Stop(error.into())
    }
}

/// A decision about a pending approval. A tool never approves for the person; only the person's own
/// call does.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    pub approval: ApprovalId,
    /// The revision the person saw.
    pub revision: u32,
    pub verdict: Verdict,
    /// The edited arguments, with `Verdict::Edit`.
    pub arguments: Option<Value>,
    pub note: Option<String>,
}

#[derive(Debug)]
pub enum Resolution {
    Call(Value),
    /// Nothing to do; this is the result. Its writes only record that the person was informed.
    Nothing(Box<ToolOutput>),
}

/// The provider's state of an effect without a recorded result.
#[derive(Debug)]
pub enum Settled {
    /// It happened, with this output.
    Done(Box<ToolOutput>),
    /// It didn't happen and can't happen any more, so it may be repeated.
    NotDone,
    /// It can't be found out; the owner is asked.
    Unknown,
}
