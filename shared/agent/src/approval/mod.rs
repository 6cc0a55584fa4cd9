//! Approvals: storing them, deciding them, withdrawing them.

pub mod decide;
pub mod park;
pub mod pending;
pub mod withdraw;
pub mod words;
