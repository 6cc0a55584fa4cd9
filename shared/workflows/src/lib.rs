//! The three workflows of seed 003. Each works out a proposal from what tools
//! give, its owner decides about it on a card, and what they approved is
//! carried out by tools, one part after another. None of them reads or writes
//! anything itself.

mod composed;
mod fill_email_block;
mod fill_work_block;
mod habits;
mod proposal;
mod schedule;
mod toolset;

use alfred_agent::tool::SharedTool;

use composed::Composed;
use fill_email_block::FillEmailBlock;
use fill_work_block::FillWorkBlock;
use schedule::Schedule;

/// Every tool and every workflow, in the order in which models see them.
#[must_use]
pub fn catalogue() -> Vec<SharedTool> {
    let mut all = alfred_tools::catalogue();
    let workflows = workflows(&all);
    all.extend(workflows);
    all
}

/// The workflows that can be made of these tools; one whose tools aren't all there is left out.
#[must_use]
pub fn workflows(tools: &[SharedTool]) -> Vec<SharedTool> {
    let workflows = [
        Composed::<Schedule>::tool(tools),
        Composed::<FillWorkBlock>::tool(tools),
        Composed::<FillEmailBlock>::tool(tools),
    ];
    workflows.into_iter().flatten().collect()
}
