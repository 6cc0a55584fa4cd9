//! What a call gave, as a journal step.

use alfred_core::Failure;
use alfred_core::ports::ToolCall;
use serde_json::{Map, Value, json};

use crate::step::{StepKind, Unclear};
use crate::tool::{Effect, Flow, ToolError, ToolOutput};

/// An envelope that says why nothing was given.
pub fn failed(message: &str) -> ToolOutput {
    let mut data = Map::new();
    data.insert("success".into(), false.into());
    data.insert("error".into(), message.into());
    ToolOutput {
        data,
        ..ToolOutput::default()
    }
}

/// The step of a call's result. Without a `flow` the tool did not run, and brought nothing in.
///
/// # Errors
/// `Stop` for a failure that is no answer.
pub fn result_step(
    call: &ToolCall,
    effect: Effect,
    flow: Option<Flow>,
    result: Result<ToolOutput, ToolError>,
    unclear: Option<Unclear>,
) -> Result<StepKind, Failure> {
    let mut output = match result {
        Ok(output) => output,
        Err(ToolError::Failed(message)) => failed(&message),
        Err(ToolError::Unknown(detail)) => return Err(Failure::bug(detail)),
        Err(ToolError::Stop(failure)) => return Err(failure),
    };
    let ok = output.data.get("success").and_then(Value::as_bool) != Some(false);
    output.data.insert("success".into(), json!(ok));
    let outward = effect == Effect::Outward;
    Ok(StepKind::ToolResult {
        call_id: call.id.clone(),
        name: call.name.clone(),
        ok,
        changed: ok && (outward || !output.writes.is_empty()),
        action: output.action,
        receipt: output.receipt.filter(|_| ok),
        effect,
        flow: flow.map(|flow| output.flow.unwrap_or(flow)),
        unclear,
        output: Value::Object(output.data),
    })
}
