//! Clients of the outside: Slack, model providers, people's Google and Microsoft accounts, the web.

mod api;
mod ask;
mod drafts;
mod free_busy;
pub mod google;
mod marks;
pub mod microsoft;
pub mod model;
pub mod oauth;
mod outbox;
mod position;
pub mod slack;
mod turns;
mod upload;
pub mod web;
