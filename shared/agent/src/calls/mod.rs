//! Runs tool calls. Every call passes the gate. Reads and writes to our store run concurrently; outside
//! effects run one after another. Each result is a journal step, committed with the tool's writes.

mod ask;
mod assess;
pub mod context;
mod effect;
pub mod given;
mod members;
pub mod own_words;
mod parts;
pub mod recipients;
pub(crate) mod result;
mod sort;
mod stage;

pub(crate) use result::CallError;
pub(crate) use stage::{Edit, Ready, Stage, stage};

use alfred_core::Failure;
use alfred_core::ports::ToolCall;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use std::collections::HashMap;
use std::time::Duration;

use crate::approval::park::Ask;
use crate::calls::context::{AgentLoop, RunContext};
use crate::model::run::elapsed_ms;
use crate::runner::turns::Left;
use crate::store::journal::CommitError;
use crate::store::race::Race;
use crate::tool::{ToolContext, ToolError, ToolOutput};
use effect::Effected;
use result::ran;

/// State of the open calls after [`AgentLoop::run_open`].
pub(crate) enum Calls {
    Answered,
    /// Some wait for the owner; these must still be asked.
    Asking(Vec<Ask>),
    /// An effect's outcome is unknown; check it after this delay.
    Later(Duration),
    /// A delegated worker's model provider asks for a pause.
    Paused(Duration),
    /// The invocation has too little time left to start an effect.
    OutOfTime,
}

impl AgentLoop<'_> {
    /// Advances every open call of the last turn as far as possible now. Fails if another worker took over
    /// the run, or a tool returns `Stop`.
    pub(crate) async fn run_open(&mut self) -> Result<Calls, Failure> {
        let calls = self.open_calls();
        let tool = |first: &ToolCall| self.agent.tools.get(&first.name);
        if let Some(tool) = calls.first().and_then(tool) {
            self.cx.show_status(&tool.def().toolset.status);
        }
        let sorted = Box::pin(self.sort(calls)).await?;
        for (step, writes) in sorted.answers {
            self.cx.commit(vec![step.into()], writes, |_| {}).await?;
        }
        let is_delegation = |ready: &Ready| ready.tool.delegates().is_some();
        let (delegations, ready): (Vec<Ready>, Vec<Ready>) =
            sorted.ready.into_iter().partition(is_delegation);
        let (outside, inward): (Vec<Ready>, Vec<Ready>) =
            ready.into_iter().partition(Ready::is_outside);
        let is_composed = |ready: &Ready| {
            let context = self.cx.tool_context(&ready.call.id);
            let arguments = ready.arguments.value();
            ready.tool.next_part(&context, arguments, &[]).is_some()
        };
        let (composed, inward): (Vec<Ready>, Vec<Ready>) =
            inward.into_iter().partition(is_composed);
        Box::pin(self.cx.side_by_side(inward)).await?;
        for ready in composed {
            self.cx.perform_parts(&ready).await?;
        }
        let (mut asks, mut later) = (sorted.asks, None);
        let mut out_of_time = |effected| {
            match effected {
                Effected::Answered => {}
                Effected::Later(after) => later = later.max(Some(after)),
                Effected::Unknown(ask) => asks.push(*ask),
                Effected::OutOfTime => return true,
            }
            false
        };
        for (call, begun) in sorted.begun {
            if out_of_time(Box::pin(self.settle(&call, begun)).await?) {
                return Ok(Calls::OutOfTime);
            }
        }
        for ready in outside {
            if out_of_time(Box::pin(self.cx.perform(ready)).await?) {
                return Ok(Calls::OutOfTime);
            }
        }
        for ready in delegations {
            match self.delegated(&ready).await? {
                None => {}
                Some(Left::Asking(more)) => {
                    asks.extend(more);
                    return Ok(Calls::Asking(asks));
                }
                // Open asks are posted later, when the delegated worker needs the owner too.
                Some(Left::Later(after)) => return Ok(Calls::Later(after)),
                Some(Left::Paused(_, after)) => return Ok(Calls::Paused(after)),
                Some(_) => return Ok(Calls::OutOfTime),
            }
        }
        Ok(match later {
            Some(after) if asks.is_empty() => Calls::Later(after),
            None if asks.is_empty() && sorted.waiting == 0 => Calls::Answered,
            _ => Calls::Asking(asks),
        })
    }
}

impl RunContext<'_> {
    /// Runs reads and writes to our own store concurrently. Their writes commit with the results,
    /// so a repeat is harmless.
    async fn side_by_side(&mut self, calls: Vec<Ready>) -> Result<(), Failure> {
        // Taint before the calls. A retried call keeps it, since the other calls' results did not shape it.
        let tainted = self.run().is_tainted();
        let run = |ready: Ready| run_one(self.tool_context(&ready.call.id), ready);
        let mut working: FuturesUnordered<_> = calls.into_iter().map(run).collect();
        let mut races: HashMap<String, Race> = HashMap::new();
        while let Some((ready, ms, result)) = working.next().await {
            self.ports.measure.tool(&ready.call.name, ms);
            let output = self.answered(&ready.call, result).await?;
            let writes = output.writes.clone();
            let step = ran(&ready, output).took(ms);
            match self.commit(vec![step], writes, |_| {}).await {
                Ok(()) => {}
                Err(CommitError::Conflict(key)) => {
                    tracing::info!(run.id = %self.run().id, tool.name = ready.call.name, store.key = ?key, "an item changed under a tool; running it again");
                    let race = races.entry(ready.call.id.clone());
                    race.or_insert(Race::over("an item")).lost()?;
                    let mut context = self.tool_context(&ready.call.id);
                    context.tainted = tainted;
                    working.push(run_one(context, ready));
                }
                Err(other) => return Err(other.into()),
            }
        }
        Ok(())
    }
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
