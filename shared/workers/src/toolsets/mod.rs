pub mod custom;
pub mod filesystem;
