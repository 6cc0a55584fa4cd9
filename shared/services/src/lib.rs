//! Clients of the outside: Slack and model providers.

pub mod model;
