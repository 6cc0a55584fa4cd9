//! Shared helpers of the suites that run Alfred over in-memory ports.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "only tests use this crate: a panic is a failed assertion"
)]

mod events;
mod functions;
mod ids;
mod people;
mod screen;
mod steps;

pub use events::{
    click, command, dm, event, in_thread, mention, message, on_the_wire, own_dm, sweep, team,
};
pub use functions::{Functions, ports};
pub use ids::Ids;
pub use people::{person, register};
pub use screen::{seen, shown};
pub use steps::story;
