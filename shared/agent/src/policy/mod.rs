//! The gate: decides whether a call may run, needs its owner's approval, or is forbidden.

mod authorized_args;
mod requirement;
pub mod tool_def;

pub(crate) use authorized_args::approved;
pub use authorized_args::{AuthorizedArgs, Untrusted, pass};
pub use requirement::{Facts, Refusal, Requirement, UNASKED_CHANGES, mode_in_run, require};
