//! Stored data: runs, steps, approvals, plans. Nothing here reads or writes the store.

pub mod approval;
pub mod attachment;
pub mod budget;
pub mod chat;
pub mod effect;
pub mod frame;
pub mod input;
pub mod job;
pub mod join;
pub mod plan;
pub mod preview;
pub mod program;
pub mod run;
pub mod session;
pub mod step;
pub mod usage;
pub mod version;
