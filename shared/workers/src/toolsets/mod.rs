//! Toolsets that are made for each worker.

pub mod custom;
pub mod filesystem;
