//! Sorts the open calls of a turn by what to do next.

use alfred_core::ports::{ToolCall, Write};
use alfred_core::{ApprovalId, Failure, Taint, text};
use serde_json::Value;

use crate::approval::ask::{Ask, MOST_WAITING};
use crate::calls::assess::{self, Gated, Known, fitting, known};
use crate::calls::context::AgentLoop;
use crate::calls::result::{CallError, given, refused};
use crate::calls::stage::{Begun, Grant, Next, Ready, Stage, stage};
use crate::calls::{ask, delegation};
use crate::history::frame;
use crate::history::ledger::{CALLED_OFF, REJECTED_BY_YOU};
use crate::history::owner_words;
use crate::model::approval::{Verdict, memory_key};
use crate::model::effect::Effect;
use crate::model::input::Work;
use crate::model::run::Run;
use crate::model::step::{CallResult, Decided, Step, StepKind, Unclear};
use crate::tool::delegate::fits;
use crate::tool::{Refusal, Resolution, SharedTool, ToolError};

const CALLED_OFF_UNSEEN: &str =
    "This was called off before the person decided. Nothing was done. Don't call it again.";
const EXPIRED_UNSEEN: &str = "The approval expired before anybody decided. Nothing was done. The button on its card renews it.";

#[derive(Default)]
pub struct Sorted {
    pub ready: Vec<Ready>,
    pub asks: Vec<Ask>,
    /// How many others are asked about already.
    pub waiting: usize,
    pub begun: Vec<(ToolCall, Begun)>,
    pub answers: Vec<(CallResult, Vec<Write>)>,
}

pub(crate) async fn sort(
    work: &mut AgentLoop<'_>,
    calls: Vec<ToolCall>,
) -> Result<Sorted, Failure> {
    let mut sorted = Sorted::default();
    for call in calls {
        let next = match stage(&work.cx.loaded.steps, &call.id) {
            Stage::Asked => Ok(Next::Wait),
            Stage::Began(begun) => Ok(Next::Look(begun)),
            Stage::Ended { why, note } => Err(CallError::refused(why, ended(why, note))),
            Stage::Edited(edit) => ask::edited(work, &call, edit, &sorted.ready).await,
            Stage::Granted(grant) => granted(work, &call, grant, &sorted.ready).await,
            Stage::Fresh => fresh(work, &call, &sorted.ready).await,
        };
        let is_full = sorted.waiting + sorted.asks.len() >= MOST_WAITING;
        let next = match next {
            Ok(Next::Ask(_)) if is_full => Err(too_many().into()),
            next => next,
        };
        match or_answer(work, &call, next)? {
            Next::Run(ready) => sorted.ready.push(*ready),
            Next::Ask(ask) => sorted.asks.push(*ask),
            Next::Wait => sorted.waiting += 1,
            Next::Look(begun) => sorted.begun.push((call, begun)),
            Next::Answer(step, writes) => sorted.answers.push((*step, writes)),
        }
    }
    Ok(sorted)
}

/// Turns a refusal into the call's result.
pub(crate) fn or_answer(
    work: &AgentLoop<'_>,
    call: &ToolCall,
    next: Result<Next, CallError>,
) -> Result<Next, Failure> {
    let (why, unclear) = match next {
        Ok(next) => return Ok(next),
        Err(CallError::Stop(failure)) => return Err(failure),
        Err(CallError::Refused { why, unclear }) => (why, unclear),
    };
    let effect = |tool: &SharedTool| match serde_json::from_str(&call.arguments) {
        Ok(arguments) => tool.def_of(&arguments).effect,
        Err(_) => tool.def().effect,
    };
    let tool = work.agent.tools.get(&call.name);
    let step = refused(call, tool.map_or(Effect::Read, effect), why, unclear);
    Ok(Next::Answer(Box::new(step), Vec::new()))
}

/// A new call: checks it, resolves its arguments and passes it to the gate.
async fn fresh(
    work: &mut AgentLoop<'_>,
    call: &ToolCall,
    beside: &[Ready],
) -> Result<Next, CallError> {
    let Known { tool, arguments } = known(work.agent, call)?;
    if is_ruled_out(work, tool) {
        return Err(ruled_out(&tool.def().name).into());
    }
    if tool.is_delegation() {
        fits(arguments.shown().clone())?;
        if let Some(why) = delegation::refuses(work, call, beside) {
            return Err(why.into());
        }
    }
    let context = work.cx.tool_context(&call.id);
    let resolved = tool.resolve(&context, arguments.shown().clone()).await;
    // Resolved arguments contain stored data, so error messages may contain it too.
    let looked = |error: ToolError| error.looked(tool.def());
    match resolved.map_err(looked)? {
        Resolution::Call(arguments) => {
            let known = fitting(work.agent, tool, arguments).map_err(looked)?;
            gated(work, call, known, None, beside).await
        }
        Resolution::Nothing(mut output) => {
            // The writes only record that the user was informed; the call itself changed nothing.
            let writes = std::mem::take(&mut output.writes);
            let step = given(call, tool.def(), *output);
            Ok(Next::Answer(Box::new(step), writes))
        }
    }
}

/// Whether a successful earlier call of this agent excludes the tool.
fn is_ruled_out(work: &AgentLoop<'_>, tool: &SharedTool) -> bool {
    let (steps, frame) = (&work.cx.loaded.steps, &work.cx.loaded.frame);
    let results = frame::own(steps, frame).filter_map(Step::result);
    results.filter(|result| result.ok).any(|result| {
        let Some((_, call)) = frame::call(frame::own(steps, frame), &result.call_id) else {
            return false;
        };
        let arguments = serde_json::from_str::<Value>(&call.arguments);
        let made = work.agent.tools.get(&call.name).zip(arguments.ok());
        made.is_some_and(|(made, arguments)| made.rules_out(&arguments, tool.def()))
    })
}

/// Runs an approved call if it equals what was approved, and its preview is still the one shown.
pub(crate) async fn granted(
    work: &mut AgentLoop<'_>,
    call: &ToolCall,
    grant: Grant,
    beside: &[Ready],
) -> Result<Next, CallError> {
    let drifted = || CallError::refused(Unclear::Drifted, text::DRIFTED);
    let tool = work.agent.tools.get(&call.name).ok_or_else(drifted)?;
    let known = fitting(work.agent, tool, grant.arguments.clone()).map_err(|_| drifted())?;
    let Some(digest) = grant.digest.clone() else {
        return gated(work, call, known, Some(grant), beside).await;
    };
    if grant.shown.is_some() && grant.shown != ask::shown_now(work, call, &known).await? {
        return Err(drifted());
    }
    Ok(Next::Run(Box::new(Ready {
        call: call.clone(),
        tool: tool.clone(),
        arguments: assess::still_granted(work, known, &digest).await?,
        grant: Some(grant),
    })))
}

/// Passes a call to the gate, then runs it or asks the owner.
async fn gated(
    work: &mut AgentLoop<'_>,
    call: &ToolCall,
    known: Known<'_>,
    grant: Option<Grant>,
    beside: &[Ready],
) -> Result<Next, CallError> {
    let tool = known.tool.clone();
    let words = owner_words(work.cx.run());
    let (concerns, arguments) = match assess::gate(work, call, known, beside, &words).await? {
        Gated::Authorized(arguments) => {
            let call = call.clone();
            return Ok(Next::Run(Box::new(Ready {
                call,
                tool,
                arguments,
                grant,
            })));
        }
        Gated::Ask {
            concerns,
            arguments,
        } => (concerns, arguments),
    };
    if consents(work.cx.run(), &tool.def().name, arguments.shown())? {
        let grant = Grant {
            arguments: arguments.shown().clone(),
            digest: Some(assess::digest_of(work, &tool, arguments.shown())?),
            shown: None,
            attempt: 1,
        };
        work.cx.append(consented(call, &grant)).await?;
        return Box::pin(granted(work, call, grant, beside)).await;
    }
    let ask = ask::ask(work, call, &tool, arguments.shown(), concerns).await?;
    Ok(Next::Ask(Box::new(ask)))
}

fn too_many() -> Refusal {
    Refusal::from(format!(
        "Not asked: at most {MOST_WAITING} calls can wait for the person's approval at once. Once they have decided about those, make the next ones."
    ))
}

fn ruled_out(tool: &str) -> Refusal {
    Refusal::from(format!(
        "{tool}: a skill you read doesn't allow this tool. Go on without it, or say what couldn't be done."
    ))
}

fn ended(why: Unclear, note: Option<String>) -> Refusal {
    match why {
        Unclear::Expired => EXPIRED_UNSEEN.into(),
        Unclear::CalledOff => Refusal::from(CALLED_OFF_UNSEEN).say(CALLED_OFF),
        Unclear::Unknown => {
            "Nobody can tell whether this happened, and it was left at that.".into()
        }
        Unclear::Rejected | Unclear::Forbidden | Unclear::Drifted => {
            Refusal::from(rejected(note.as_deref())).say(REJECTED_BY_YOU)
        }
    }
}

fn rejected(note: Option<&str>) -> String {
    match note {
        Some(note) => format!(
            "The person rejected this, and said: \"{note}\". Nothing was done. Don't call it again unchanged."
        ),
        None => "The person rejected this. Nothing was done. Don't call it again unchanged.".into(),
    }
}

/// Whether the owner made exactly this call by clicking a button bound to it.
fn consents(run: &Run, tool: &str, arguments: &Value) -> Result<bool, Failure> {
    let consent = match &run.work {
        Work::Call(call) => call.consent.as_deref(),
        Work::Agent | Work::Say { .. } | Work::Program { .. } => None,
    };
    Ok(match consent {
        Some(consent) => memory_key(tool, arguments)? == consent,
        None => false,
    })
}

/// The click on a button bound to this call counts as its approval.
fn consented(call: &ToolCall, grant: &Grant) -> StepKind {
    StepKind::Decided(Decided {
        call_id: call.id.clone(),
        approval: ApprovalId::from("direct"),
        revision: 1,
        verdict: Verdict::Approve,
        digest: grant.digest.clone().unwrap_or_default(),
        arguments: grant.arguments.clone(),
        note: None,
        taint: Taint::default(),
    })
}
