//! Anthropic's Messages API (<https://platform.claude.com/docs/en/api/messages>).

mod answer;
mod wire;

pub(super) use wire::Anthropic;
