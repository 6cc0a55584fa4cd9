//! Runs effects outside Alfred: commits the intent, runs the effect, commits the result. An intent without a result is
//! checked with the provider once no worker can still be running it. No effect is repeated blindly.

use alfred_core::ports::{ToolCall, Write};
use alfred_core::{Failure, Result};
use jiff::SignedDuration;
use std::time::Duration;

use crate::approval::pending::Ask;
use crate::calls::ask::approval;
use crate::calls::context::{AgentLoop, RunContext};
use crate::calls::result::{failed, given};
use crate::calls::sort::{self, Open};
use crate::calls::stage::{Begun, Grant, Next, Ready};
use crate::history;
use crate::model::{
    Approval, Effect, Preview, Question, RunState, Step, StepKind, Unclear, elapsed_ms,
};
use crate::policy::tool_def::ToolDef;
use crate::slack::show;
use crate::store::journal::{CommitError, LoadedRun};
use crate::store::race::Race;
use crate::store::usage;
use crate::tool::{Settled, SharedTool, ToolError, ToolOutput};

const NO_MORE_EFFECTS_TODAY: &str = "Not done: this person's limit of messages and other outward effects for today is reached. It starts anew tomorrow; an administrator can raise it.";
const NOT_REACHED: &str = "It could not be reached, and certainly nothing was done. It can be asked for again in a moment.";
const NOT_TAKEN_IN_TIME: &str = "The service kept asking to wait, for longer than the approval was good for, so it was given up and certainly nothing was done. It can be asked for again later.";

const CALL_TIMEOUT: Duration = Duration::from_secs(30);
/// Extra wait before an outcome is checked: clocks differ, and the provider may still be working.
const GRACE: Duration = Duration::from_secs(30);
const ATTEMPTS: u32 = 3;
/// Maximum attempts for a provider that keeps asking for a pause.
const MOST_WAITS: usize = 100;
/// From this length on, a pause that the provider asks for is shown on the approval card.
const WORTH_TELLING: Duration = Duration::from_secs(60);
/// Pause before a failed call to a provider is repeated, if the provider didn't say how long to wait.
const PAUSE: Duration = Duration::from_secs(20);
const LEAST: Duration = Duration::from_secs(40);

/// Commits the intent, runs the effect and commits its result. Without a result, notes in `open` what to do next.
pub(crate) async fn perform(cx: &mut RunContext<'_>, ready: Ready, open: &mut Open) -> Result<()> {
    let began = cx.now();
    if !cx.deadline.allows(began, LEAST) {
        open.out_of_time = true;
        return Ok(());
    }
    let attempt = ready.grant.as_ref().map_or(1, |grant| grant.attempt);
    let until = began.saturating_add(CALL_TIMEOUT + GRACE);
    let intent = StepKind::Intent {
        call_id: ready.call.id.clone(),
        attempt,
        arguments: ready.arguments.value().clone(),
        until: until.map_err(Failure::bug)?,
    };
    let (def, counts) = (ready.def().clone(), ready.effect() == Effect::Outward);
    if !begin(cx, &ready.call.id, intent, counts).await? {
        let words = failed(NO_MORE_EFFECTS_TODAY);
        return Ok(cx.append(given(&ready.call, &def, words)).await?);
    }
    let mut context = cx.tool_context(&ready.call.id);
    context.call.since = began;
    context.call.shown = ready.grant.and_then(|grant| grant.shown);
    let call = ready.call;
    let work = ready.tool.run(context, ready.arguments);
    let result = tokio::time::timeout(CALL_TIMEOUT, work).await;
    let ms = elapsed_ms(began, cx.now());
    (cx.ports.measure)(ms);
    let late = |_| Err(ToolError::Unknown("no answer in time".into()));
    let output = match result.unwrap_or_else(late) {
        Ok(output) => output,
        Err(ToolError::Failed(why)) => failed(why),
        Err(ToolError::Stop(Failure::Retry { reason, after })) => {
            tracing::warn!(run.id = %cx.run().id, tool.name = call.name, effect.attempt = attempt, reason, "an effect could not be begun");
            match again_after(cx, &call.id, attempt, after) {
                Err(words) => failed(words),
                Ok(pause) => {
                    let (call_id, limited) = (call.id.clone(), after.is_some());
                    let step = StepKind::NotReached { call_id, limited };
                    cx.append(step.took(ms)).await?;
                    if pause >= WORTH_TELLING {
                        show::waits(cx.ports, cx.loaded, &call.id, pause).await;
                    }
                    open.check_after(pause);
                    return Ok(());
                }
            }
        }
        Err(ToolError::Stop(failure)) => return Err(failure),
        Err(ToolError::Unknown(detail)) => {
            tracing::warn!(run.id = %cx.run().id, tool.name = call.name, detail, "the outcome of an effect is unknown");
            open.check_after(CALL_TIMEOUT + GRACE);
            return Ok(());
        }
    };
    record(cx, &call, &def, output, ms).await
}

/// The pause before an effect that certainly didn't happen is tried again, or why it isn't any more.
fn again_after(
    cx: &RunContext<'_>,
    call_id: &str,
    attempt: u32,
    after: Option<Duration>,
) -> Result<Duration, &'static str> {
    let Some(after) = after else {
        return (attempt < ATTEMPTS).then_some(PAUSE).ok_or(NOT_REACHED);
    };
    let mut begun = intents(&cx.loaded.steps, call_id);
    let first = begun.clone().next().map_or(cx.now(), |step| step.at);
    let wait = SignedDuration::try_from(after).unwrap_or(SignedDuration::MAX);
    let waited = cx.now().duration_since(first).saturating_add(wait);
    let is_good = waited <= cx.ports.config.approval_expiry && begun.nth(MOST_WAITS - 1).is_none();
    is_good.then_some(after).ok_or(NOT_TAKEN_IN_TIME)
}

/// Commits the intent and counts what reaches other people. `false` if the owner's daily limit is used up.
async fn begin(cx: &mut RunContext<'_>, id: &str, intent: StepKind, counts: bool) -> Result<bool> {
    if !counts || intents(&cx.loaded.steps, id).next().is_some() {
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
    call: &ToolCall,
    def: &ToolDef,
    output: ToolOutput,
    ms: u64,
) -> Result<()> {
    let written = output.writes.clone();
    // An earlier attempt may have happened.
    let is_first = intents(&cx.loaded.steps, &call.id).nth(1).is_none();
    let drifted = def.effect == Effect::Outward && output.unclear == Some(Unclear::Drifted);
    let (refunds, step) = (is_first && drifted, given(call, def, output).took(ms));
    let mut race = Race::over("the run's row");
    loop {
        let (steps, mut writes) = (vec![step.clone()], written.clone());
        if refunds {
            writes.extend(refund(cx, &call.id).await?);
        }
        match cx.commit(steps, writes, |_| {}).await {
            // The owner stopped the run during the effect, so this worker must not continue it.
            Ok(()) if cx.run().state != RunState::Ready => {
                return Err(CommitError::Superseded.into());
            }
            Ok(()) => return Ok(()),
            Err(CommitError::Superseded) => race.lost()?,
            Err(CommitError::Conflict(_)) if refunds => race.lost()?,
            Err(other) => return Err(other.into()),
        }
        let run = cx.run();
        let found = cx.ports.journal().load(&run.team, &run.id).await?;
        let found = found.filter(|found| !history::has_result(&found.steps, &call.id));
        let found = found.ok_or(CommitError::Superseded)?;
        *cx.loaded = LoadedRun {
            hops: cx.loaded.hops,
            frame: cx.loaded.frame.clone(),
            ..found
        };
    }
}

/// The write that takes a call off the day's count. `None` once a new day has begun.
async fn refund(cx: &RunContext<'_>, call_id: &str) -> Result<Option<Write>> {
    let run = cx.run();
    let seen = usage::load(&*cx.ports.store, run).await?;
    let counted = intents(&cx.loaded.steps, call_id).next();
    let used = counted.map(|step| seen.today(run.input.user(), step.at));
    let Some(mut used) = used.filter(|used| used.outward_effects > 0) else {
        return Ok(None);
    };
    used.outward_effects -= 1;
    usage::write(run, &seen, &used).map(Some)
}

/// Asks the provider whether an effect happened whose intent has no result. If it certainly didn't, tries once more.
pub(crate) async fn settle(
    work: &mut AgentLoop<'_>,
    call: &ToolCall,
    begun: Begun,
    open: &mut Open,
) -> Result<()> {
    let left = Duration::try_from(begun.until.duration_since(work.cx.now()));
    let left = left.unwrap_or_default();
    if !left.is_zero() && left <= 2 * (CALL_TIMEOUT + GRACE) {
        open.check_after(left);
        return Ok(());
    }
    // More is left only if the clock was set back. Nobody knows then when to ask the provider, so the owner is asked.
    let tool = work.agent.tools.get(&call.name);
    let Some(tool) = tool.filter(|_| left.is_zero()) else {
        let ask = unknown(work, call, None, &begun.grant, None).await?;
        open.asks.push(ask);
        return Ok(());
    };
    // If the run changed meanwhile, recording the outcome loads it again, without results that are only held.
    work.cx.save().await?;
    let mut looked_from = work.cx.tool_context(&call.id);
    looked_from.call.since = begun.at;
    let arguments = &begun.grant.arguments;
    match tool.settle(&looked_from, arguments).await {
        Ok(Settled::Done(output)) => {
            record(&mut work.cx, call, tool.def_of(arguments), *output, 0).await
        }
        Ok(Settled::NotDone) => {
            let next = sort::granted(work, call, begun.grant.next(), &[]).await;
            match sort::or_answer(work, call, next)? {
                Next::Run(ready) => perform(&mut work.cx, *ready, open).await?,
                Next::Ask(ask) => open.asks.push(*ask),
                Next::Answer(step, writes) => {
                    work.cx.commit(vec![(*step).into()], writes, |_| {}).await?;
                }
            }
            Ok(())
        }
        Ok(Settled::Unknown) => {
            let preview = tool.preview(&looked_from, arguments).await.ok();
            let ask = unknown(work, call, Some(tool), &begun.grant, preview);
            open.asks.push(ask.await?);
            Ok(())
        }
        Err(ToolError::Stop(failure)) => Err(failure),
        Err(error @ (ToolError::Failed(_) | ToolError::Unknown(_))) => Err(Failure::retry(error)),
    }
}

impl Open {
    fn check_after(&mut self, pause: Duration) {
        self.later = self.later.max(Some(pause));
    }
}

fn intents<'a>(steps: &'a [Step], id: &'a str) -> impl Iterator<Item = &'a Step> + Clone {
    let of =
        move |step: &&Step| matches!(&step.did, StepKind::Intent { call_id, .. } if call_id == id);
    steps.iter().filter(of)
}

async fn unknown(
    work: &AgentLoop<'_>,
    call: &ToolCall,
    tool: Option<&SharedTool>,
    grant: &Grant,
    preview: Option<Preview>,
) -> Result<Ask> {
    let arguments = grant.arguments.clone();
    let preview = preview.unwrap_or_else(|| Preview::of_arguments(&call.name, &arguments));
    Ok(Ask {
        version: None,
        tool: tool.cloned(),
        private: tool.is_none_or(|tool| tool.def_of(&arguments).flow.private),
        shown: grant.shown.clone(),
        beside: Vec::new(),
        approval: Approval {
            question: Question::DidItHappen,
            digest: grant.digest.clone().unwrap_or_default(),
            ..approval(work, call, arguments, preview).await?
        },
    })
}
