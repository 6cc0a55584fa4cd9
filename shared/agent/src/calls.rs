//! Tool calls: arguments are checked, independent calls run side by side, and
//! each result is a journal step, committed together with what the tool wrote.

use alfred_core::ports::ToolCall;
use alfred_core::{Failure, text};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::sync::Arc;

use crate::agent::Agent;
use crate::journal::{CommitError, Loaded};
use crate::ports::Ports;
use crate::run::{Run, StepKind, elapsed_ms, open_calls};
use crate::status::StatusLine;
use crate::tool::{ToolContext, ToolError, ToolOutput};

/// Times one call is run again because an item it writes had changed. Calls of
/// one turn that write the same item take turns, so this is also how many may.
const RACES: u32 = 40;

struct Finished {
    call: ToolCall,
    ms: u64,
    result: Result<ToolOutput, ToolError>,
}

/// Runs every open call of the last turn. `loaded` has their results then.
///
/// # Errors
/// `Superseded` when another worker has the run; a tool's `Stop`.
pub async fn run_open(
    ports: &Ports,
    agent: &Agent,
    loaded: &mut Loaded,
    status: &mut StatusLine,
) -> Result<(), CallError> {
    let calls = open_calls(&loaded.steps);
    if let Some(first) = calls.first() {
        let category = first.name.split('_').next().unwrap_or_default();
        status.show(ports, &loaded.run, text::status_for(category));
    }
    let context = context(ports, &loaded.run);
    let mut working: FuturesUnordered<_> = calls
        .into_iter()
        .map(|call| run_one(agent, context.clone(), call))
        .collect();
    let journal = ports.journal();
    let mut races: HashMap<String, u32> = HashMap::new();
    while let Some(done) = working.next().await {
        ports.measure.tool(&done.call.name, done.ms);
        let output = match done.result {
            Ok(output) => output,
            Err(ToolError::Failed(message)) => failed(&message),
            Err(ToolError::Stop(failure)) => return Err(CallError::Stop(failure)),
        };
        let writes = output.writes.clone();
        let step = result_step(&done.call, output);
        match journal
            .commit(loaded, vec![(done.ms, step)], writes, |_| {})
            .await
        {
            Ok(()) => {}
            Err(CommitError::Beside(key))
                if *races.entry(done.call.id.clone()).or_default() < RACES =>
            {
                *races.entry(done.call.id.clone()).or_default() += 1;
                tracing::info!(run.id = %loaded.run.id, tool.name = done.call.name, store.key = ?key, "an item changed under a tool; running it again");
                working.push(run_one(agent, context.clone(), done.call));
            }
            Err(CommitError::Superseded) => return Err(CallError::Superseded),
            Err(other) => return Err(CallError::Stop(other.into())),
        }
    }
    Ok(())
}

/// Why calls were not finished.
#[derive(Debug)]
pub enum CallError {
    /// Another worker has the run.
    Superseded,
    /// The whole message goes back, or is a defect.
    Stop(Failure),
}

async fn run_one(agent: &Agent, context: ToolContext, call: ToolCall) -> Finished {
    let clock = context.clock.clone();
    let began = clock.now();
    let context = ToolContext {
        now: began,
        ..context
    };
    let result = checked(agent, context, &call).await;
    let ms = elapsed_ms(began, clock.now());
    Finished { call, ms, result }
}

async fn checked(
    agent: &Agent,
    context: ToolContext,
    call: &ToolCall,
) -> Result<ToolOutput, ToolError> {
    let Some(tool) = agent.tools.get(&call.name) else {
        return Err(ToolError::failed(format!("Tool not found: {}", call.name)));
    };
    let def = tool.def();
    if !def.allows(context.user.role) {
        return Err(ToolError::failed(text::denied(
            def.category(),
            def.needs,
            context.user.role,
        )));
    }
    let written = match call.arguments.trim() {
        "" => "{}",
        text => text,
    };
    let arguments: Value = serde_json::from_str(written)
        .map_err(|error| ToolError::failed(format!("the arguments are not valid JSON: {error}")))?;
    agent
        .tools
        .check(def.name, &arguments)
        .map_err(ToolError::Failed)?;
    tool.run(context, arguments).await
}

fn context(ports: &Ports, run: &Run) -> ToolContext {
    ToolContext {
        team: run.team.clone(),
        user: Arc::new(run.input.user().clone()),
        session: run.session.clone(),
        now: ports.clock.now(),
        store: ports.store.clone(),
        chat: ports.chat.clone(),
        clock: ports.clock.clone(),
        ids: ports.ids.clone(),
        config: ports.config.clone(),
    }
}

fn failed(message: &str) -> ToolOutput {
    let mut data = Map::new();
    data.insert("success".into(), false.into());
    data.insert("error".into(), message.into());
    ToolOutput {
        data,
        ..ToolOutput::default()
    }
}

fn result_step(call: &ToolCall, mut output: ToolOutput) -> StepKind {
    let ok = output.data.get("success").and_then(Value::as_bool) != Some(false);
    output.data.insert("success".into(), json!(ok));
    StepKind::ToolResult {
        call_id: call.id.clone(),
        name: call.name.clone(),
        ok,
        changed: !output.writes.is_empty(),
        action: output.action,
        output: Value::Object(output.data),
    }
}
