//! The three workflows of seed 003. Each works out a proposal from what tools
//! give, its owner decides about it on a card, and what they approved is
//! carried out by tools, one part after another. None of them reads or writes
//! anything itself.

mod fill_email_block;
mod fill_work_block;
mod proposal;
mod schedule;
mod toolset;

use alfred_agent::tool::SharedTool;

/// These tools, and the workflows made of them. A workflow whose tools aren't all there is left out.
#[must_use]
pub fn with(tools: Vec<SharedTool>) -> Vec<SharedTool> {
    let workflows = [
        schedule::tool(&tools),
        fill_work_block::tool(&tools),
        fill_email_block::tool(&tools),
    ];
    tools
        .into_iter()
        .chain(workflows.into_iter().flatten())
        .collect()
}
