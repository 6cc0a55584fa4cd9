//! What a tool gives back: data, a receipt, writes; or why it gave nothing.

use alfred_core::ports::Write;
use alfred_core::{ApprovalId, Failure, Source};
use alfred_timeline::Timeline;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use thiserror::Error;

use super::{Flow, Refusal, ToolDef};
use crate::approval::Verdict;

/// What a tool gives back.
#[derive(Clone, Debug, Default)]
pub struct ToolOutput {
    /// The data; `success: true` is added to it.
    pub data: Map<String, Value>,
    /// What it did, for `actions_taken`, in the past tense: "Created task \"Call Ana\"".
    pub action: Option<String>,
    /// Writes that take effect in the same commit as the journal step: exactly once.
    pub writes: Vec<Write>,
    /// What is decided about approvals of the person's own, before the result is written.
    pub choices: Vec<Choice>,
    /// What a person may choose between, in the order in which a model reads of it.
    pub options: Vec<String>,
    /// What there is to show for an effect.
    pub receipt: Option<Receipt>,
    /// What this result brings in, where it is known better than for the tool as a whole.
    pub flow: Option<Flow>,
    /// Pages of the web that it gives. The reply lists those that its answer cites.
    pub sources: Vec<Source>,
    /// What kind of failure it is, of one that says so.
    pub kind: Option<&'static str>,
    /// Days as this result shows them; the reply has them as a picture unless something changes afterwards.
    pub picture: Option<Timeline>,
}

/// Evidence of an effect, rendered by the router and never by the model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Receipt {
    /// What was done, in the past tense.
    pub what: String,
    /// Where it can be seen: a channel, a person, a day.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub place: String,
    /// The provider's id of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_id: Option<String>,
    /// A link to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// When it happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// The calls that take it back, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undo: Vec<UndoCall>,
}

/// A call that takes an effect back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UndoCall {
    /// The tool.
    pub tool: String,
    /// Its arguments.
    pub arguments: Value,
    /// What the effect left, as the tool of this call sees it: what was changed since isn't taken back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<Value>,
}

impl ToolOutput {
    /// Data without any effect.
    ///
    /// # Errors
    /// `Bug` when the value isn't a JSON object.
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

    /// The same, with what was done and the writes that do it.
    pub fn with_effect(mut self, action: String, writes: Vec<Write>) -> Self {
        self.receipt = Some(Receipt {
            what: action.clone(),
            ..Receipt::default()
        });
        self.action = Some(action);
        self.writes = writes;
        self
    }

    /// The same, with where it can be seen.
    pub fn at_place(mut self, place: impl Into<String>) -> Self {
        if let Some(receipt) = &mut self.receipt {
            receipt.place = place.into();
        }
        self
    }

    /// The same, with the calls of a tool that take the effect back.
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

    /// The same, with what the effect left for each of those calls, in their order.
    pub fn leaving(mut self, left: impl IntoIterator<Item = Value>) -> Self {
        let calls = self
            .receipt
            .iter_mut()
            .flat_map(|receipt| &mut receipt.undo);
        for (call, left) in calls.zip(left) {
            call.left = Some(left);
        }
        self
    }

    /// The same, with a decision about an approval.
    pub fn deciding(mut self, choice: Choice) -> Self {
        self.choices.push(choice);
        self
    }

    /// The same, with what a person may choose between: a button each. The model doesn't see these words.
    pub fn offering(mut self, options: impl IntoIterator<Item = String>) -> Self {
        self.options = bounded(options);
        self
    }

    /// The same, with the receipt a provider gave.
    pub fn with_receipt(mut self, receipt: Receipt) -> Self {
        self.action = Some(receipt.what.clone());
        self.receipt = Some(receipt);
        self
    }

    /// The same, with days to be shown as a picture.
    pub fn picturing(mut self, timeline: Timeline) -> Self {
        self.picture = Some(timeline);
        self
    }

    /// The same, with pages of the web that it gives.
    pub fn citing(mut self, sources: Vec<Source>) -> Self {
        self.sources = sources;
        self
    }

    /// The same, with what this very result brings in.
    pub fn bringing(mut self, flow: Flow) -> Self {
        self.flow = Some(flow);
        self
    }
}

/// Options of one result: a person looks through no more, and has an answer in words beside them.
pub const MOST_OPTIONS: usize = 5;

/// So many at most, and none called as another one.
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

/// Why a tool gave nothing.
#[derive(Debug, Error)]
pub enum ToolError {
    /// Nothing happened. The model is told, and can try another way. Names the
    /// field when an argument is at fault.
    #[error("{0}")]
    Failed(Refusal),
    /// It may have happened: no answer came. It is looked for later, never blindly repeated.
    #[error("outcome unknown: {0}")]
    Unknown(String),
    /// Nothing happened, and the turn stops: the store is away, or there is a defect.
    #[error(transparent)]
    Stop(#[from] Failure),
}

impl ToolError {
    /// An error the model (and the person) can do something about.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::Failed(Refusal::from(message.into()))
    }

    /// The same, and these words where a person reads it.
    pub fn say(self, words: impl Into<String>) -> Self {
        match self {
            Self::Failed(refusal) => Self::Failed(refusal.say(words)),
            other => other,
        }
    }

    /// The same, with how a model goes on: names of tools and arguments.
    pub fn hint(self, words: &str) -> Self {
        match self {
            Self::Failed(mut refusal) => {
                refusal.say.get_or_insert_with(|| refusal.message.clone());
                refusal.message.push(' ');
                refusal.message.push_str(words);
                Self::Failed(refusal)
            }
            other => other,
        }
    }

    /// The same with data beside the words; other kinds of errors carry none.
    pub fn with(self, name: &str, value: Value) -> Self {
        match self {
            Self::Failed(mut refusal) => {
                refusal.data.insert(name.to_owned(), value);
                Self::Failed(refusal)
            }
            other => other,
        }
    }

    /// The same, with what a person may choose between, in the order in which the error lists it: a button each.
    /// The model doesn't see these words.
    pub fn offering(self, options: impl IntoIterator<Item = String>) -> Self {
        match self {
            Self::Failed(refusal) => Self::Failed(Refusal {
                options: bounded(options),
                ..refusal
            }),
            other => other,
        }
    }

    /// The same, with what kind of failure the audit says it is.
    pub fn kind(self, kind: &'static str) -> Self {
        match self {
            Self::Failed(refusal) => Self::Failed(Refusal {
                kind: Some(kind),
                ..refusal
            }),
            other => other,
        }
    }

    /// The same, with what this very error brings in.
    pub fn bringing(self, flow: Flow) -> Self {
        match self {
            Self::Failed(refusal) => Self::Failed(Refusal {
                flow: Some(flow),
                ..refusal
            }),
            other => other,
        }
    }

    /// The same, of a tool that looked at what is stored before it failed.
    pub fn looked(self, def: &ToolDef) -> Self {
        match self {
            Self::Failed(refusal) => Self::Failed(refusal.looked(def)),
            other => other,
        }
    }
}

impl From<alfred_core::ports::StoreError> for ToolError {
    fn from(error: alfred_core::ports::StoreError) -> Self {
        Self::Stop(error.into())
    }
}

/// A decision about an approval that waits. A tool never says yes for the
/// person: only their own call does.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// About what.
    pub approval: ApprovalId,
    /// As it was seen.
    pub revision: u32,
    /// What is decided.
    pub verdict: Verdict,
    /// The arguments as they are wanted, with `Verdict::Edit`.
    pub arguments: Option<Value>,
    /// What is said about it.
    pub note: Option<String>,
}

/// What a wish comes to.
#[derive(Debug)]
pub enum Resolution {
    /// These arguments.
    Call(Value),
    /// There is nothing to do; this is the result. What it writes says that it was told.
    Nothing(Box<ToolOutput>),
}

/// What a look at the provider says of an effect whose result was not recorded.
#[derive(Debug)]
pub enum Settled {
    /// It happened; this is what it would have given.
    Done(Box<ToolOutput>),
    /// It did not happen and can't happen any more: it may be done again.
    NotDone,
    /// Nobody can say; a person is asked.
    Unknown,
}
