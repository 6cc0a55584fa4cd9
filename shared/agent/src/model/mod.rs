//! Stored data: runs, steps, approvals, plans. Nothing here reads or writes the store.

pub mod approval;
pub mod budget;
pub mod frame;
pub mod input;
pub mod join;
pub mod plan;
pub mod preview;
pub mod run;
pub mod step;
