//! The thumbs under an answer.

use alfred_core::{RunId, WorkerOutput};
use serde_json::{Value, json};

use crate::model::{Rating, Run, Work};
use crate::slack::rich_text;

/// `action_id` of the thumbs. Their values are `good:RUN` and `bad:RUN`.
pub const RATE: &str = "answer_rate";

/// Only an agent's answer to its owner is rated.
pub(super) fn thumbs(run: &Run, output: &WorkerOutput) -> Option<Value> {
    let thumb = |rating: Rating, label: &str| {
        let label = rich_text::plain(label, rich_text::BUTTON_CHARS);
        json!({"text": label, "value": format!("{}:{}", rating.name(), run.id)})
    };
    let thumbs = json!({
        "type": "feedback_buttons", "action_id": RATE,
        "positive_button": thumb(Rating::Good, "Good answer"),
        "negative_button": thumb(Rating::Bad, "Bad answer"),
    });
    let is_rated = output.result.is_some() && run.work == Work::Agent && run.job.is_none();
    is_rated.then(|| json!({"type": "context_actions", "elements": [thumbs]}))
}

/// Reads the value of a pressed thumb.
pub fn rated(value: &str) -> Option<(Rating, RunId)> {
    let (name, run) = value.split_once(':')?;
    let mut both = [Rating::Good, Rating::Bad].into_iter();
    Some((both.find(|rating| rating.name() == name)?, run.into()))
}
