//! Results of calls: refusals, the journal step of a result, and the decisions that it contains.

use alfred_core::ports::ToolCall;
use alfred_core::{Failure, Result, text};
use serde_json::{Value, json};

use crate::approval::decide::{Decision, decide};
use crate::calls::context::RunContext;
use crate::calls::stage::Ready;
use crate::model::{CallResult, Effect, Unclear, Work};
use crate::policy::tool_def::ToolDef;
use crate::slack::show;
use crate::tool::{Refusal, ToolError, ToolOutput};

/// A refusal that the ledger reports with this reason, as it has no receipt for the call.
pub fn unclear(reason: Unclear, why: impl Into<Refusal>) -> ToolError {
    ToolError::Failed(why.into().unclear(reason))
}

pub fn drifted() -> ToolError {
    unclear(Unclear::Drifted, text::DRIFTED)
}

/// Applies the decisions in a tool's result. Their trigger is the call id, so a repeated call decides only once. Fails
/// with `Bug` for an unknown outcome, which only outward calls may have.
pub(crate) async fn answered(
    cx: &RunContext<'_>,
    call: &ToolCall,
    result: Result<ToolOutput, ToolError>,
) -> Result<ToolOutput> {
    let output = match result {
        Ok(output) => output,
        Err(ToolError::Failed(why)) => return Ok(failed(why)),
        Err(ToolError::Stop(failure)) => return Err(failure),
        Err(ToolError::Unknown(detail)) => {
            let words = format!("{} isn't outward, and gave: {detail}", call.name);
            return Err(Failure::bug(words));
        }
    };
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
            trigger: format!("{}:{}", run.id, call.id),
            taint: run.taint.clone(),
            opened_home: false,
        };
        let outcome = decide(cx.ports, &decision).await?;
        if let Some(words) = show::settle(cx.ports, outcome, None).await? {
            return Ok(failed(words));
        }
    }
    Ok(output)
}

pub fn failed(why: impl Into<Refusal>) -> ToolOutput {
    let why = why.into();
    let mut data = why.data;
    // `say` is set only if the user's message differs from the model's.
    data.extend(why.say.map(|words| ("say".to_owned(), words.into())));
    data.insert("success".into(), false.into());
    data.insert("error".into(), why.message.into());
    ToolOutput {
        data,
        options: why.options,
        flow: why.flow,
        kind: why.kind,
        unclear: why.unclear,
        ..ToolOutput::default()
    }
}

pub fn given(call: &ToolCall, def: &ToolDef, mut output: ToolOutput) -> CallResult {
    output.flow.get_or_insert(def.flow);
    step(call, def.effect, output)
}

/// Like [`given`], for a call that ran; adds the arguments that the audit keeps.
pub fn ran(ready: &Ready, output: ToolOutput) -> CallResult {
    let texts = |name: &&'static str| match &ready.arguments.value()[*name] {
        Value::Array(values) => values.iter().filter_map(Value::as_str).collect(),
        one => Vec::from_iter(one.as_str()),
    };
    let kept: Vec<&str> = ready.def().audited.iter().flat_map(texts).collect();
    CallResult {
        about: (!kept.is_empty()).then(|| kept.join(" ")),
        ..given(&ready.call, ready.def(), output)
    }
}

/// The step of a call. A tool that didn't run has failed, with the taint of its refusal.
pub fn step(call: &ToolCall, effect: Effect, mut output: ToolOutput) -> CallResult {
    let ok = output.data.get("success") != Some(&Value::Bool(false));
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
        flow: output.flow,
        unclear: output.unclear,
        picture: output.picture.map(Box::new),
        options: output.options,
        sources: output.sources,
        about: None,
        error_type: output.kind.filter(|_| !ok).map(str::to_owned),
        output: Value::Object(output.data),
    }
}
