//! Toolsets that are made for each worker.

pub mod filesystem;
