//! Builds the approval request for a call, also for one that its owner edited.

use alfred_core::ports::ToolCall;
use alfred_core::text;
use serde_json::Value;

use crate::approval::ask::{Ask, Revised};
use crate::calls::assess::{self, Concerns, Gated, Known, fitting};
use crate::calls::context::AgentLoop;
use crate::calls::result::CallError;
use crate::calls::stage::{Edit, Next, Ready};
use crate::history::owner_words;
use crate::model::approval::{Question, Reason};
use crate::model::preview::Preview;
use crate::model::step::Unclear;
use crate::tool::{Refusal, Resolution, SharedTool};

pub(crate) async fn ask(
    work: &AgentLoop<'_>,
    call: &ToolCall,
    tool: &SharedTool,
    arguments: &Value,
    concerns: Concerns,
) -> Result<Ask, CallError> {
    let preview = preview(work, call, tool, arguments).await?;
    Ok(Ask {
        call_id: call.id.clone(),
        tool: tool.def().name.to_string(),
        private: tool.def_of(arguments).flow.private,
        question: Question::MayItRun,
        arguments: arguments.clone(),
        digest: assess::digest_of(work, tool, arguments)?,
        shown: Some(preview.digest()?),
        preview,
        reasons: concerns.reasons,
        recipients: concerns.recipients,
        beside: tool
            .asked(&work.cx.tool_context(&call.id), arguments)
            .map_err(|error| error.looked(tool.def_of(arguments)))?,
        revised: None,
    })
}

/// The preview of everything the call would do. Fails with `Refused` if the call can't be done or shown.
pub(crate) async fn preview(
    work: &AgentLoop<'_>,
    call: &ToolCall,
    tool: &SharedTool,
    arguments: &Value,
) -> Result<Preview, CallError> {
    let context = work.cx.tool_context(&call.id);
    let preview = tool.preview(&context, arguments).await;
    let preview = preview.map_err(|error| error.looked(tool.def_of(arguments)))?;
    preview.check().map_err(Refusal::from)?;
    Ok(preview)
}

/// Digest of the current preview. `None` if the call is no longer possible.
pub(crate) async fn shown_now(
    work: &AgentLoop<'_>,
    call: &ToolCall,
    known: &Known<'_>,
) -> Result<Option<String>, CallError> {
    let preview = preview(work, call, known.tool, known.arguments.shown());
    match preview.await {
        Ok(preview) => Ok(Some(preview.digest()?)),
        Err(CallError::Refused { .. }) => Ok(None),
        Err(stop) => Err(stop),
    }
}

/// Asks about the edited call. An unusable edit asks about the unedited call, and the card says why.
pub(crate) async fn edited(
    work: &AgentLoop<'_>,
    call: &ToolCall,
    edit: Edit,
    beside: &[Ready],
) -> Result<Next, CallError> {
    let drifted = || CallError::refused(Unclear::Drifted, text::DRIFTED);
    let tool = work.agent.tools.get(&call.name).ok_or_else(drifted)?;
    let mut words = owner_words(work.cx.run());
    let (arguments, trouble) = match usable(work, call, tool, &edit).await {
        Ok(usable) => {
            if !edit.tainted {
                words.extend(changed_texts(&edit.before, &edit.after));
            }
            (usable, None)
        }
        Err(CallError::Refused { why, .. }) => (edit.before, Some(why.said())),
        Err(stop) => return Err(stop),
    };
    let known = fitting(work.agent, tool, arguments).map_err(|_| drifted())?;
    let gated = assess::gate(work, call, known, beside, &words).await;
    let (concerns, arguments) = match gated.map_err(CallError::after_asking)? {
        Gated::Ask {
            concerns,
            arguments,
        } => (concerns, arguments.shown().clone()),
        // It needed approval before, so an edit must not skip it.
        Gated::Authorized(arguments) => {
            let concerns = Concerns {
                reasons: vec![Reason::ToolAsks],
                recipients: Vec::new(),
            };
            (concerns, arguments.into_value())
        }
    };
    let asked = ask(work, call, tool, &arguments, concerns).await;
    let mut ask = asked.map_err(CallError::after_asking)?;
    ask.revised = Some(Revised {
        approval: edit.approval,
        revision: edit.revision + 1,
        trouble,
    });
    Ok(Next::Ask(Box::new(ask)))
}

/// The edited arguments, resolved. Refused if they don't fit the schema or the tool.
async fn usable(
    work: &AgentLoop<'_>,
    call: &ToolCall,
    tool: &SharedTool,
    edit: &Edit,
) -> Result<Value, CallError> {
    fitting(work.agent, tool, edit.after.clone())?;
    let context = work.cx.tool_context(&call.id);
    match tool.resolve_edit(&context, edit.after.clone()).await? {
        Resolution::Call(arguments) => {
            preview(work, call, tool, &arguments).await?;
            Ok(arguments)
        }
        Resolution::Nothing(_) => Err(CallError::refused(Unclear::Drifted, text::NOTHING_LEFT)),
    }
}

/// The argument texts that the owner changed.
fn changed_texts(before: &Value, after: &Value) -> Vec<String> {
    let mut texts = Vec::new();
    for (name, value) in after.as_object().into_iter().flatten() {
        if before.get(name) != Some(value) {
            match value {
                Value::Array(items) => {
                    let kept = before.get(name).and_then(Value::as_array);
                    let new = items
                        .iter()
                        .filter(|item| !kept.is_some_and(|kept| kept.contains(item)));
                    texts.extend(new.filter_map(Value::as_str).map(str::to_owned));
                }
                other => texts.extend(other.as_str().map(str::to_owned)),
            }
        }
    }
    texts
}
