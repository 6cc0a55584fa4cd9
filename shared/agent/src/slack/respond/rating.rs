//! The thumbs under an answer.

use alfred_core::{RunId, WorkerOutput};
use serde_json::{Value, json};

use crate::model::{Rating, Run, Work};
use crate::slack::rich_text;

/// `action_id` of the thumbs. Their values are `good:RUN` and `bad:RUN`.
pub const RATE: &str = "answer_rate";
/// Maximum characters of a label. Slack accepts 75.
const LABEL_CHARS: usize = 75;

/// Only an agent's answer to its owner is rated.
pub(super) fn thumbs(run: &Run, output: &WorkerOutput) -> Option<Value> {
    let thumb = |value: &str, label: &str| {
        let label = rich_text::plain(label, LABEL_CHARS);
        json!({"text": label, "value": format!("{value}:{}", run.id)})
    };
    let thumbs = json!({
        "type": "feedback_buttons", "action_id": RATE,
        "positive_button": thumb("good", "Good answer"),
        "negative_button": thumb("bad", "Bad answer"),
    });
    let is_rated = output.result.is_some() && run.work == Work::Agent && run.job.is_none();
    is_rated.then(|| json!({"type": "context_actions", "elements": [thumbs]}))
}

/// Reads the value of a pressed thumb.
pub fn rated(value: &str) -> Option<(Rating, RunId)> {
    let (rating, run) = value.split_once(':')?;
    let rating = match rating {
        "good" => Rating::Good,
        "bad" => Rating::Bad,
        _ => return None,
    };
    Some((rating, run.into()))
}
