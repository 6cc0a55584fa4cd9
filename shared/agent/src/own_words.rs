//! The words of an owner: what they wrote themselves vouches for whom a call reaches and for what it steers.

use serde_json::Value;

use crate::run::{Run, RunInput};
use crate::tool::ToolDef;

/// What the owner wrote in this conversation, this request included. A request with a quotation in it
/// vouches for nobody: who stands in it may stand in the quoted part.
#[must_use]
pub fn owner_words(run: &Run) -> Vec<String> {
    let earlier = run.history.iter().filter(|exchange| !exchange.quotes);
    let earlier = earlier.map(|exchange| exchange.request.clone());
    earlier.chain(own_request(run).map(str::to_owned)).collect()
}

/// Whether the words by which a call steers stand in the owner's request as they are.
#[must_use]
pub fn asked_for(run: &Run, def: &ToolDef, arguments: &Value) -> bool {
    let words = def.words.and_then(|argument| arguments[argument].as_str());
    let words = words.map(str::trim).filter(|words| !words.is_empty());
    words.is_some_and(|words| own_request(run).is_some_and(|request| request.contains(words)))
}

/// The request as its owner wrote it. A team's task was written by a model, and a quotation by others.
fn own_request(run: &Run) -> Option<&str> {
    match &run.input {
        RunInput::Worker(input) if !input.quotes => Some(&input.task_prompt),
        RunInput::Worker(_) | RunInput::Team(_) => None,
    }
}
