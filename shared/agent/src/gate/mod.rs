//! The one gate: whether a call may run, needs its owner's approval, or may
//! not run at all. What it decides is data, computed from facts alone, and a
//! tool can't be run with arguments that didn't pass here.

mod authorized_args;
mod facts;
mod mode;
mod requirement;

pub(crate) use authorized_args::approved;
pub use authorized_args::{AuthorizedArgs, Untrusted, pass};
pub use facts::{Facts, Recipient};
pub use mode::mode_in_run;
pub use requirement::{Reason, Refusal, Requirement, UNASKED_CHANGES, require};
