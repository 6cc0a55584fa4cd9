//! Runs tool calls. Every call passes the gate. Reads and writes to our store run concurrently; outside
//! effects run one after another. Each result is a journal step, committed with the tool's writes.

mod ask;
mod assess;
pub mod context;
pub mod delegation;
mod effect;
pub mod given;
mod members;
pub mod own_words;
mod parts;
pub mod recipients;
pub(crate) mod result;
mod sort;
mod stage;

pub(crate) use stage::Ready;

use alfred_core::Failure;
use alfred_core::ports::ToolCall;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use std::collections::HashMap;
use std::time::Duration;

use crate::approval::ask::Ask;
use crate::calls::context::{AgentLoop, RunContext};
use crate::model::run::elapsed_ms;
use crate::store::journal::CommitError;
use crate::store::race::Race;
use crate::tool::{ToolContext, ToolError, ToolOutput};
use effect::Effected;
use result::ran;

/// What is left of the open calls after [`run_open`].
pub(crate) struct Open {
    /// Calls that the owner must still be asked about.
    pub asks: Vec<Ask>,
    /// Calls that the owner was asked about already.
    pub waiting: usize,
    /// When to check an effect with an unknown outcome.
    pub later: Option<Duration>,
    /// Calls of other agents; they start after all others.
    pub delegations: Vec<Ready>,
    /// The invocation has too little time left to start an effect.
    pub out_of_time: bool,
}

/// Advances every open call of the last turn as far as possible now, except delegations. Fails if another worker
/// took over the run, or a tool returns `Stop`.
pub(crate) async fn run_open(work: &mut AgentLoop<'_>) -> Result<Open, Failure> {
    let calls = work.open_calls();
    let tool = |first: &ToolCall| work.agent.tools.get(&first.name);
    if let Some(tool) = calls.first().and_then(tool) {
        work.cx.show_status(&tool.def().toolset.status);
    }
    let sorted = Box::pin(sort::sort(work, calls)).await?;
    for (step, writes) in sorted.answers {
        work.cx.commit(vec![step.into()], writes, |_| {}).await?;
    }
    let is_delegation = |ready: &Ready| ready.tool.is_delegation();
    let (delegations, ready): (Vec<Ready>, Vec<Ready>) =
        sorted.ready.into_iter().partition(is_delegation);
    let (outside, inward): (Vec<Ready>, Vec<Ready>) =
        ready.into_iter().partition(Ready::is_outside);
    let is_composed = |ready: &Ready| {
        let context = work.cx.tool_context(&ready.call.id);
        let arguments = ready.arguments.value();
        ready.tool.next_part(&context, arguments, &[]).is_some()
    };
    let (composed, inward): (Vec<Ready>, Vec<Ready>) = inward.into_iter().partition(is_composed);
    Box::pin(side_by_side(&mut work.cx, inward)).await?;
    for ready in composed {
        parts::perform_parts(&mut work.cx, &ready).await?;
    }
    let mut open = Open {
        asks: sorted.asks,
        waiting: sorted.waiting,
        later: None,
        delegations,
        out_of_time: false,
    };
    for (call, begun) in sorted.begun {
        let effected = Box::pin(effect::settle(work, &call, begun)).await?;
        if open.is_out_of_time_after(effected) {
            return Ok(open);
        }
    }
    for ready in outside {
        let effected = Box::pin(effect::perform(&mut work.cx, ready)).await?;
        if open.is_out_of_time_after(effected) {
            return Ok(open);
        }
    }
    Ok(open)
}

impl Open {
    fn is_out_of_time_after(&mut self, effected: Effected) -> bool {
        match effected {
            Effected::Answered => {}
            Effected::Later(after) => self.later = self.later.max(Some(after)),
            Effected::Unknown(ask) => self.asks.push(*ask),
            Effected::OutOfTime => self.out_of_time = true,
        }
        self.out_of_time
    }
}

/// Runs reads and writes to our own store concurrently. Their writes commit with the results,
/// so a repeat is harmless.
async fn side_by_side(cx: &mut RunContext<'_>, calls: Vec<Ready>) -> Result<(), Failure> {
    // Taint before the calls. A retried call keeps it, since the other calls' results did not shape it.
    let tainted = cx.run().is_tainted();
    let run = |ready: Ready| run_one(cx.tool_context(&ready.call.id), ready);
    let mut working: FuturesUnordered<_> = calls.into_iter().map(run).collect();
    let mut races: HashMap<String, Race> = HashMap::new();
    while let Some((ready, ms, result)) = working.next().await {
        cx.ports.measure.tool(&ready.call.name, ms);
        let output = result::answered(cx, &ready.call, result).await?;
        let writes = output.writes.clone();
        let step = ran(&ready, output).took(ms);
        match cx.commit(vec![step], writes, |_| {}).await {
            Ok(()) => {}
            Err(CommitError::Conflict(key)) => {
                tracing::info!(run.id = %cx.run().id, tool.name = ready.call.name, store.key = ?key, "an item changed under a tool; running it again");
                let race = races.entry(ready.call.id.clone());
                race.or_insert(Race::over("an item")).lost()?;
                let mut context = cx.tool_context(&ready.call.id);
                context.tainted = tainted;
                working.push(run_one(context, ready));
            }
            Err(other) => return Err(other.into()),
        }
    }
    Ok(())
}

async fn run_one(
    mut context: ToolContext,
    ready: Ready,
) -> (Ready, u64, Result<ToolOutput, ToolError>) {
    let clock = context.clock.clone();
    let began = clock.now();
    (context.now, context.since) = (began, began);
    let result = ready.tool.run(context, ready.arguments.again()).await;
    (ready, elapsed_ms(began, clock.now()), result)
}
