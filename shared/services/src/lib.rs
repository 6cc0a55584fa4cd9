//! Clients of the outside: Slack, model providers, people's Google accounts, the web.

pub mod google;
mod http;
pub mod model;
pub mod oauth;
pub mod slack;
pub mod web;
