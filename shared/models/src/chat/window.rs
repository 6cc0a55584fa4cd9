//! The context of a model in tokens, prompt and answer together. Hosted providers refuse longer prompts.
//! Local servers may be limited to a few thousand tokens, and some truncate the prompt silently.

use alfred_core::ports::Usage;
use serde_json::Value;
use std::time::Duration;

/// The least that fits a request of one toolset and its answer.
pub const LEAST_CONTEXT: u32 = 4_096;
/// Least tokens for an answer.
const LEAST_ANSWER: u64 = 300;
/// No text has more bytes per token.
const MOST_BYTES_A_TOKEN: u64 = 8;
/// English and JSON have about four.
const USUAL_BYTES_A_TOKEN: u64 = 5;
/// Below this many bytes a count proves nothing.
const LEAST_TO_JUDGE: u64 = 8_000;
/// For all these queries together. A local server answers at once.
pub(in super::super) const PATIENCE: Duration = Duration::from_secs(1);
/// Where local servers report a loaded model's context: Ollama, LM Studio, llama.cpp.
pub(super) const PATHS: [&str; 3] = ["/api/ps", "/api/v0/models", "/props"];
/// Field names. The context with which a model is loaded comes before its maximum.
const NAMES: [&str; 6] = [
    "loaded_context_length",
    "max_model_len",
    "n_ctx",
    "context_length",
    "context_window",
    "max_context_length",
];

/// Estimated tokens of a request in bytes, at 3.5 bytes a token: rather too many.
pub(super) fn tokens(sent: usize) -> u64 {
    (sent as u64 * 2).div_ceil(7)
}

/// Most tokens for the answer to a request of this size. `None` if too few are left.
pub(super) fn room(window: u32, sent: usize, wanted: u32) -> Option<u32> {
    let left = u64::from(window).saturating_sub(tokens(sent));
    let least = LEAST_ANSWER.min(wanted.into());
    (left >= least).then(|| wanted.min(u32::try_from(left).unwrap_or(wanted)))
}

/// Whether the server counted fewer tokens than were sent. With a known window, only if the prompt didn't
/// fit; without one, only if far fewer. A prompt that fits was not cut: some servers don't count cached
/// tokens.
pub(super) fn was_cut(window: Option<u32>, sent: usize, usage: &Usage) -> bool {
    let most = match window {
        Some(window) if tokens(sent) <= u64::from(window) => return false,
        Some(_) => USUAL_BYTES_A_TOKEN,
        None => MOST_BYTES_A_TOKEN,
    };
    let (sent, read) = (sent as u64, usage.input_tokens);
    read > 0 && sent >= LEAST_TO_JUDGE && read * most < sent
}

/// The context that a server's answer reports for this model.
pub(super) fn of(answer: &Value, model: &str) -> Option<u32> {
    let list = ["data", "models"]
        .iter()
        .find_map(|name| answer[name].as_array());
    let about = match list {
        Some(list) => list.iter().find(|entry| is(entry, model))?,
        None => answer,
    };
    // Some answers nest the effective setting deeper.
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
    // Ollama accepts a name without its tag.
    names
        .into_iter()
        .any(|name| name == model || name.strip_suffix(":latest") == Some(model))
}

/// The model of a list: the preferred one, or the first.
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
