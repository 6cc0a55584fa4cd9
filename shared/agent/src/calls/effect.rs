//! Runs effects outside Alfred: commit the intent, run the effect, commit the result. An intent
//! without a result is first waited for, until no worker can still be running it, and then checked
//! with the provider. No effect is repeated blindly.

use alfred_core::Failure;
use alfred_core::ports::{ToolCall, Write};
use jiff::SignedDuration;
use std::time::Duration;

use crate::approval::ask::Ask;
use crate::calls::context::{AgentLoop, RunContext};
use crate::calls::result::{failed, given};
use crate::calls::sort;
use crate::calls::stage::{Begun, Grant, Next, Ready};
use crate::history;
use crate::model::approval::Question;
use crate::model::effect::Effect;
use crate::model::preview::Preview;
use crate::model::run::{RunState, elapsed_ms};
use crate::model::step::{NewStep, Step, StepKind};
use crate::slack::show;
use crate::store::journal::CommitError;
use crate::store::race::Race;
use crate::store::usage;
use crate::tool::{Settled, SharedTool, ToolError};

const NO_MORE_EFFECTS_TODAY: &str = "Not done: this person's limit of messages and other outward effects for today is reached. It starts anew tomorrow; an administrator can raise it.";
const NOT_REACHED: &str = "It could not be reached, and certainly nothing was done. It can be asked for again in a moment.";
const NOT_TAKEN_IN_TIME: &str = "The service kept asking to wait, for longer than the approval was good for, so it was given up and certainly nothing was done. It can be asked for again later.";

const CALL_TIMEOUT: Duration = Duration::from_secs(30);
/// Extra wait after a call's timeout before its outcome is checked at the provider. The clocks of two workers differ,
/// and the provider may still be working.
const GRACE: Duration = Duration::from_secs(30);
/// Attempts while the provider is unreachable. Then the owner is told that nothing was done.
const ATTEMPTS: u32 = 3;
/// Maximum attempts for a provider that keeps asking for a pause.
const MOST_WAITS: usize = 100;
/// From this length on, a pause that the provider asks for is shown on the approval card.
const WORTH_TELLING: Duration = Duration::from_secs(60);
/// Pause after an unreachable provider, if it names no retry time.
const PAUSE: Duration = Duration::from_secs(20);
/// Minimum remaining time of the invocation to start an effect.
const LEAST: Duration = Duration::from_secs(40);

/// Outcome of trying to run an effect.
pub enum Effected {
    /// The result is in the journal.
    Answered,
    /// The outcome is unknown, or the provider was not reached. Check or try again after this delay.
    Later(Duration),
    /// The invocation has too little time left.
    OutOfTime,
    /// Outcome can't be found out; the owner must be asked.
    Unknown(Box<Ask>),
}

/// Commits the intent, runs the effect and commits its result.
pub(crate) async fn perform(cx: &mut RunContext<'_>, ready: Ready) -> Result<Effected, Failure> {
    let began = cx.now();
    if !cx.deadline.allows(began, LEAST) {
        return Ok(Effected::OutOfTime);
    }
    let most = SignedDuration::try_from(CALL_TIMEOUT + GRACE).unwrap_or_default();
    let until = began.saturating_add(most).map_err(Failure::bug)?;
    let attempt = ready.grant.as_ref().map_or(1, |grant| grant.attempt);
    let intent = StepKind::Intent {
        call_id: ready.call.id.clone(),
        attempt,
        arguments: ready.arguments.value().clone(),
        until,
    };
    let counts = ready.effect() == Effect::Outward;
    if !begin(cx, &ready.call.id, intent, counts).await? {
        let words = failed(NO_MORE_EFFECTS_TODAY);
        cx.append(given(&ready.call, ready.def(), words)).await?;
        return Ok(Effected::Answered);
    }
    let mut context = cx.tool_context(&ready.call.id);
    context.since = began;
    context.shown = ready.grant.as_ref().and_then(|grant| grant.shown.clone());
    let def = ready.def().clone();
    let (call, tool) = (ready.call, ready.tool);
    let work = tool.run(context, ready.arguments);
    let result = match tokio::time::timeout(CALL_TIMEOUT, work).await {
        Ok(result) => result,
        Err(_) => Err(ToolError::Unknown("no answer in time".into())),
    };
    let ms = elapsed_ms(began, cx.now());
    cx.ports.measure.tool(&call.name, ms);
    let output = match result {
        Ok(output) => output,
        Err(ToolError::Failed(why)) => failed(why),
        Err(ToolError::Stop(Failure::Retry { reason, after })) => {
            tracing::warn!(run.id = %cx.run().id, tool.name = call.name, effect.attempt = attempt, reason, "an effect could not be begun");
            match again_after(cx, &call.id, attempt, after) {
                Ok(pause) => {
                    let step = StepKind::NotReached {
                        call_id: call.id.clone(),
                        limited: after.is_some(),
                    };
                    cx.append(step.took(ms)).await?;
                    if pause >= WORTH_TELLING {
                        show::waits(cx.ports, cx.loaded, &call.id, pause).await;
                    }
                    return Ok(Effected::Later(pause));
                }
                Err(words) => failed(words),
            }
        }
        Err(ToolError::Stop(failure)) => return Err(failure),
        Err(ToolError::Unknown(detail)) => {
            tracing::warn!(run.id = %cx.run().id, tool.name = call.name, detail, "the outcome of an effect is unknown");
            return Ok(Effected::Later(CALL_TIMEOUT + GRACE));
        }
    };
    let writes = output.writes.clone();
    let step = given(&call, &def, output).took(ms);
    record(cx, &call.id, step, writes).await?;
    Ok(Effected::Answered)
}

/// The delay before the next attempt of an effect that certainly didn't happen. A pause that the provider asks for is
/// waited out, as long as all pauses together are shorter than the lifetime of an approval. A provider that can't be
/// reached gets `ATTEMPTS` attempts. When either limit is reached, returns an `Err` with a message for the model.
fn again_after(
    cx: &RunContext<'_>,
    call_id: &str,
    attempt: u32,
    after: Option<Duration>,
) -> Result<Duration, String> {
    let Some(after) = after else {
        return if attempt < ATTEMPTS {
            Ok(PAUSE)
        } else {
            Err(NOT_REACHED.to_owned())
        };
    };
    let begun = intents(&cx.loaded.steps, call_id);
    let first = begun.clone().next().map_or(cx.now(), |step| step.at);
    let waited = cx.now().duration_since(first);
    let wait = SignedDuration::try_from(after).unwrap_or(SignedDuration::MAX);
    let ends = waited.saturating_add(wait) > cx.ports.config.approval_expiry;
    if ends || begun.count() >= MOST_WAITS {
        Err(NOT_TAKEN_IN_TIME.to_owned())
    } else {
        Ok(after)
    }
}

/// Commits the intent. The first attempt of an effect that reaches other people counts towards the owner's daily
/// limit. If the limit is used up, commits nothing and returns `false`.
async fn begin(
    cx: &mut RunContext<'_>,
    call_id: &str,
    intent: StepKind,
    counts: bool,
) -> Result<bool, Failure> {
    if !counts || intents(&cx.loaded.steps, call_id).next().is_some() {
        cx.append(intent).await?;
        return Ok(true);
    }
    let now = cx.now();
    let mut race = Race::over("the day's count");
    loop {
        let run = cx.run();
        let seen = usage::load(&*cx.ports.store, run).await?;
        let mut used = seen.today(run.input.user(), now);
        if used.outward_effects >= usage::budget(&cx.ports.config, run).outward_effects {
            return Ok(false);
        }
        used.outward_effects += 1;
        let count = usage::write(run, &seen, &used)?;
        let steps = vec![intent.clone().into()];
        if race.won(cx.commit(steps, vec![count], |_| {}).await)? {
            return Ok(true);
        }
    }
}

/// Commits the result, even if the run changed meanwhile: a stopped run must also record what was sent.
async fn record(
    cx: &mut RunContext<'_>,
    call_id: &str,
    step: NewStep,
    writes: Vec<Write>,
) -> Result<(), Failure> {
    let mut race = Race::over("the run's row");
    loop {
        let steps = vec![step.clone()];
        match cx.commit(steps, writes.clone(), |_| {}).await {
            // The owner stopped the run during the effect, so this worker must not continue it.
            Ok(()) if cx.run().state != RunState::Ready => {
                return Err(CommitError::Superseded.into());
            }
            Ok(()) => return Ok(()),
            Err(CommitError::Superseded) => race.lost()?,
            Err(other) => return Err(other.into()),
        }
        let run = cx.run();
        let found = cx.ports.journal().load(&run.team, &run.id).await?;
        let mut found = found.ok_or(CommitError::Superseded)?;
        found.hops = cx.loaded.hops;
        found.frame = cx.loaded.frame.clone();
        *cx.loaded = found;
        if history::has_result(&cx.loaded.steps, call_id) {
            return Err(CommitError::Superseded.into());
        }
    }
}

/// Asks the provider whether an effect happened whose intent has no result. If it did, commits the result; if it
/// certainly didn't, tries once more. Fails if the provider can't be reached now, or if another worker took over the run.
pub(crate) async fn settle(
    work: &mut AgentLoop<'_>,
    call: &ToolCall,
    begun: Begun,
) -> Result<Effected, Failure> {
    let left = Duration::try_from(begun.until.duration_since(work.cx.now()));
    let left = left.unwrap_or_default();
    if !left.is_zero() && left <= 2 * (CALL_TIMEOUT + GRACE) {
        return Ok(Effected::Later(left));
    }
    // Started in the future: the clock was set back, so the time to search from is unknown.
    let tool = work.agent.tools.get(&call.name);
    let Some(tool) = tool.filter(|_| left.is_zero()) else {
        let ask = unknown(call, None, &begun.grant, None);
        return Ok(Effected::Unknown(Box::new(ask)));
    };
    let mut looked_from = work.cx.tool_context(&call.id);
    looked_from.since = begun.at;
    let arguments = &begun.grant.arguments;
    match tool.settle(&looked_from, arguments).await {
        Ok(Settled::Done(output)) => {
            let writes = output.writes.clone();
            let step = given(call, tool.def_of(arguments), *output);
            record(&mut work.cx, &call.id, step.into(), writes).await?;
            Ok(Effected::Answered)
        }
        Ok(Settled::NotDone) => again(work, call, begun.grant.next()).await,
        Ok(Settled::Unknown) => {
            let preview = tool.preview(&looked_from, arguments).await.ok();
            let ask = unknown(call, Some(tool), &begun.grant, preview);
            Ok(Effected::Unknown(Box::new(ask)))
        }
        Err(ToolError::Stop(failure)) => Err(failure),
        Err(error @ (ToolError::Failed(_) | ToolError::Unknown(_))) => Err(Failure::retry(error)),
    }
}

/// Tries once more, after checking again that the call is still allowed.
async fn again(
    work: &mut AgentLoop<'_>,
    call: &ToolCall,
    grant: Grant,
) -> Result<Effected, Failure> {
    let next = sort::granted(work, call, grant, &[]).await;
    match sort::or_answer(work, call, next)? {
        Next::Run(ready) => perform(&mut work.cx, *ready).await,
        Next::Ask(ask) => Ok(Effected::Unknown(ask)),
        Next::Answer(step, writes) => {
            work.cx.commit(vec![(*step).into()], writes, |_| {}).await?;
            Ok(Effected::Answered)
        }
    }
}

fn intents<'a>(steps: &'a [Step], id: &'a str) -> impl Iterator<Item = &'a Step> + Clone {
    let of =
        move |step: &&Step| matches!(&step.did, StepKind::Intent { call_id, .. } if call_id == id);
    steps.iter().filter(of)
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
        beside: Vec::new(),
        preview: preview.unwrap_or_else(|| Preview::of_arguments(&call.name, &grant.arguments)),
        reasons: Vec::new(),
        recipients: Vec::new(),
        revised: None,
    }
}
