//! Reads and verifies the audit trail.

pub mod digest;
pub mod read;
pub mod verify;
#[cfg(test)]
mod verify_tests;
pub mod whole;
