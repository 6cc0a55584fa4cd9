#![doc = include_str!("../README.md")]

pub mod approval;
pub mod calendar;
pub mod catalogue;
pub mod email;
pub mod fields;
pub mod preference;
pub mod schedule;
pub mod slack;
pub mod system;
pub mod task;
pub mod time;
pub mod toolset_open;
pub mod user;
pub mod workflow;

mod account;
#[cfg(test)]
mod card_tests;
pub mod fold;
mod months;
mod resolve_by_title;
#[cfg(test)]
mod seed_tests;
#[cfg(test)]
mod testing;

pub use catalogue::{catalogue, tool, toolset, toolsets};
