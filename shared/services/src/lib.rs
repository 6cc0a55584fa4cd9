//! Clients of the outside: Slack and model providers.

pub mod model;
pub mod slack;
