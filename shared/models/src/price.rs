//! Prices of tokens.

use alfred_core::ports::Usage;

/// Dollars per million tokens, which equals millionths of a dollar per token.
struct Price {
    provider: &'static str,
    model: &'static str,
    input: f64,
    cached: f64,
    output: f64,
}

const fn price(
    provider: &'static str,
    model: &'static str,
    input: f64,
    cached: f64,
    output: f64,
) -> Price {
    Price {
        provider,
        model,
        input,
        cached,
        output,
    }
}

/// List prices, standard tier, contexts up to 200,000 tokens, as of 2026-07-24, compared with LiteLLM's
/// `model_prices_and_context_window.json` (Gemini's with its Vertex AI row). Sources:
/// <https://developers.openai.com/api/docs/pricing>, <https://claude.com/pricing>,
/// <https://ai.google.dev/gemini-api/docs/pricing>.
const PRICES: &[Price] = &[
    price("openai", "gpt-5.5", 5.0, 0.5, 30.0),
    price("openai", "gpt-5.4", 2.5, 0.25, 15.0),
    price("openai", "gpt-5.4-mini", 0.75, 0.075, 4.5),
    price("openai", "gpt-5.4-nano", 0.2, 0.02, 1.25),
    price("openai", "gpt-5.2", 1.75, 0.175, 14.0),
    price("openai", "gpt-5.1", 1.25, 0.125, 10.0),
    price("openai", "gpt-5", 1.25, 0.125, 10.0),
    price("openai", "gpt-5-mini", 0.25, 0.025, 2.0),
    price("openai", "gpt-5-nano", 0.05, 0.005, 0.4),
    price("openai", "gpt-4.1", 2.0, 0.5, 8.0),
    price("openai", "gpt-4o", 2.5, 1.25, 10.0),
    price("openai", "gpt-4o-mini", 0.15, 0.075, 0.6),
    price("anthropic", "claude-opus-4-5", 5.0, 0.5, 25.0),
    price("anthropic", "claude-opus-4-6", 5.0, 0.5, 25.0),
    price("anthropic", "claude-sonnet-4-5", 3.0, 0.3, 15.0),
    price("anthropic", "claude-sonnet-4-6", 3.0, 0.3, 15.0),
    price("anthropic", "claude-haiku-4-5", 1.0, 0.1, 5.0),
    price("google", "gemini-3.5-flash", 1.5, 0.15, 9.0),
];

/// Surcharge for a token written into the cache. Only Claude reports their number
/// (<https://platform.claude.com/docs/en/build-with-claude/prompt-caching#pricing>).
const CACHE_WRITE: f64 = 0.25;
/// Bedrock's factor for a regional inference profile.
const REGIONAL: f64 = 1.1;

/// The cost in millionths of a dollar, rounded up. `None` for an unlisted model, whose budget caps by tokens
/// instead.
fn cost_micros(provider: &str, model: &str, usage: &Usage) -> Option<u64> {
    let (provider, model, factor) = match provider {
        "bedrock" => on_bedrock(model)?,
        _ => (provider, model, 1.0),
    };
    let price = PRICES
        .iter()
        .find(|price| price.provider == provider && is_model(model, price.model))?;
    let cached = usage.cached_tokens.min(usage.input_tokens);
    let fresh = usage.input_tokens - cached;
    let micros = fresh as f64 * price.input
        + usage.cache_write_tokens.min(fresh) as f64 * price.input * CACHE_WRITE
        + cached as f64 * price.cached
        + usage.output_tokens as f64 * price.output;
    // Compensates binary rounding, so that whole amounts stay whole.
    Some((micros * factor - 1e-6).ceil() as u64)
}

/// The cost of a turn of `provider:model`.
pub fn cost_of(name: &str, usage: &Usage) -> Option<u64> {
    let (provider, model) = name.split_once(':')?;
    cost_micros(provider, model, usage)
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

    fn usage(input: u64, cached: u64, output: u64) -> Usage {
        Usage {
            input_tokens: input,
            cached_tokens: cached,
            output_tokens: output,
            ..Usage::default()
        }
    }

    #[test]
    fn cached_tokens_cost_less_and_fractions_round_up() {
        let cost = |usage| cost_micros("openai", "gpt-5.2", &usage);
        assert_eq!(cost(usage(1_000_000, 0, 0)), Some(1_750_000));
        assert_eq!(cost(usage(1_000_000, 1_000_000, 0)), Some(175_000));
        assert_eq!(cost(usage(1, 0, 1)), Some(16));
    }

    #[test]
    fn snapshots_count_as_their_model_and_others_are_unknown() {
        let one = usage(1_000, 0, 0);
        assert_eq!(
            cost_micros("openai", "gpt-5-mini-2025-08-07", &one),
            Some(250)
        );
        assert_eq!(cost_micros("openai", "gpt-5-max", &one), None);
        assert_eq!(cost_micros("ollama", "gpt-5", &one), None);
    }

    #[test]
    fn what_is_written_into_the_cache_costs_more() {
        let usage = Usage {
            cache_write_tokens: 800_000,
            ..usage(1_000_000, 200_000, 0)
        };
        // 0.2 M at 0.3, 0.8 M at 3.75.
        let cost = cost_micros("anthropic", "claude-sonnet-4-5-20250929", &usage);
        assert_eq!(cost, Some(3_060_000));
    }

    #[test]
    fn a_claude_on_bedrock_costs_what_it_costs_elsewhere_and_more_in_a_region() {
        let one = usage(1_000_000, 0, 0);
        for (model, cost) in [
            ("global.anthropic.claude-sonnet-4-6", Some(3_000_000)),
            ("anthropic.claude-opus-4-6-v1", Some(5_000_000)),
            (
                "eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
                Some(3_300_000),
            ),
            ("amazon.nova-pro-v1:0", None),
            (
                "arn:aws:bedrock:us-east-1:1:application-inference-profile/x",
                None,
            ),
        ] {
            assert_eq!(cost_of(&format!("bedrock:{model}"), &one), cost, "{model}");
        }
    }
}
