//! Wires the function; see `lib.rs` for what it does.
fn main() {}
