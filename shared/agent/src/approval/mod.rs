//! Approvals: storing them, deciding them, withdrawing them.

pub mod decide;
pub mod pending;
pub mod words;
