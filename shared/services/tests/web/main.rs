//! The web as a client meets it: search providers and pages over real HTTP, pages over real TLS.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a panic is a failed assertion"
)]

mod inward;
mod one_click;
mod pages;
mod providers;
mod site;
