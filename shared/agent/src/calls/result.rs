//! Builds the journal step of a call's result.

use alfred_core::ports::ToolCall;
use serde_json::{Value, json};

use super::ready::Ready;
use crate::step::{StepKind, Unclear};
use crate::tool::{Effect, Flow, Refusal, ToolDef, ToolOutput};

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

pub fn given(call: &ToolCall, def: &ToolDef, output: ToolOutput) -> StepKind {
    let flow = output.flow.unwrap_or(def.flow);
    step(call, def.effect, Some(flow), output, None)
}

/// Like [`given`], for a call that ran; adds the arguments that the audit keeps.
pub fn ran(ready: &Ready, output: ToolOutput) -> StepKind {
    let mut step = given(&ready.call, ready.def(), output);
    if let StepKind::ToolResult { about, .. } = &mut step {
        let kept = ready.def().audited.iter();
        let kept = kept.flat_map(|name| texts(&ready.arguments.value()[*name]));
        let kept: Vec<&str> = kept.collect();
        *about = (!kept.is_empty()).then(|| kept.join(" "));
    }
    step
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
) -> StepKind {
    let output = failed(why);
    step(call, effect, output.flow, output, unclear)
}

fn step(
    call: &ToolCall,
    effect: Effect,
    flow: Option<Flow>,
    mut output: ToolOutput,
    unclear: Option<Unclear>,
) -> StepKind {
    let ok = output.data.get("success").and_then(Value::as_bool) != Some(false);
    output.data.insert("success".into(), json!(ok));
    // A change at a provider has no write of ours; the receipt shows that it happened.
    let outside = match effect {
        Effect::Outward => true,
        Effect::ReversibleWrite | Effect::Destructive => output.receipt.is_some(),
        Effect::Read => false,
    };
    StepKind::ToolResult {
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
