//! The model budget of a request: split among its teams; unused parts are returned.

use alfred_core::ports::{Message, Model, Output, TurnRequest, Usage};
use serde::{Deserialize, Serialize};

/// One part in this many is reserved for combining the teams' outputs.
const KEPT: u64 = 8;
/// Allowance for tokens that a provider adds to a request for tools and roles.
const ADDED_TOKENS: u64 = 1_000;
/// No turn starts with fewer output tokens left.
const LEAST_OUTPUT: u64 = 256;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    pub tokens: u64,
    /// Millionths of a US dollar, if prices are known.
    pub cost_micros: Option<u64>,
}

impl Budget {
    pub fn behind(self, used: &Usage) -> Self {
        self.without(Self {
            tokens: used.input_tokens + used.output_tokens,
            cost_micros: used.cost_micros,
        })
    }

    pub fn without(self, other: Self) -> Self {
        let cost = other.cost_micros.unwrap_or(0);
        Self {
            tokens: self.tokens.saturating_sub(other.tokens),
            cost_micros: self.cost_micros.map(|left| left.saturating_sub(cost)),
        }
    }

    pub fn kept(self) -> Self {
        self.split(KEPT)
    }

    /// One of `parts` equal shares, rounded down.
    pub fn split(self, parts: u64) -> Self {
        let parts = parts.max(1);
        Self {
            tokens: self.tokens / parts,
            cost_micros: self.cost_micros.map(|cost| cost / parts),
        }
    }

    /// Limits a turn's answer to what the budget covers, if it covers one. A byte of input counts as a token.
    pub fn affords(self, mut turn: TurnRequest, model: &dyn Model) -> Option<TurnRequest> {
        let read = bytes(&turn) + ADDED_TOKENS;
        let left = self.tokens.saturating_sub(read);
        let written = left.min(u64::from(turn.max_output_tokens));
        let most = Usage {
            input_tokens: read,
            cache_write_tokens: read,
            output_tokens: written,
            ..Usage::default()
        };
        let cost = model.costs_at_most(&most);
        let dear = |left| cost.map_or(left == 0, |cost| cost > left);
        let dear = self.cost_micros.is_some_and(dear);
        if dear || written < LEAST_OUTPUT.min(u64::from(turn.max_output_tokens)) {
            return None;
        }
        turn.max_output_tokens = u32::try_from(written).unwrap_or(u32::MAX);
        Some(turn)
    }
}

/// Estimated cost of a picture or PDF, as bytes of text.
const FILE_BYTES: usize = 100_000;

fn bytes(turn: &TurnRequest) -> u64 {
    let messages = turn.messages.iter().map(|message| match message {
        Message::System { text } | Message::User { text } => text.len(),
        Message::Files { files } => {
            let read = files.iter().map(|file| file.base64.len().min(FILE_BYTES));
            read.sum()
        }
        Message::Tool { call_id, text } => call_id.len() + text.len(),
        Message::Assistant { text, tool_calls } => {
            let calls = tool_calls.iter().map(|call| {
                let echo = serde_json::to_string(&call.echo).map_or(0, |echo| echo.len());
                call.id.len() + call.name.len() + call.arguments.len() + echo
            });
            text.len() + calls.sum::<usize>()
        }
    });
    let tools = turn.tools.iter();
    let tools = tools
        .map(|tool| tool.name.len() + tool.description.len() + tool.parameters.to_string().len());
    let schema = match &turn.output {
        Output::Json { schema, .. } => schema.to_string().len(),
        Output::Text => 0,
    };
    (messages.sum::<usize>() + tools.sum::<usize>() + schema) as u64
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub max_iterations: u32,
    pub max_tokens: u64,
    /// Over all turns, in millionths of a US dollar, if prices are known.
    pub max_cost_micros: Option<u64>,
    pub max_output_tokens: u32,
    /// From this size on, a chat's older exchanges are summarized.
    pub max_context_tokens: Option<u64>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_iterations: 10,
            max_tokens: 400_000,
            max_cost_micros: Some(1_000_000),
            max_output_tokens: 4_096,
            max_context_tokens: None,
        }
    }
}

impl Limits {
    pub fn spent(&self, usage: &Usage) -> bool {
        let tokens = usage.input_tokens + usage.output_tokens;
        let costs = self.max_cost_micros.zip(usage.cost_micros);
        tokens >= self.max_tokens || costs.is_some_and(|(limit, cost)| cost >= limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alfred_core::ports::{ModelError, Turn};
    use async_trait::async_trait;
    use std::time::Duration;

    struct Priced(Option<u64>);

    #[async_trait]
    impl Model for Priced {
        async fn turn(&self, _: &TurnRequest, _: &mut Usage) -> Result<Turn, ModelError> {
            unreachable!("nothing is asked")
        }

        fn name(&self) -> String {
            "priced".into()
        }

        fn costs_at_most(&self, usage: &Usage) -> Option<u64> {
            Some((usage.input_tokens + usage.output_tokens) * self.0?)
        }
    }

    #[test]
    fn a_turn_is_as_long_as_it_can_be_paid_for() {
        let messages = vec![Message::user("x".repeat(500))];
        let turn = TurnRequest::new(messages, 1_000, Duration::ZERO);
        for (tokens, cost, price, written) in [
            (10_000, None, None, Some(1_000)),
            (2_500, None, None, Some(1_000)),
            (1_800, None, None, Some(300)),
            (1_755, None, None, None),
            (10_000, Some(5_000), Some(2), Some(1_000)),
            (10_000, Some(4_999), Some(2), None),
            (10_000, Some(1), None, Some(1_000)),
            (10_000, Some(0), None, None),
            (0, None, None, None),
        ] {
            let budget = Budget {
                tokens,
                cost_micros: cost,
            };
            let found = budget.affords(turn.clone(), &Priced(price));
            let found = found.map(|turn| turn.max_output_tokens);
            assert_eq!(found, written, "{budget:?} at {price:?}");
        }
    }
}
