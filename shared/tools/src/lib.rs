#![doc = include_str!("../README.md")]

mod approval;
mod calendar;
mod catalogue;
mod content;
mod documents;
mod edit;
mod email;
mod entity;
mod fields;
mod files;
mod focus;
mod job;
mod preference;
mod schedule;
mod sheets;
mod slack;
mod system;
mod task;
mod time;
mod toolset_open;
mod user;
mod web;
mod workflow;

mod account;
mod args;
#[cfg(test)]
mod card_tests;
#[cfg(test)]
mod contract_tests;
mod fold;
mod light;
mod months;
mod outward;
mod prelude;
mod resolve_by_title;
#[cfg(test)]
mod specification_tests;
#[cfg(test)]
mod stranger_tests;
#[cfg(test)]
mod testing;

pub use catalogue::{catalogue, purposes, tool};
pub use files::restore as restore_file;
pub use fold::fold;
pub use job::job_lines;
pub use schedule::shown::day_picture;
pub use system::undo::NAME as UNDO;
pub use time::zone::parse_zone;
