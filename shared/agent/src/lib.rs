//! The durable run: the loop, tools, the journal, and the response router.

pub mod tool;
pub mod users;
