//! The `alfred` binary.
fn main() {}
