//! The three workflows of seed 003. Each works out a proposal from what tools
//! give, its owner decides about it on a card, and what they approved is
//! carried out by tools, one part after another. None of them writes anything itself.

pub mod fill_email_block;
pub mod fill_work_block;
pub mod schedule;

mod composed;
mod habits;
mod proposal;
