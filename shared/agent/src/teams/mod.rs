//! Teams of a plan: child runs, their reports and their time.

pub mod children;
pub mod handoff;
pub mod plan_time;
pub mod progress;
pub mod report;
