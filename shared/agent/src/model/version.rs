//! The version of stored rows and steps.

/// The version of rows and steps that this release writes.
pub const ROW_VERSION: u8 = 1;
