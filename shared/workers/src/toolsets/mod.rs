//! Toolsets that are made of what a worker's own file names.

pub mod custom;
