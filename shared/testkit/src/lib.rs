//! What tests need: ports in memory, a scripted model, a recording chat,
//! faults by plan, and the conformance suites that every side of a port passes.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "only tests use this crate: a panic is a failed assertion"
)]

pub mod cases;
pub mod chromium;
pub mod conformance;
pub mod discovery;
pub mod fixtures;
pub mod mcp_server;
pub mod ministack;
pub mod play;
pub mod pymap;
pub mod radicale;
pub mod sam;
pub mod smtp_server;
pub mod stand_in;
pub mod tools;
pub mod wait;
pub mod wording;

mod chat;
mod clock;
mod faults;
mod memory;
mod model;
mod npm;
mod python_server;
mod tab;
mod temp;

pub use chat::{Kept, RecordingChat};
pub use clock::{ManualClock, SequentialIds};
pub use faults::{Faults, STORE_FAULTS, When, intercepted, unavailable, unsent};
pub use memory::{
    MemoryBlobs, MemoryCalendar, MemoryMail, MemoryQueue, MemorySecrets, MemoryStore, MemoryVault,
};
pub use model::{ScriptedModel, calls, says};
pub use temp::temp_dir;
pub use wait::{ChildGuard, LIMIT, eventually, within, within_blocking};
