//! The workflows. Each works out a proposal with tools, and its owner decides on a card. Tools then carry out
//! the approved parts one by one. A workflow writes nothing itself.

pub mod fill_email_block;
pub mod fill_work_block;
pub mod schedule;

mod composed;
mod proposal;

use alfred_agent::tool::Toolset;

const TOOLSET: Toolset = Toolset::new(
    "workflow",
    "plan a whole day or week, a work block or a block of mail",
    "is working on it…",
    "That",
    "look things up",
);
