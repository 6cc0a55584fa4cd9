//! Handles a call that its owner edited: the edited call needs approval again.

use alfred_core::ports::ToolCall;
use alfred_core::{Failure, text};
use serde_json::Value;

use super::assess::{Concerns, Gated, fitting};
use super::outcome::CallError;
use super::ready::Ready;
use super::sort::Next;
use super::stage::Edit;
use crate::approval::park::Revised;
use crate::context::AgentLoop;
use crate::gate::Reason;
use crate::interpret;
use crate::own_words::owner_words;
use crate::step::Unclear;
use crate::tool::{Resolution, SharedTool};

impl AgentLoop<'_> {
    /// Asks about the edited call. An unusable edit asks about the unedited call, and the card says why.
    pub(super) async fn edited(
        &self,
        call: &ToolCall,
        edit: Edit,
        beside: &[Ready],
    ) -> Result<Next, CallError> {
        let drifted = || CallError::refused(Unclear::Drifted, text::DRIFTED);
        let tool = self.agent.tools.get(&call.name).ok_or_else(drifted)?;
        let mut words = owner_words(self.cx.run());
        let (arguments, trouble) = match self.usable(call, tool, &edit).await {
            Ok(usable) => {
                if !edit.tainted {
                    words.extend(changed_texts(&edit.before, &edit.after));
                }
                (usable, None)
            }
            Err(CallError::Refused { why, .. }) => (edit.before, Some(why.said())),
            Err(stop) => return Err(stop),
        };
        let known = fitting(self.agent, tool, arguments).map_err(|_| drifted())?;
        let gated = self.gate(call, known, beside, &words).await;
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
        let asked = self.ask(call, tool, &arguments, concerns).await;
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
        &self,
        call: &ToolCall,
        tool: &SharedTool,
        edit: &Edit,
    ) -> Result<Value, CallError> {
        let refused = |words: String| CallError::refused(Unclear::Drifted, words);
        let wanted = match (&edit.words, &edit.read) {
            (None, _) => edit.after.clone(),
            (Some(_), Some(turn)) => {
                interpret::arguments(self.agent, tool, &edit.after, turn).map_err(refused)?
            }
            (Some(_), None) => {
                return Err(Failure::bug("an owner's words reached a call unread").into());
            }
        };
        fitting(self.agent, tool, wanted.clone())?;
        let context = self.cx.tool_context(&call.id);
        match tool.resolve_edit(&context, wanted).await? {
            Resolution::Call(arguments) => {
                self.preview(call, tool, &arguments).await?;
                Ok(arguments)
            }
            Resolution::Nothing(_) => Err(refused(
                "nothing would be left to do; press Cancel if that is what you want.".to_owned(),
            )),
        }
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
