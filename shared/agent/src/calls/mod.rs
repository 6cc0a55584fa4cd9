//! Tool calls: each goes through the gate, independent ones run side by side,
//! effects outside run one after another behind their intents, and every
//! result is a journal step, committed together with what the tool wrote.

mod ask;
pub mod assess;
mod choices;
mod edited;
mod effect;
mod parts;
mod result;
mod sort;
mod stage;

use alfred_core::Failure;
use alfred_core::ports::ToolCall;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use crate::agent::Agent;
use crate::approval::park::Ask;
use crate::journal::{CommitError, LoadedRun};
use crate::ports::Ports;
use crate::run::{Run, Work, elapsed_ms};
use crate::status::StatusLine;
use crate::step::open_calls;
use crate::tool::{Effect, ToolContext, ToolError, ToolOutput};
use alfred_core::Deadline;
pub(crate) use ask::proposed;
use effect::Effected;
use result::{failed, given};
use sort::Ready;
pub(crate) use stage::{Stage, stage};

/// Times one call is run again because an item it writes had changed. Calls of
/// one turn that write the same item take turns, so this is also how many may.
const MAX_CONFLICT_RETRIES: u32 = 40;

/// What became of the open calls.
pub enum Calls {
    /// Every one has a result.
    Answered,
    /// Some wait for their owner; these ones must still be asked.
    Asking(Vec<Ask>),
    /// An effect's outcome is unknown, and may be looked for after this.
    Later(Duration),
    /// This invocation has too little time left to begin an effect.
    OutOfTime,
}

/// Why calls were not finished.
#[derive(Debug)]
pub enum CallError {
    /// Another worker has the run.
    Superseded,
    /// The whole message goes back, or is a defect.
    Stop(Failure),
}

impl From<CommitError> for CallError {
    fn from(error: CommitError) -> Self {
        match error {
            CommitError::Superseded => Self::Superseded,
            other => Self::Stop(other.into()),
        }
    }
}

impl From<Failure> for CallError {
    fn from(failure: Failure) -> Self {
        Self::Stop(failure)
    }
}

/// Does about every open call of the last turn what can be done now.
///
/// # Errors
/// `Superseded` when another worker has the run; a tool's `Stop`.
pub async fn run_open(
    ports: &Ports,
    agent: &Agent,
    loaded: &mut LoadedRun,
    status: &mut StatusLine,
    deadline: Deadline,
) -> Result<Calls, CallError> {
    let calls = open_calls(&loaded.steps);
    if let Some(tool) = calls.first().and_then(|first| agent.tools.get(&first.name)) {
        status.show(ports, &loaded.run, &tool.def().toolset.status);
    }
    let sorted = sort::sort(ports, agent, loaded, calls).await?;
    for answer in sorted.answers {
        ports
            .journal()
            .append(loaded, vec![(0, answer.step())])
            .await?;
    }
    for (call, tool, output) in sorted.nothing {
        let step = given(&call, tool.def(), output);
        ports.journal().append(loaded, vec![(0, step)]).await?;
    }
    let (outward, inward): (Vec<Ready>, Vec<Ready>) = sorted
        .ready
        .into_iter()
        .partition(|ready| ready.effect() == Effect::Outward);
    let whole = context(ports, &loaded.run);
    let is_composed = |ready: &Ready| {
        let arguments = ready.arguments.value();
        ready.tool.next_part(&whole, arguments, &[]).is_some()
    };
    let (composed, inward): (Vec<Ready>, Vec<Ready>) = inward.into_iter().partition(is_composed);
    side_by_side(ports, loaded, inward).await?;
    for ready in composed {
        parts::perform(ports, loaded, &ready, status).await?;
    }
    let (mut asks, mut later) = (sorted.asks, None);
    for (call, begun) in sorted.begun {
        match effect::settle(ports, agent, loaded, &call, begun, deadline).await? {
            Effected::Answered => {}
            Effected::Later(after) => later = later.max(Some(after)),
            Effected::OutOfTime => return Ok(Calls::OutOfTime),
            Effected::Unknown(ask) => asks.push(*ask),
        }
    }
    for ready in outward {
        match effect::perform(ports, loaded, ready, deadline).await? {
            Effected::Answered => {}
            Effected::Later(after) => later = later.max(Some(after)),
            Effected::OutOfTime => return Ok(Calls::OutOfTime),
            Effected::Unknown(ask) => asks.push(*ask),
        }
    }
    Ok(match later {
        Some(after) if asks.is_empty() => Calls::Later(after),
        None if asks.is_empty() && !sorted.waiting => Calls::Answered,
        _ => Calls::Asking(asks),
    })
}

/// Reads, and writes to our own store: these commit with their results, so a repeat does no harm.
async fn side_by_side(
    ports: &Ports,
    loaded: &mut LoadedRun,
    calls: Vec<Ready>,
) -> Result<(), CallError> {
    let base = context(ports, &loaded.run);
    let mut working: FuturesUnordered<_> = calls
        .into_iter()
        .map(|ready| run_one(base.clone(), ready))
        .collect();
    let journal = ports.journal();
    let mut races: HashMap<String, u32> = HashMap::new();
    while let Some((ready, ms, result)) = working.next().await {
        ports.measure.tool(&ready.call.name, ms);
        let output = answered(ports, &loaded.run, &ready.call, result).await?;
        let writes = output.writes.clone();
        let step = given(&ready.call, ready.def(), output);
        match journal
            .commit(loaded, vec![(ms, step)], writes, |_| {})
            .await
        {
            Ok(()) => {}
            Err(CommitError::Conflict(key))
                if *races.entry(ready.call.id.clone()).or_default() < MAX_CONFLICT_RETRIES =>
            {
                *races.entry(ready.call.id.clone()).or_default() += 1;
                tracing::info!(run.id = %loaded.run.id, tool.name = ready.call.name, store.key = ?key, "an item changed under a tool; running it again");
                working.push(run_one(base.clone(), ready));
            }
            Err(other) => return Err(other.into()),
        }
    }
    Ok(())
}

/// What a call that isn't outward came to, with its decisions made.
async fn answered(
    ports: &Ports,
    run: &Run,
    call: &ToolCall,
    result: Result<ToolOutput, ToolError>,
) -> Result<ToolOutput, CallError> {
    match result {
        Ok(output) => Ok(choices::made(ports, run, &call.id, output).await?),
        Err(ToolError::Failed(why)) => Ok(failed(why)),
        Err(ToolError::Stop(failure)) => Err(CallError::Stop(failure)),
        Err(ToolError::Unknown(detail)) => {
            let detail = format!("{} isn't outward, and gave: {detail}", call.name);
            Err(CallError::Stop(Failure::bug(detail)))
        }
    }
}

async fn run_one(base: ToolContext, ready: Ready) -> (Ready, u64, Result<ToolOutput, ToolError>) {
    let clock = base.clock.clone();
    let began = clock.now();
    let context = of_call(base, &ready.call.id, began);
    let result = ready.tool.run(context, ready.arguments.again()).await;
    (ready, elapsed_ms(began, clock.now()), result)
}

/// The context of one call of a run.
fn of_call(base: ToolContext, call_id: &str, since: jiff::Timestamp) -> ToolContext {
    ToolContext {
        now: base.clock.now(),
        idempotency_key: format!("{}:{call_id}", base.idempotency_key),
        since,
        ..base
    }
}

/// The context of a run's calls; `of_call` makes it one call's.
#[must_use]
pub fn context(ports: &Ports, run: &Run) -> ToolContext {
    let now = ports.clock.now();
    ToolContext {
        team: run.team.clone(),
        user: Arc::new(run.input.user().clone()),
        session: run.session.clone(),
        now,
        store: ports.store.clone(),
        chat: ports.chat.clone(),
        accounts: ports.accounts.clone(),
        clock: ports.clock.clone(),
        ids: ports.ids.clone(),
        config: ports.config.clone(),
        idempotency_key: run.id.to_string(),
        since: now,
        began: run.began(),
        shown: None,
        by_hand: matches!(run.work, Work::Call(_)),
        own_wishes: Vec::new(),
        tainted: run.is_tainted(),
    }
}
