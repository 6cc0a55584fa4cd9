//! Prices of tokens.

use alfred_core::ports::Usage;

/// A row has the provider, the model, and the dollars per million tokens of input, cached input and output: millionths
/// of a dollar per token. List prices, standard tier, contexts up to 200,000 tokens, as of 2026-07-24, compared with
/// LiteLLM's `model_prices_and_context_window.json` (Gemini's with its Vertex AI row). Sources:
/// <https://developers.openai.com/api/docs/pricing>, <https://claude.com/pricing>,
/// <https://ai.google.dev/gemini-api/docs/pricing>.
const PRICES: &[(&str, &str, [f64; 3])] = &[
    ("openai", "gpt-5.5", [5.0, 0.5, 30.0]),
    ("openai", "gpt-5.4", [2.5, 0.25, 15.0]),
    ("openai", "gpt-5.4-mini", [0.75, 0.075, 4.5]),
    ("openai", "gpt-5.4-nano", [0.2, 0.02, 1.25]),
    ("openai", "gpt-5.2", [1.75, 0.175, 14.0]),
    ("openai", "gpt-5.1", [1.25, 0.125, 10.0]),
    ("openai", "gpt-5", [1.25, 0.125, 10.0]),
    ("openai", "gpt-5-mini", [0.25, 0.025, 2.0]),
    ("openai", "gpt-5-nano", [0.05, 0.005, 0.4]),
    ("openai", "gpt-4.1", [2.0, 0.5, 8.0]),
    ("openai", "gpt-4o", [2.5, 1.25, 10.0]),
    ("openai", "gpt-4o-mini", [0.15, 0.075, 0.6]),
    ("anthropic", "claude-opus-4-5", [5.0, 0.5, 25.0]),
    ("anthropic", "claude-opus-4-6", [5.0, 0.5, 25.0]),
    ("anthropic", "claude-sonnet-4-5", [3.0, 0.3, 15.0]),
    ("anthropic", "claude-sonnet-4-6", [3.0, 0.3, 15.0]),
    ("anthropic", "claude-haiku-4-5", [1.0, 0.1, 5.0]),
    ("google", "gemini-3.5-flash", [1.5, 0.15, 9.0]),
];

/// Surcharge for a token written into the cache. Only Claude reports their number
/// (<https://platform.claude.com/docs/en/build-with-claude/prompt-caching#pricing>).
const CACHE_WRITE: f64 = 0.25;
/// Bedrock's factor for a regional inference profile.
const REGIONAL: f64 = 1.1;

/// The cost of a turn of `provider:model` in millionths of a dollar, rounded up. `None` for an unlisted model,
/// whose budget caps by tokens instead.
pub fn cost_of(name: &str, usage: &Usage) -> Option<u64> {
    let (provider, model) = name.split_once(':')?;
    let (provider, model, factor) = match provider {
        "bedrock" => on_bedrock(model)?,
        _ => (provider, model, 1.0),
    };
    let listed = |row: &&(&str, &str, [f64; 3])| row.0 == provider && is_model(model, row.1);
    let (.., [input, cached_input, output]) = PRICES.iter().find(listed)?;
    let cached = usage.cached_tokens.min(usage.input_tokens);
    let fresh = usage.input_tokens - cached;
    let micros = fresh as f64 * input
        + usage.cache_write_tokens.min(fresh) as f64 * input * CACHE_WRITE
        + cached as f64 * cached_input
        + usage.output_tokens as f64 * output;
    // Compensates binary rounding, so that whole amounts stay whole.
    Some((micros * factor - 1e-6).ceil() as u64)
}

/// The maker, model and price factor of a Bedrock model. Claude costs its maker's price
/// (<https://aws.amazon.com/bedrock/pricing/>). Others, and custom profiles, are unknown.
fn on_bedrock(model: &str) -> Option<(&str, &str, f64)> {
    let (profile, model) = model.split_once("anthropic.")?;
    let factor = match profile {
        "" | "global." => 1.0,
        _ => REGIONAL,
    };
    Some(("anthropic", model, factor))
}

/// Whether a name is the listed model, a dated snapshot (`gpt-5.2-2025-12-11`), or a Bedrock version
/// (`claude-opus-4-6-v1`).
fn is_model(name: &str, listed: &str) -> bool {
    name.strip_prefix(listed)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with("-20") || rest.starts_with("-v1"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Columns: model, input tokens, of these cached, written to the cache, output tokens, cost in millionths of a dollar.
    #[test]
    fn a_turn_costs_what_its_model_lists() {
        for line in include_str!("price_cases.txt").lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let tokens = |at: usize| words[at].parse().unwrap();
            let usage = Usage {
                input_tokens: tokens(1),
                cached_tokens: tokens(2),
                cache_write_tokens: tokens(3),
                output_tokens: tokens(4),
                cost_micros: None,
            };
            assert_eq!(cost_of(words[0], &usage), words[5].parse().ok(), "{line}");
        }
    }
}
