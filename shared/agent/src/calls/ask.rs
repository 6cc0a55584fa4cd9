//! Builds the approval request for a call.

use alfred_core::ports::ToolCall;
use serde_json::Value;

use super::assess::{Concerns, Known};
use super::outcome::CallError;
use crate::approval::Question;
use crate::approval::park::Ask;
use crate::context::AgentLoop;
use crate::preview::Preview;
use crate::tool::SharedTool;

impl AgentLoop<'_> {
    pub(super) async fn ask(
        &self,
        call: &ToolCall,
        tool: &SharedTool,
        arguments: &Value,
        concerns: Concerns,
    ) -> Result<Ask, CallError> {
        let preview = self.preview(call, tool, arguments).await?;
        Ok(Ask {
            call_id: call.id.clone(),
            tool: tool.def().name.to_string(),
            private: tool.def_of(arguments).flow.private,
            question: Question::MayItRun,
            arguments: arguments.clone(),
            digest: self.digest_of(tool, arguments)?,
            shown: Some(preview.digest()?),
            preview,
            reasons: concerns.reasons,
            recipients: concerns.recipients,
            beside: tool
                .asked(&self.cx.tool_context(&call.id), arguments)
                .map_err(|error| error.looked(tool.def_of(arguments)))?,
            revised: None,
        })
    }

    /// The preview of everything the call would do. Fails with `Refused` if the call can't be done or shown.
    pub(crate) async fn preview(
        &self,
        call: &ToolCall,
        tool: &SharedTool,
        arguments: &Value,
    ) -> Result<Preview, CallError> {
        let context = self.cx.tool_context(&call.id);
        let preview = tool.preview(&context, arguments).await;
        let preview = preview.map_err(|error| error.looked(tool.def_of(arguments)))?;
        match preview.check() {
            Ok(()) => Ok(preview),
            Err(words) => Err(CallError::Refused {
                why: words.into(),
                unclear: None,
            }),
        }
    }

    /// Digest of the current preview. `None` if the call is no longer possible.
    pub(super) async fn shown_now(
        &self,
        call: &ToolCall,
        known: &Known<'_>,
    ) -> Result<Option<String>, CallError> {
        match self
            .preview(call, known.tool, known.arguments.shown())
            .await
        {
            Ok(preview) => Ok(Some(preview.digest()?)),
            Err(CallError::Refused { .. }) => Ok(None),
            Err(stop) => Err(stop),
        }
    }
}
