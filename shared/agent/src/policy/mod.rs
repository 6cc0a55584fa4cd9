//! The gate: decides whether a call may run, needs its owner's approval, or is forbidden. The
//! decision is a pure function of [`Facts`]. Tools only run with arguments that passed here.

mod authorized_args;
mod mode;
mod requirement;
pub mod tool_def;

pub(crate) use authorized_args::approved;
pub use authorized_args::{AuthorizedArgs, Untrusted, pass};
pub use mode::mode_in_run;
pub use requirement::{Facts, Refusal, Requirement, UNASKED_CHANGES, require};
