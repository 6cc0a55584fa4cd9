//! A call that its owner changed before deciding: as it is then, it is asked anew.

use alfred_core::ports::{ToolCall, Turn};
use alfred_core::{Failure, text};
use serde_json::Value;

use super::ask::{ask, preview};
use super::assess::{Gated, digest_of, fitting, gate};
use super::sort::Sorted;
use super::{CallError, context};
use crate::agent::Agent;
use crate::approval::park::Revised;
use crate::gate::Reason;
use crate::interpret;
use crate::journal::LoadedRun;
use crate::ports::Ports;
use crate::recipients::owner_words;
use crate::step::Unclear;
use crate::tool::{Resolution, SharedTool, ToolError};

/// What an owner made of a call.
pub struct Edit {
    /// What is asked anew, as which revision.
    pub again: Revised,
    /// The arguments as they were.
    pub before: Value,
    /// The arguments as the owner wrote them.
    pub after: Value,
    /// Whether other people's words may be in them.
    pub tainted: bool,
    /// What the owner wants of it in words.
    pub words: Option<String>,
    /// What a model made of these.
    pub read: Option<Box<Turn>>,
}

/// A call as its owner wrote it is asked anew. An edit that can't be used is
/// asked about as it was, and the card says why.
pub async fn edited(
    ports: &Ports,
    agent: &Agent,
    loaded: &mut LoadedRun,
    sorted: &mut Sorted,
    call: ToolCall,
    edit: Edit,
) -> Result<(), CallError> {
    let Some(tool) = agent.tools.get(&call.name) else {
        sorted.refuse(agent, call, Some(Unclear::Drifted), text::drifted());
        return Ok(());
    };
    let Edit {
        mut again,
        before,
        after: mut arguments,
        tainted,
        words: said,
        read,
    } = edit;
    let mut words = owner_words(&loaded.run);
    let wanted = match (said, read) {
        (None, _) => Ok(arguments.clone()),
        (Some(_), None) => {
            let unread = Failure::bug("an owner's words reached a call unread");
            return Err(CallError::Stop(unread));
        }
        (Some(_), Some(turn)) => interpret::arguments(agent, tool, &arguments, &turn),
    };
    let usable = match wanted {
        Ok(wanted) => usable(ports, agent, loaded, tool, &call, &wanted).await?,
        Err(trouble) => Err(trouble),
    };
    match usable {
        Ok(usable) => {
            if !tainted {
                words.extend(changed_texts(&before, &arguments));
            }
            arguments = usable;
        }
        Err(trouble) => {
            again.trouble = Some(trouble);
            arguments = before;
        }
    }
    let Ok(known) = fitting(agent, tool, arguments) else {
        sorted.refuse(agent, call, Some(Unclear::Drifted), text::drifted());
        return Ok(());
    };
    let made = sorted.circumstances(agent, loaded, &words, tool);
    let gated = gate(ports, &loaded.run, &call, known, made).await?;
    let (reasons, recipients, arguments) = match gated {
        Gated::Forbidden(words) => {
            sorted.refuse(agent, call, Some(Unclear::Forbidden), words);
            return Ok(());
        }
        Gated::Impossible(why) => {
            sorted.refuse(agent, call, Some(Unclear::Drifted), why);
            return Ok(());
        }
        Gated::Ask {
            reasons,
            recipients,
            arguments,
        } => (reasons, recipients, arguments.shown().clone()),
        // It was asked about once: an edit doesn't get it past its owner.
        Gated::Authorized(arguments) => {
            (vec![Reason::ToolAsks], Vec::new(), arguments.into_value())
        }
    };
    let digest = digest_of(ports, &loaded.run, tool, &arguments)?;
    match preview(ports, loaded, tool, &call, &arguments).await? {
        Ok(preview) => {
            let mut ask = ask(call, tool, &arguments, digest, preview, reasons, recipients);
            ask.revised = Some(again);
            sorted.asks.push(ask);
        }
        Err(message) => sorted.refuse(agent, call, Some(Unclear::Drifted), message),
    }
    Ok(())
}

/// Edited arguments as they would run, if they fit the tool's schema and the tool itself.
async fn usable(
    ports: &Ports,
    agent: &Agent,
    loaded: &LoadedRun,
    tool: &SharedTool,
    call: &ToolCall,
    arguments: &Value,
) -> Result<Result<Value, String>, Failure> {
    let context = super::of_call(context(ports, &loaded.run), &call.id, ports.clock.now());
    let resolved = match fitting(agent, tool, arguments.clone()) {
        Ok(_) => tool.resolve_edit(&context, arguments.clone()).await,
        Err(error) => Err(error),
    };
    match resolved {
        Ok(Resolution::Call(arguments)) => {
            let shown = preview(ports, loaded, tool, call, &arguments).await?;
            Ok(shown.map(|_| arguments).map_err(|why| why.message))
        }
        Ok(Resolution::Nothing(_)) => Ok(Err(text::nothing_left_to_do())),
        Err(ToolError::Failed(why)) => Ok(Err(why.message)),
        Err(ToolError::Unknown(detail)) => Err(Failure::bug(detail)),
        Err(ToolError::Stop(failure)) => Err(failure),
    }
}

/// What the owner wrote themselves: the texts of arguments that differ.
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
