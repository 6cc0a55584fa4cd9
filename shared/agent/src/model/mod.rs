//! Stored data: runs, steps, approvals, plans. Nothing here reads or writes the store.

mod approval;
mod attachment;
mod budget;
mod effect;
mod input;
mod join;
mod plan;
mod preview;
mod program;
mod run;
mod session;
mod step;
mod usage;

pub use approval::*;
pub use attachment::*;
pub use budget::*;
pub use effect::*;
pub use input::*;
pub use join::*;
pub use plan::*;
pub use preview::*;
pub use program::*;
pub use run::*;
pub use session::*;
pub use step::*;
pub use usage::*;
