//! A call that a person makes themselves: a run of one call and no model, on
//! the same path as every other call, the gate included.

use alfred_core::ports::{Finish, ToolCall, Turn, Usage};
use alfred_core::{WorkerOutput, text};
use serde_json::Value;

use crate::run::{DirectCall, Run};
use crate::step::{Step, StepKind, actions};

/// The turn that a model would have taken.
#[must_use]
pub fn turn(direct: &DirectCall) -> Turn {
    Turn {
        text: String::new(),
        tool_calls: vec![ToolCall {
            id: "call_1_1".into(),
            name: direct.tool.clone(),
            arguments: direct.arguments.to_string(),
        }],
        finish: Finish::ToolCalls,
        usage: Usage::default(),
        model: "direct".into(),
    }
}

/// What the person is told: what was done, or what the tool gave.
#[must_use]
pub fn answer(run: &Run, steps: &[Step]) -> WorkerOutput {
    let done = actions(steps, false);
    let result = steps.iter().rev().find_map(|step| match &step.did {
        StepKind::ToolResult {
            ok, output, action, ..
        } => Some((*ok, output, action)),
        _ => None,
    });
    match result {
        Some((true, _, Some(action))) => WorkerOutput::done(format!("{action}."), done),
        Some((true, output, None)) => WorkerOutput::done(as_code(output), done),
        Some((false, output, _)) => {
            let error = output["error"].as_str().map(str::to_owned);
            WorkerOutput::failed(error.unwrap_or_else(text::unexpected), done)
        }
        None => {
            tracing::error!(run.id = %run.id, "a direct call ended without a result");
            WorkerOutput::failed(text::unexpected(), done)
        }
    }
}

fn as_code(output: &Value) -> String {
    let pretty = serde_json::to_string_pretty(output).unwrap_or_else(|_| output.to_string());
    format!("```\n{pretty}\n```")
}
