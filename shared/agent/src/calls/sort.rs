//! Sorts the open calls of a turn by what to do next.

use alfred_core::ports::{ToolCall, Write};
use alfred_core::{ApprovalId, Failure, Result, Taint};
use serde_json::Value;
use std::time::Duration;

use crate::approval::pending::{Ask, MOST_WAITING};
use crate::calls::assess::{self, Gated, Known, fitting, known};
use crate::calls::context::AgentLoop;
use crate::calls::result::{drifted, failed, given, step};
use crate::calls::stage::{Begun, Grant, Next, Ready, Stage, stage};
use crate::calls::{ask, delegation};
use crate::history::{frame, owner_words};
use crate::model::{
    CallResult, Decided, Effect, Preview, Step, StepKind, Verdict, Work, memory_key,
};
use crate::tool::delegate::fits;
use crate::tool::{self, Resolution, SharedTool, ToolError};

#[derive(Default)]
pub(crate) struct Open {
    pub ready: Vec<Ready>,
    /// Calls of other agents; they start after all others.
    pub delegations: Vec<Ready>,
    pub asks: Vec<Ask>,
    /// Calls that the owner was asked about already.
    pub waiting: usize,
    pub begun: Vec<(ToolCall, Begun)>,
    pub answers: Vec<(CallResult, Vec<Write>)>,
    /// When to check an effect with an unknown outcome.
    pub later: Option<Duration>,
    /// The invocation has too little time left to start an effect.
    pub out_of_time: bool,
}

pub(crate) async fn sort(work: &mut AgentLoop<'_>, calls: Vec<ToolCall>) -> Result<Open> {
    let mut open = Open::default();
    for call in calls {
        let next = match stage(&work.cx.loaded.steps, &call.id) {
            Stage::Asked => {
                open.waiting += 1;
                continue;
            }
            Stage::Began(begun) => {
                open.begun.push((call, begun));
                continue;
            }
            Stage::Ended(why) => Err(ToolError::Failed(why)),
            Stage::Edited { edit, before } => {
                ask::edited(work, &call, edit, before, &open.ready).await
            }
            Stage::Granted(grant) => granted(work, &call, grant, &open.ready).await,
            Stage::Fresh => fresh(work, &call, &open.ready).await,
        };
        let next = match next {
            Ok(Next::Ask(_)) if open.waiting + open.asks.len() >= MOST_WAITING => {
                Err(ToolError::failed(format!(
                    "Not asked: at most {MOST_WAITING} calls can wait for the person's approval at once. Once they have decided about those, make the next ones."
                )))
            }
            next => next,
        };
        match or_answer(work, &call, next)? {
            Next::Run(ready) => open.ready.push(*ready),
            Next::Ask(ask) => open.asks.push(*ask),
            Next::Answer(step, writes) => open.answers.push((*step, writes)),
        }
    }
    let is_delegation = |ready: &mut Ready| ready.tool.def().delegates;
    open.delegations = open.ready.extract_if(.., is_delegation).collect();
    Ok(open)
}

/// Turns a refusal into the call's result. So far the call only read, so an unknown outcome can be retried.
pub(crate) fn or_answer(
    work: &AgentLoop<'_>,
    call: &ToolCall,
    next: Result<Next, ToolError>,
) -> Result<Next> {
    let why = match next {
        Ok(next) => return Ok(next),
        Err(ToolError::Stop(failure)) => return Err(failure),
        Err(ToolError::Unknown(detail)) => return Err(Failure::retry(detail)),
        Err(ToolError::Failed(why)) => why,
    };
    let effect = |tool: &SharedTool| match serde_json::from_str(&call.arguments) {
        Ok(arguments) => tool.def_of(&arguments).effect,
        Err(_) => tool.def().effect,
    };
    let tool = work.agent.tools.get(&call.name);
    let step = step(call, tool.map_or(Effect::Read, effect), failed(why));
    Ok(Next::Answer(Box::new(step), Vec::new()))
}

async fn fresh(work: &mut AgentLoop<'_>, call: &ToolCall, beside: &[Ready]) -> tool::Result<Next> {
    let Known { tool, arguments } = known(work.agent, call)?;
    assess::permitted(work, tool.def_of(arguments.shown()))?;
    if is_ruled_out(work, tool) {
        return Err(ToolError::failed(format!(
            "{}: a skill you read doesn't allow this tool. Go on without it, or say what couldn't be done.",
            tool.def().name
        )));
    }
    if tool.def().delegates {
        fits(arguments.shown().clone())?;
        if let Some(why) = delegation::refuses(work, call, beside) {
            return Err(ToolError::failed(why));
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
) -> Result<Next, ToolError> {
    let tool = work.agent.tools.get(&call.name).ok_or_else(drifted)?;
    let known = fitting(work.agent, tool, grant.arguments.clone()).map_err(|_| drifted())?;
    let Some(digest) = grant.digest.clone() else {
        return gated(work, call, known, Some(grant), beside).await;
    };
    // The run of an outward tool compares the call with the approved preview, just before it acts.
    if grant.shown.is_some() && tool.def_of(known.shown()).effect != Effect::Outward {
        let mut context = work.cx.tool_context(&call.id);
        context.call.shown.clone_from(&grant.shown);
        let preview = ask::preview(work, call, tool, known.shown()).await;
        context.ensure_unchanged_since_approval(preview, Preview::clone)?;
    }
    Ok(Next::Run(Box::new(Ready {
        call: call.clone(),
        tool: tool.clone(),
        arguments: assess::still_granted(work, known, &digest).await?,
        grant: Some(grant),
        left: None,
    })))
}

async fn gated(
    work: &mut AgentLoop<'_>,
    call: &ToolCall,
    known: Known<'_>,
    grant: Option<Grant>,
    beside: &[Ready],
) -> Result<Next, ToolError> {
    let tool = known.tool.clone();
    let words = owner_words(work.cx.run());
    let (arguments, concerns) = match assess::gate(work, call, known, beside, &words).await? {
        Gated::Authorized(arguments) => {
            return Ok(Next::Run(Box::new(Ready {
                call: call.clone(),
                tool,
                arguments,
                grant,
                left: None,
            })));
        }
        Gated::Ask(arguments, concerns) => (arguments, concerns),
    };
    let consents = match &work.cx.run().work {
        Work::Call(call) => call.consent.as_ref(),
        Work::Agent | Work::Say { .. } | Work::Program { .. } => None,
    };
    // The owner clicked a button bound to exactly this call, which counts as its approval.
    if consents == Some(&memory_key(&tool.def().name, &arguments)?) {
        let digest = assess::digest_of(work, &tool, &arguments)?;
        let step = StepKind::Decided(Decided {
            call_id: call.id.clone(),
            approval: ApprovalId::from("direct"),
            revision: 1,
            verdict: Verdict::Approve,
            digest: digest.clone(),
            arguments: arguments.clone(),
            note: None,
            taint: Taint::default(),
        });
        work.cx.append(step).await.map_err(Failure::from)?;
        let grant = Grant {
            arguments,
            digest: Some(digest),
            shown: None,
            attempt: 1,
        };
        return Box::pin(granted(work, call, grant, beside)).await;
    }
    let ask = ask::ask(work, call, &tool, arguments, concerns).await?;
    Ok(Next::Ask(Box::new(ask)))
}
