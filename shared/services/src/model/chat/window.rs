//! How many tokens a model takes at once, prompt and answer together. Hosted providers refuse what is
//! longer; servers on one's own machine may be set to a few thousand, and some cut the prompt without a word.

use alfred_core::ports::Usage;
use serde_json::Value;
use std::time::Duration;

/// The fewest with which a request of one toolset and its answer fit.
pub const LEAST_CONTEXT: u32 = 4_096;
/// The fewest tokens that are left for an answer.
const LEAST_ANSWER: u64 = 300;
/// No text has more bytes a token.
const MOST_BYTES_A_TOKEN: u64 = 8;
/// English and JSON have about four.
const USUAL_BYTES_A_TOKEN: u64 = 5;
/// Bytes below which a count says little.
const LEAST_TO_JUDGE: u64 = 8_000;
/// For all questions about it; a server on this machine answers at once.
pub(in super::super) const PATIENCE: Duration = Duration::from_secs(1);
/// Where servers tell what a loaded model takes, beside their list of models: Ollama, LM Studio, llama.cpp.
pub(super) const PATHS: [&str; 3] = ["/api/ps", "/api/v0/models", "/props"];
/// What they call it. What a model is loaded with stands before what it could take.
const NAMES: [&str; 6] = [
    "loaded_context_length",
    "max_model_len",
    "n_ctx",
    "context_length",
    "context_window",
    "max_context_length",
];

/// About how many tokens a request of this size in bytes has, at 3.5 a token: rather too many.
pub(super) fn tokens(sent: usize) -> u64 {
    (sent as u64 * 2).div_ceil(7)
}

/// The most tokens an answer may have behind a request of this size; `None` when too few are left.
pub(super) fn room(window: u32, sent: usize, wanted: u32) -> Option<u32> {
    let left = u64::from(window).saturating_sub(tokens(sent));
    let least = LEAST_ANSWER.min(wanted.into());
    (left >= least).then(|| wanted.min(u32::try_from(left).unwrap_or(wanted)))
}

/// Whether fewer tokens were read than were sent: by some where they can't have fitted, by far where nobody knows
/// what fits. Where they fit nothing was cut, whatever is counted: some don't count what they had in their cache.
pub(super) fn was_cut(window: Option<u32>, sent: usize, usage: &Usage) -> bool {
    let most = match window {
        Some(window) if tokens(sent) <= u64::from(window) => return false,
        Some(_) => USUAL_BYTES_A_TOKEN,
        None => MOST_BYTES_A_TOKEN,
    };
    let (sent, read) = (sent as u64, usage.input_tokens);
    read > 0 && sent >= LEAST_TO_JUDGE && read * most < sent
}

/// What an answer of a server says of this model.
pub(super) fn of(answer: &Value, model: &str) -> Option<u32> {
    let list = ["data", "models"]
        .iter()
        .find_map(|name| answer[name].as_array());
    let about = match list {
        Some(list) => list.iter().find(|entry| is(entry, model))?,
        None => answer,
    };
    // What is set for requests stands deeper in some answers, never under another of these names.
    let places = [
        about,
        &about["meta"],
        &about["default_generation_settings"],
        &about["top_provider"],
    ];
    let found = NAMES
        .iter()
        .find_map(|name| places.iter().find_map(|place| place[name].as_u64()));
    u32::try_from(found?).ok().filter(|&window| window > 0)
}

fn is(entry: &Value, model: &str) -> bool {
    let names = ["id", "model", "name"]
        .iter()
        .filter_map(|name| entry[name].as_str());
    // Ollama takes a name without its tag.
    names
        .into_iter()
        .any(|name| name == model || name.strip_suffix(":latest") == Some(model))
}

/// The model to take of a list: the preferred one, else the first.
pub(super) fn offered<'a>(listing: &'a Value, preferred: &str) -> Option<&'a str> {
    let ids = || listing["data"].as_array().into_iter().flatten();
    let mut ids = ids().filter_map(|model| model["id"].as_str());
    let first = ids.next()?;
    if first == preferred {
        return Some(first);
    }
    Some(ids.find(|id| *id == preferred).unwrap_or(first))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn servers_tell_in_their_own_words() {
        let found = |answer: Value| of(&answer, "m");
        for (answer, window) in [
            (
                json!({"data": [{"id": "other", "max_model_len": 1}, {"id": "m", "max_model_len": 8192}]}),
                Some(8192),
            ),
            (
                json!({"models": [{"name": "m:latest", "model": "m:latest", "context_length": 4096}]}),
                Some(4096),
            ),
            (
                json!({"data": [{"id": "m", "state": "loaded", "max_context_length": 131_072, "loaded_context_length": 4096}]}),
                Some(4096),
            ),
            (
                json!({"default_generation_settings": {"n_ctx": 8192}, "total_slots": 1}),
                Some(8192),
            ),
            (
                json!({"data": [{"id": "m", "context_window": 131_072}]}),
                Some(131_072),
            ),
            (
                json!({"data": [{"id": "m", "meta": {"n_ctx_train": 131_072}}]}),
                None,
            ),
            (json!({"models": []}), None),
            (json!({"data": [{"id": "m", "context_length": 0}]}), None),
            (json!("hello"), None),
        ] {
            assert_eq!(found(answer.clone()), window, "{answer}");
        }
    }

    #[test]
    fn an_answer_gets_what_is_left() {
        assert_eq!(room(8_192, 8_000, 4_096), Some(4_096));
        assert_eq!(room(8_192, 20_000, 4_096), Some(2_477));
        assert_eq!(room(4_096, 13_300, 4_096), None);
        assert_eq!(room(4_096, 13_300, 200), Some(200));
    }

    #[test]
    fn only_a_count_far_below_is_a_cut() {
        let cut = |window, sent, input_tokens| {
            let read = Usage {
                input_tokens,
                ..Usage::default()
            };
            was_cut(window, sent, &read)
        };
        assert!(cut(None, 32_000, 2_050));
        assert!(!cut(None, 32_000, 6_000));
        assert!(cut(Some(8_192), 32_000, 6_000));
        assert!(!cut(Some(8_192), 32_000, 8_000));
        assert!(!cut(Some(4_096), 32_000, 0));
        assert!(!cut(Some(16_384), 32_000, 900));
        assert!(!cut(None, 4_000, 100));
    }
}
