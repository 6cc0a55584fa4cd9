//! Effects outside: intent, effect, result. Whoever finds an intent without a
//! result waits until nobody can be at it any more, and then looks; nothing is
//! repeated blindly.

use alfred_core::ports::ToolCall;
use alfred_core::{Failure, text};
use jiff::SignedDuration;
use std::time::Duration;

use super::result::{failed, given};
use super::sort::Ready;
use super::stage::{Begun, Grant};
use super::{CallError, context, of_call};
use crate::agent::Agent;
use crate::approval::park::Ask;
use crate::approval::{Question, show};
use crate::journal::{CommitError, LoadedRun};
use crate::ports::Ports;
use crate::preview::Preview;
use crate::run::{RunState, elapsed_ms};
use crate::step::{Step, StepKind};
use crate::tool::{Settled, SharedTool, ToolContext, ToolError, ToolOutput};
use crate::usage;
use alfred_core::Deadline;

/// The longest one effect may take.
const CALL_TIMEOUT: Duration = Duration::from_secs(30);
/// Behind a call's deadline nobody looks for so long: clocks differ, and a provider may still be at it.
const GRACE: Duration = Duration::from_secs(30);
/// Times an effect is begun whose provider is away; then its owner reads that nothing was done.
const ATTEMPTS: u32 = 3;
/// Times a provider may say when it takes an effect.
const MOST_WAITS: usize = 100;
/// A wait that is written on the card.
const WORTH_TELLING: Duration = Duration::from_secs(60);
/// Behind an attempt that reached nobody, where the provider doesn't say how long to wait.
const PAUSE: Duration = Duration::from_secs(20);
/// With less than this left no effect is begun.
const LEAST: Duration = Duration::from_secs(40);
/// Times the result of an effect is written again over a row that moved.
const MAX_CONFLICT_RETRIES: u32 = 40;

/// How far an effect came.
pub enum Effected {
    /// It has its result.
    Answered,
    /// Its outcome is unknown, and may be looked for after this.
    Later(Duration),
    /// Too little time is left to begin it.
    OutOfTime,
    /// Nobody can tell; its owner is asked.
    Unknown(Box<Ask>),
}

/// Does an effect, behind its intent.
///
/// # Errors
/// `Superseded` when another worker has the run; what the store says.
pub async fn perform(
    ports: &Ports,
    loaded: &mut LoadedRun,
    ready: Ready,
    deadline: Deadline,
) -> Result<Effected, CallError> {
    let began = ports.clock.now();
    if !deadline.allows(began, LEAST) {
        return Ok(Effected::OutOfTime);
    }
    let until = began
        .saturating_add(SignedDuration::try_from(CALL_TIMEOUT + GRACE).unwrap_or_default())
        .map_err(Failure::bug)?;
    let attempt = ready.grant.as_ref().map_or(1, |grant| grant.attempt);
    let intent = StepKind::Intent {
        call_id: ready.call.id.clone(),
        attempt,
        arguments: ready.arguments.value().clone(),
        until,
    };
    if !begin(ports, loaded, intent).await? {
        let words = failed(text::no_more_effects_today());
        let step = given(&ready.call, ready.def(), words);
        ports.journal().append(loaded, vec![(0, step)]).await?;
        return Ok(Effected::Answered);
    }
    let context = ToolContext {
        shown: ready.grant.as_ref().and_then(|grant| grant.shown.clone()),
        ..of_call(context(ports, &loaded.run), &ready.call.id, began)
    };
    let def = ready.def().clone();
    let (call, tool) = (ready.call, ready.tool);
    let work = tool.run(context, ready.arguments);
    let result = match tokio::time::timeout(CALL_TIMEOUT, work).await {
        Ok(result) => result,
        Err(_) => Err(ToolError::Unknown("no answer in time".into())),
    };
    let ms = elapsed_ms(began, ports.clock.now());
    ports.measure.tool(&call.name, ms);
    let output = match result {
        Ok(output) => output,
        Err(ToolError::Failed(why)) => failed(why),
        Err(ToolError::Stop(Failure::Retry { reason, after })) => {
            tracing::warn!(run.id = %loaded.run.id, tool.name = call.name, effect.attempt = attempt, reason, "an effect could not be begun");
            match again_after(ports, loaded, &call.id, attempt, after) {
                Ok(pause) => {
                    let step = StepKind::NotReached {
                        call_id: call.id.clone(),
                        limited: after.is_some(),
                    };
                    ports.journal().append(loaded, vec![(ms, step)]).await?;
                    if pause >= WORTH_TELLING {
                        show::waits(ports, loaded, &call.id, pause).await;
                    }
                    return Ok(Effected::Later(pause));
                }
                Err(words) => failed(words),
            }
        }
        Err(ToolError::Stop(failure)) => return Err(CallError::Stop(failure)),
        Err(ToolError::Unknown(detail)) => {
            tracing::warn!(run.id = %loaded.run.id, tool.name = call.name, detail, "the outcome of an effect is unknown");
            return Ok(Effected::Later(CALL_TIMEOUT + GRACE));
        }
    };
    let step = given(&call, &def, output.clone());
    record(ports, loaded, ms, step, &output).await?;
    Ok(Effected::Answered)
}

/// How long to wait before an effect that reached nobody is begun once more. A provider that says when is
/// waited for that long, as often as it says so, up to the time for which its owner could have left it
/// undecided; one that is away gets a few attempts.
///
/// # Errors
/// Words for the model where it isn't begun again.
fn again_after(
    ports: &Ports,
    loaded: &LoadedRun,
    call_id: &str,
    attempt: u32,
    after: Option<Duration>,
) -> Result<Duration, String> {
    let Some(after) = after else {
        return match attempt < ATTEMPTS {
            true => Ok(PAUSE),
            false => Err(text::not_reached()),
        };
    };
    let begun = intents(&loaded.steps, call_id);
    let first = begun
        .clone()
        .next()
        .map_or(ports.clock.now(), |step| step.at);
    let waited = ports.clock.now().duration_since(first);
    let wait = SignedDuration::try_from(after).unwrap_or(SignedDuration::MAX);
    let ends = waited.saturating_add(wait) > ports.config.approval_expiry;
    match ends || begun.count() >= MOST_WAITS {
        true => Err(text::not_taken_in_time()),
        false => Ok(after),
    }
}

fn intents<'a>(steps: &'a [Step], id: &'a str) -> impl Iterator<Item = &'a Step> + Clone {
    let of =
        move |step: &&Step| matches!(&step.did, StepKind::Intent { call_id, .. } if call_id == id);
    steps.iter().filter(of)
}

/// Commits an intent, and counts its effect once among the person's of today;
/// `false` when they may have no more.
async fn begin(ports: &Ports, loaded: &mut LoadedRun, intent: StepKind) -> Result<bool, CallError> {
    let now = ports.clock.now();
    let StepKind::Intent { call_id, .. } = &intent else {
        return Err(CallError::Stop(Failure::bug(
            "only intents begin an effect",
        )));
    };
    if intents(&loaded.steps, call_id).next().is_some() {
        ports.journal().append(loaded, vec![(0, intent)]).await?;
        return Ok(true);
    }
    for _ in 0..MAX_CONFLICT_RETRIES {
        let seen = usage::load(&*ports.store, &loaded.run.team, &loaded.run.user).await?;
        let mut used = seen.today(loaded.run.input.user(), now);
        if used.outward_effects >= ports.config.daily_budget.outward_effects {
            return Ok(false);
        }
        used.outward_effects += 1;
        let count = usage::write(&loaded.run, &seen, &used)?;
        let steps = vec![(0, intent.clone())];
        match ports
            .journal()
            .commit(loaded, steps, vec![count], |_| {})
            .await
        {
            Ok(()) => return Ok(true),
            Err(CommitError::Conflict(_)) => {}
            Err(other) => return Err(other.into()),
        }
    }
    Err(CallError::Stop(Failure::retry(
        "the day's count is contended",
    )))
}

/// Looks what became of an effect without a result.
///
/// # Errors
/// As `perform`; `Stop` when the provider can't be looked at.
pub async fn settle(
    ports: &Ports,
    agent: &Agent,
    loaded: &mut LoadedRun,
    call: &ToolCall,
    begun: Begun,
    deadline: Deadline,
) -> Result<Effected, CallError> {
    let now = ports.clock.now();
    let left = Duration::try_from(begun.until.duration_since(now)).unwrap_or_default();
    if !left.is_zero() && left <= 2 * (CALL_TIMEOUT + GRACE) {
        return Ok(Effected::Later(left));
    }
    // Begun in what is the future now, since the clock was set back: nobody knows from when on to look.
    let tool = agent.tools.get(&call.name).filter(|_| left.is_zero());
    let Some(tool) = tool else {
        let ask = unknown(call, None, &begun.grant, None);
        return Ok(Effected::Unknown(Box::new(ask)));
    };
    let looked_from = of_call(context(ports, &loaded.run), &call.id, begun.at);
    let arguments = &begun.grant.arguments;
    match tool.settle(&looked_from, arguments).await {
        Ok(Settled::Done(output)) => {
            let step = given(call, tool.def_of(arguments), (*output).clone());
            record(ports, loaded, 0, step, &output).await?;
            Ok(Effected::Answered)
        }
        Ok(Settled::NotDone) => {
            again(ports, agent, loaded, call, begun.grant.next(), deadline).await
        }
        Ok(Settled::Unknown) => {
            let preview = tool.preview(&looked_from, arguments).await.ok();
            let ask = unknown(call, Some(tool), &begun.grant, preview);
            Ok(Effected::Unknown(Box::new(ask)))
        }
        Err(ToolError::Stop(failure)) => Err(CallError::Stop(failure)),
        Err(error @ (ToolError::Failed(_) | ToolError::Unknown(_))) => {
            Err(CallError::Stop(Failure::retry(error)))
        }
    }
}

/// One more attempt, if what allowed the first one still does.
async fn again(
    ports: &Ports,
    agent: &Agent,
    loaded: &mut LoadedRun,
    call: &ToolCall,
    grant: Grant,
    deadline: Deadline,
) -> Result<Effected, CallError> {
    let mut sorted = super::sort::Sorted::default();
    super::sort::granted(ports, agent, loaded, &mut sorted, call.clone(), grant).await?;
    for answer in sorted.answers {
        ports
            .journal()
            .append(loaded, vec![(0, answer.step())])
            .await?;
    }
    if let Some(ask) = sorted.asks.pop() {
        return Ok(Effected::Unknown(Box::new(ask)));
    }
    match sorted.ready.pop() {
        Some(ready) => Box::pin(perform(ports, loaded, ready, deadline)).await,
        None => Ok(Effected::Answered),
    }
}

fn unknown(
    call: &ToolCall,
    tool: Option<&SharedTool>,
    grant: &Grant,
    preview: Option<Preview>,
) -> Ask {
    Ask {
        call_id: call.id.clone(),
        tool: call.name.clone(),
        private: tool.is_none_or(|tool| tool.def_of(&grant.arguments).flow.private),
        question: Question::DidItHappen,
        arguments: grant.arguments.clone(),
        digest: grant.digest.clone().unwrap_or_default(),
        shown: grant.shown.clone(),
        preview: preview.unwrap_or_else(|| Preview::of_arguments(&call.name, &grant.arguments)),
        reasons: Vec::new(),
        recipients: Vec::new(),
        revised: None,
    }
}

/// Writes what an effect gave, whatever became of the run meanwhile: a stopped
/// run must know too what was sent for it.
async fn record(
    ports: &Ports,
    loaded: &mut LoadedRun,
    ms: u64,
    step: StepKind,
    output: &ToolOutput,
) -> Result<(), CallError> {
    let StepKind::ToolResult { call_id, .. } = &step else {
        return Err(CallError::Stop(Failure::bug("only results are recorded")));
    };
    let journal = ports.journal();
    for _ in 0..MAX_CONFLICT_RETRIES {
        let writes = output.writes.clone();
        match journal
            .commit(loaded, vec![(ms, step.clone())], writes, |_| {})
            .await
        {
            // A run that was stopped meanwhile does nothing more.
            Ok(()) if loaded.run.state != RunState::Ready => return Err(CallError::Superseded),
            Ok(()) => return Ok(()),
            Err(CommitError::Superseded) => {
                let found = journal.load(&loaded.run.team, &loaded.run.id).await?;
                let Some(mut found) = found else {
                    return Err(CallError::Superseded);
                };
                found.hops = loaded.hops;
                *loaded = found;
                let answered = loaded.steps.iter().any(|step| {
                    matches!(&step.did, StepKind::ToolResult { call_id: id, .. } if id == call_id)
                });
                if answered {
                    return Err(CallError::Superseded);
                }
            }
            Err(other) => return Err(other.into()),
        }
    }
    Err(CallError::Stop(Failure::retry(
        "the run's row is contended",
    )))
}
