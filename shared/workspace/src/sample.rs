//! placeholder
/// A sample.
pub struct Sample;
