//! Clients of the outside: Slack, model providers, people's Google and Microsoft accounts, the web.

mod api;
mod ask;
mod drafts;
pub mod google;
mod http;
pub mod microsoft;
pub mod model;
pub mod oauth;
mod outbox;
mod position;
pub mod slack;
mod turns;
mod upload;
pub mod web;
