//! Results of calls: refusals, the journal step of a result, and the decisions that it contains.

use alfred_core::Failure;
use alfred_core::ports::ToolCall;
use serde_json::{Value, json};

use crate::approval::decide::{Decision, decide};
use crate::calls::context::RunContext;
use crate::calls::stage::Ready;
use crate::model::effect::{Effect, Flow};
use crate::model::input::Work;
use crate::model::step::{CallResult, Unclear};
use crate::policy::tool_def::ToolDef;
use crate::slack::show;
use crate::store::journal::CommitError;
use crate::tool::{Refusal, ToolError, ToolOutput};

/// Why a call does not go on.
#[derive(Debug)]
pub enum CallError {
    /// The call can't or may not run; this becomes its result.
    Refused {
        /// Message for the model.
        why: Refusal,
        /// The reason to show in the ledger, which has no receipt for the call.
        unclear: Option<Unclear>,
    },
    /// The message goes back to its queue, or the run fails with a bug.
    Stop(Failure),
}

impl CallError {
    pub fn refused(unclear: Unclear, why: impl Into<Refusal>) -> Self {
        Self::Refused {
            why: why.into(),
            unclear: Some(unclear),
        }
    }

    /// For a call whose owner was asked: a refusal must be reported to them, so it gets a reason.
    pub fn after_asking(self) -> Self {
        match self {
            Self::Refused { why, unclear: None } => Self::refused(Unclear::Drifted, why),
            other => other,
        }
    }
}

impl From<Failure> for CallError {
    fn from(failure: Failure) -> Self {
        Self::Stop(failure)
    }
}

impl From<Refusal> for CallError {
    fn from(why: Refusal) -> Self {
        Self::Refused { why, unclear: None }
    }
}

impl From<CommitError> for CallError {
    fn from(error: CommitError) -> Self {
        Self::Stop(error.into())
    }
}

/// For tools that only read: an unknown outcome can be retried.
impl From<ToolError> for CallError {
    fn from(error: ToolError) -> Self {
        match error {
            ToolError::Failed(why) => why.into(),
            ToolError::Unknown(detail) => Self::Stop(Failure::retry(detail)),
            ToolError::Stop(failure) => Self::Stop(failure),
        }
    }
}

/// Turns a tool's result into output and applies its decisions. Fails if the store, the queue or Slack
/// fails. `Bug` for an unknown outcome, which only outward calls may have.
pub(crate) async fn answered(
    cx: &RunContext<'_>,
    call: &ToolCall,
    result: Result<ToolOutput, ToolError>,
) -> Result<ToolOutput, Failure> {
    match result {
        Ok(output) => decided(cx, &call.id, output).await,
        Err(ToolError::Failed(why)) => Ok(failed(why)),
        Err(ToolError::Stop(failure)) => Err(failure),
        Err(ToolError::Unknown(detail)) => Err(Failure::bug(format!(
            "{} isn't outward, and gave: {detail}",
            call.name
        ))),
    }
}

/// Applies the decisions before the call's result is written. The call id is the trigger, so a repeated
/// call decides only once. A decision that no longer counts fails the call with a message.
async fn decided(
    cx: &RunContext<'_>,
    call: &str,
    output: ToolOutput,
) -> Result<ToolOutput, Failure> {
    let run = cx.run();
    for choice in &output.choices {
        if choice.verdict.approves() && !matches!(run.work, Work::Call(_)) {
            return Err(Failure::bug("a model's call said yes for its person"));
        }
        let decision = Decision {
            team: run.team.clone(),
            by: Some(run.user.clone()),
            approval: choice.approval.clone(),
            revision: choice.revision,
            verdict: choice.verdict,
            arguments: choice.arguments.clone(),
            note: choice.note.clone(),
            trigger: format!("{}:{call}", run.id),
            taint: run.taint.clone(),
        };
        let outcome = decide(cx.ports, &decision).await?;
        if let Some(words) = show::settle(cx.ports, outcome, None).await? {
            return Ok(failed(words));
        }
    }
    Ok(output)
}

/// Output of a failed call, with the reason.
pub fn failed(why: impl Into<Refusal>) -> ToolOutput {
    let Refusal {
        message,
        say,
        mut data,
        options,
        flow,
        kind,
    } = why.into();
    // `say` is set only if the user's message differs from the model's.
    data.extend(say.map(|words| ("say".to_owned(), words.into())));
    data.insert("success".into(), false.into());
    data.insert("error".into(), message.into());
    ToolOutput {
        data,
        options,
        flow,
        kind,
        ..ToolOutput::default()
    }
}

pub fn given(call: &ToolCall, def: &ToolDef, output: ToolOutput) -> CallResult {
    let flow = output.flow.unwrap_or(def.flow);
    step(call, def.effect, Some(flow), output, None)
}

/// Like [`given`], for a call that ran; adds the arguments that the audit keeps.
pub fn ran(ready: &Ready, output: ToolOutput) -> CallResult {
    let kept = ready.def().audited.iter();
    let kept = kept.flat_map(|name| texts(&ready.arguments.value()[*name]));
    let kept: Vec<&str> = kept.collect();
    CallResult {
        about: (!kept.is_empty()).then(|| kept.join(" ")),
        ..given(&ready.call, ready.def(), output)
    }
}

/// The value as text, or the texts of a list.
fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::Array(values) => values.iter().filter_map(Value::as_str).collect(),
        one => one.as_str().into_iter().collect(),
    }
}

/// The step of a call whose tool didn't run. Its taint is that of the refusal.
pub fn refused(
    call: &ToolCall,
    effect: Effect,
    why: Refusal,
    unclear: Option<Unclear>,
) -> CallResult {
    let output = failed(why);
    step(call, effect, output.flow, output, unclear)
}

fn step(
    call: &ToolCall,
    effect: Effect,
    flow: Option<Flow>,
    mut output: ToolOutput,
    unclear: Option<Unclear>,
) -> CallResult {
    let ok = output.data.get("success").and_then(Value::as_bool) != Some(false);
    output.data.insert("success".into(), json!(ok));
    // A change at a provider has no write of ours; the receipt shows that it happened.
    let outside = match effect {
        Effect::Outward => true,
        Effect::ReversibleWrite | Effect::Destructive => output.receipt.is_some(),
        Effect::Read => false,
    };
    CallResult {
        call_id: call.id.clone(),
        name: call.name.clone(),
        ok,
        changed: ok && (outside || !output.writes.is_empty()),
        action: output.action,
        receipt: output.receipt.filter(|_| ok),
        effect,
        flow,
        unclear,
        picture: output.picture.map(Box::new),
        options: output.options,
        sources: output.sources,
        about: None,
        error_type: output.kind.filter(|_| !ok).map(str::to_owned),
        output: Value::Object(output.data),
    }
}
