//! What an owner is asked about a call, and what they are shown of it.

use alfred_core::Failure;
use alfred_core::ports::ToolCall;
use serde_json::Value;

use super::assess::Known;
use super::{context, of_call};
use crate::approval::Question;
use crate::approval::park::Ask;
use crate::gate::{Reason, Recipient};
use crate::journal::LoadedRun;
use crate::ports::Ports;
use crate::preview::Preview;
use crate::tool::{Refusal, SharedTool, ToolError};

/// What its owner is asked about a call.
pub fn ask(
    call: ToolCall,
    tool: &SharedTool,
    arguments: &Value,
    digest: String,
    preview: Preview,
    reasons: Vec<Reason>,
    recipients: Vec<Recipient>,
) -> Ask {
    Ask {
        call_id: call.id,
        tool: tool.def().name.to_string(),
        private: tool.def_of(arguments).flow.private,
        question: Question::MayItRun,
        arguments: arguments.clone(),
        digest,
        shown: Some(preview.digest()),
        preview,
        reasons,
        recipients,
        revised: None,
    }
}

/// A proposal as its card shows it.
pub async fn proposed(
    ports: &Ports,
    loaded: &LoadedRun,
    tool: &SharedTool,
    call: &ToolCall,
    arguments: &Value,
) -> Result<String, Failure> {
    let shown = preview(ports, loaded, tool, call, arguments).await?;
    Ok(shown.map_or_else(|refusal| refusal.message, |preview| preview.as_text()))
}

/// Everything the call would do, or in words why it can't be done or shown.
pub async fn preview(
    ports: &Ports,
    loaded: &LoadedRun,
    tool: &SharedTool,
    call: &ToolCall,
    arguments: &Value,
) -> Result<Result<Preview, Refusal>, Failure> {
    let context = of_call(context(ports, &loaded.run), &call.id, ports.clock.now());
    match tool.preview(&context, arguments).await {
        Ok(preview) => Ok(match preview.check() {
            Ok(()) => Ok(preview),
            Err(words) => Err(words.into()),
        }),
        Err(ToolError::Failed(why)) => Ok(Err(why.looked(tool.def_of(arguments)))),
        Err(ToolError::Unknown(detail)) => Err(Failure::retry(detail)),
        Err(ToolError::Stop(failure)) => Err(failure),
    }
}

/// The digest of what its owner would be shown now; `None` when it can't be done any more.
pub async fn shown_now(
    ports: &Ports,
    loaded: &LoadedRun,
    known: &Known<'_>,
) -> Result<Option<String>, Failure> {
    let context = context(ports, &loaded.run);
    match known.tool.preview(&context, known.arguments.shown()).await {
        Ok(preview) => Ok(Some(preview.digest())),
        Err(ToolError::Failed(_)) => Ok(None),
        Err(ToolError::Unknown(detail)) => Err(Failure::retry(detail)),
        Err(ToolError::Stop(failure)) => Err(failure),
    }
}
