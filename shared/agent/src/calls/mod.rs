//! Runs tool calls; each passes the gate. Reads and writes to our store run concurrently, outside effects in turn. Each
//! result is a journal step, committed with the tool's writes; a read's, which can be repeated, with the next step.

mod ask;
mod assess;
pub mod context;
pub mod delegation;
mod effect;
pub mod given;
pub mod own_words;
pub mod recipients;
pub(crate) mod result;
mod sort;
mod stage;

pub(crate) use sort::Open;
pub(crate) use stage::Ready;

use alfred_core::ports::ToolCall;
use alfred_core::{Failure, Result};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use std::collections::HashMap;

use crate::calls::context::{AgentLoop, RunContext};
use crate::history;
use crate::model::{Effect, Step, elapsed_ms};
use crate::slack::show;
use crate::store::race::Race;
use crate::tool::{self, Part, PartDone, ToolContext, is_part, part_id, whole_of};
use result::{given, ran};

const MOST_PARTS: usize = 200;

/// Advances every open call of the last turn as far as possible now, except delegations.
pub(crate) async fn run_open(work: &mut AgentLoop<'_>) -> Result<Open> {
    let calls = work.open_calls();
    let tool = |first: &ToolCall| work.agent.tools.get(&first.name);
    if let Some(tool) = calls.first().and_then(tool) {
        work.cx.show_status(&tool.def().toolset.status);
    }
    let mut open = Box::pin(sort::sort(work, calls)).await?;
    for (step, writes) in std::mem::take(&mut open.answers) {
        work.cx.commit(vec![step.into()], writes, |_| {}).await?;
    }
    for ready in &open.ready {
        work.cx.live.begin(&ready.call.id, &ready.call.name);
    }
    let is_outside = |ready: &mut Ready| {
        let def = ready.def();
        def.effect == Effect::Outward || def.behind_intent
    };
    let outside: Vec<Ready> = open.ready.extract_if(.., is_outside).collect();
    let is_composed = |ready: &mut Ready| {
        let context = work.cx.tool_context(&ready.call.id);
        let arguments = ready.arguments.value();
        ready.tool.next_part(&context, arguments, &[]).is_some()
    };
    let composed: Vec<Ready> = open.ready.extract_if(.., is_composed).collect();
    let inward = std::mem::take(&mut open.ready);
    Box::pin(side_by_side(&mut work.cx, inward)).await?;
    work.cx.live.sync(&work.cx.loaded.steps);
    for ready in composed {
        perform_parts(&mut work.cx, &ready).await?;
        work.cx.live.sync(&work.cx.loaded.steps);
    }
    for (call, begun) in std::mem::take(&mut open.begun) {
        Box::pin(effect::settle(work, &call, begun, &mut open)).await?;
        if open.out_of_time {
            return Ok(open);
        }
    }
    for ready in outside {
        Box::pin(effect::perform(&mut work.cx, ready, &mut open)).await?;
        work.cx.live.sync(&work.cx.loaded.steps);
        if open.out_of_time {
            break;
        }
    }
    Ok(open)
}

/// Runs reads and writes to our store concurrently. Their writes commit with the results, so a repeat is harmless.
async fn side_by_side(cx: &mut RunContext<'_>, calls: Vec<Ready>) -> Result<()> {
    // Taint before the calls. A retried call keeps it, since the other calls' results did not shape it.
    let tainted = cx.run().is_tainted();
    let run = |ready: Ready| run_one(cx.tool_context(&ready.call.id), ready);
    let mut working: FuturesUnordered<_> = calls.into_iter().map(run).collect();
    let mut races: HashMap<String, Race> = HashMap::new();
    while let Some((ready, ms, result)) = working.next().await {
        (cx.ports.measure)(ms);
        let output = result::answered(cx, &ready.call, result).await?;
        let usage = &mut cx.loaded.run.progress.usage;
        *usage = usage.plus(&output.usage);
        let writes = output.writes.clone();
        let repeatable = ready.effect() == Effect::Read && writes.is_empty();
        let step = ran(&ready, output).took(ms);
        if repeatable {
            cx.hold(step).await?;
            continue;
        }
        let done = cx.commit(vec![step], writes, |_| {});
        let race = races.entry(ready.call.id.clone());
        if !race.or_insert(Race::over("an item")).won(done.await)? {
            tracing::info!(run.id = %cx.run().id, tool.name = ready.call.name, "an item changed under a tool; running it again");
            let mut context = cx.tool_context(&ready.call.id);
            context.tainted = tainted;
            working.push(run_one(context, ready));
        }
    }
    Ok(())
}

async fn run_one(mut context: ToolContext, ready: Ready) -> (Ready, u64, tool::Result) {
    let clock = context.clock.clone();
    let began = clock.now();
    (context.now, context.call.since) = (began, began);
    if is_part(&ready.call.id) {
        context.call.left.clone_from(&ready.left);
    }
    let result = ready.tool.run(context, ready.arguments.again()).await;
    (ready, elapsed_ms(began, clock.now()), result)
}

/// Runs the remaining parts of a call made of calls, each with its own step, and commits the call's result.
async fn perform_parts(cx: &mut RunContext<'_>, ready: &Ready) -> Result<()> {
    let call = &ready.call;
    loop {
        let steps = &cx.loaded.steps;
        let parts = steps.iter().filter_map(Step::result);
        let parts = parts.filter(|one| is_part(&one.call_id) && whole_of(&one.call_id) == call.id);
        let done = parts.map(|part| PartDone {
            tool: &part.name,
            ok: part.ok,
            output: &part.output,
        });
        let done: Vec<PartDone<'_>> = done.collect();
        let mut whole = cx.tool_context(&call.id);
        if let Some(asked) = history::asked(steps, &call.id) {
            // Taint from the call's own parts came later and didn't shape it.
            whole.tainted = asked.tainted;
        }
        let next = ready.tool.next_part(&whole, ready.arguments.value(), &done);
        let (tool, arguments, left) = match next.filter(|_| done.len() < MOST_PARTS) {
            None => return Err(Failure::bug(format!("{} has no end", call.name))),
            Some(Part::Finished(output)) => {
                let writes = output.writes.clone();
                let mut step = given(call, ready.tool.def(), *output);
                // The parts' own steps already record the change.
                step.changed = false;
                return Ok(cx.commit(vec![step.into()], writes, |_| {}).await?);
            }
            Some(Part::Call {
                tool,
                arguments,
                left,
            }) => (tool, arguments, left),
        };
        let part = Ready {
            call: ToolCall {
                id: part_id(&call.id, done.len() + 1),
                name: tool.def().name.to_string(),
                arguments: arguments.to_string(),
                echo: None,
            },
            tool,
            arguments: ready.arguments.part(arguments),
            grant: None,
            left,
        };
        if part.effect() == Effect::Outward {
            let (part, whole) = (&part.call.name, &call.name);
            let defect = format!("{part} is outward and a part of {whole}");
            return Err(Failure::bug(defect));
        }
        cx.show_status(&part.tool.def().toolset.status);
        side_by_side(cx, vec![part]).await?;
        show::progress(cx.ports, cx.loaded, &call.id).await;
    }
}
