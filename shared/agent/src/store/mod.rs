//! Rows of the store: runs with their journals, conversations, people, usage, timers.

pub mod attachments;
pub mod audit;
pub mod claim;
pub mod dispatch;
pub mod journal;
pub mod ports;
pub mod race;
pub mod row;
pub mod session;
pub mod timer;
pub mod usage;
pub mod users;
