//! The agent loop: runs a request until it has an outcome or must wait.

pub mod admit;
pub mod delegate;
pub mod finish;
pub mod give_up;
pub mod handed_on;
pub mod park;
pub mod resume;
pub mod turns;
