//! Builds the approval request for a call, also for one that its owner edited.

use alfred_core::ports::ToolCall;
use alfred_core::text;
use serde_json::Value;

use crate::approval::ask::{Ask, Revised};
use crate::calls::assess::{self, Concerns, Gated, fitting};
use crate::calls::context::AgentLoop;
use crate::calls::result::{drifted, unclear};
use crate::calls::stage::{Next, Ready};
use crate::history::owner_words::owner_words;
use crate::model::approval::{Question, Reason};
use crate::model::preview::Preview;
use crate::model::step::{Decided, Unclear};
use crate::tool::{Resolution, SharedTool, ToolError};

pub(crate) async fn ask(
    work: &AgentLoop<'_>,
    call: &ToolCall,
    tool: &SharedTool,
    arguments: &Value,
    concerns: Concerns,
) -> Result<Ask, ToolError> {
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
) -> Result<Preview, ToolError> {
    let context = work.cx.tool_context(&call.id);
    let preview = tool.preview(&context, arguments).await;
    let preview = preview.map_err(|error| error.looked(tool.def_of(arguments)))?;
    preview.check().map_err(ToolError::failed)?;
    Ok(preview)
}

/// Asks about the edited call. An unusable edit asks about the unedited call, and the card says why.
pub(crate) async fn edited(
    work: &AgentLoop<'_>,
    call: &ToolCall,
    edit: Decided,
    before: Value,
    beside: &[Ready],
) -> Result<Next, ToolError> {
    let tool = work.agent.tools.get(&call.name).ok_or_else(drifted)?;
    let mut words = owner_words(work.cx.run());
    let (arguments, trouble) = match usable(work, call, tool, &edit.arguments).await {
        Ok(usable) => {
            // An edit by a tainted run may contain other people's text.
            if edit.taint.untrusted.is_empty() {
                words.extend(changed_texts(&before, &edit.arguments));
            }
            (usable, None)
        }
        Err(ToolError::Failed(why)) => (before, Some(why.said())),
        Err(stop) => return Err(stop),
    };
    let known = fitting(work.agent, tool, arguments).map_err(|_| drifted())?;
    let gated = assess::gate(work, call, known, beside, &words).await;
    // A refusal of an edited call must be reported to the owner, so it gets a reason.
    let reported = |error: ToolError| error.map(|why| why.unclear(Unclear::Drifted));
    let (arguments, concerns) = match gated.map_err(reported)? {
        Gated::Ask(arguments, concerns) => (arguments, concerns),
        // It needed approval before, so an edit must not skip it.
        Gated::Authorized(arguments) => {
            let concerns = Concerns {
                reasons: vec![Reason::ToolAsks],
                recipients: Vec::new(),
            };
            (arguments.into_value(), concerns)
        }
    };
    let asked = ask(work, call, tool, &arguments, concerns).await;
    let mut ask = asked.map_err(reported)?;
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
    edited: &Value,
) -> Result<Value, ToolError> {
    fitting(work.agent, tool, edited.clone())?;
    let context = work.cx.tool_context(&call.id);
    match tool.resolve_edit(&context, edited.clone()).await? {
        Resolution::Call(arguments) => {
            preview(work, call, tool, &arguments).await?;
            Ok(arguments)
        }
        Resolution::Nothing(_) => Err(unclear(Unclear::Drifted, text::NOTHING_LEFT)),
    }
}

/// The argument texts that the owner changed.
fn changed_texts(before: &Value, after: &Value) -> Vec<String> {
    let fields = after.as_object().into_iter().flatten();
    let texts = fields.flat_map(|(name, value)| match (&before[name], value) {
        (kept, value) if kept == value => Vec::new(),
        (kept, Value::Array(items)) => {
            let new = |item: &&Value| kept.as_array().is_none_or(|kept| !kept.contains(item));
            items.iter().filter(new).collect()
        }
        (_, other) => vec![other],
    });
    texts.filter_map(Value::as_str).map(str::to_owned).collect()
}
