//! Clients of the outside: Slack and model providers.
