//! Clients of outside systems against their stand-ins, over HTTP.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a panic is a failed assertion"
)]

mod google;
mod microsoft;
mod model_bounds;
mod model_conformance;
mod model_http;
mod model_wires;
mod slack;
mod support;
mod web;
