//! New work blocks that hold no task, and are better left out of a draft.

use super::draft::Draft;
use super::idle::Places;
use super::layout::Placed;
use super::outcome::{Change, PlannedBlock};
use super::place::Layout;
use super::reason::Why;
use crate::block::BlockType;
use crate::span::Span;

impl Draft<'_> {
    /// Takes out new work blocks without a task: short ones, and the latest where what is due has taken of the slack
    /// and the day has too little of it. Gives what became of the places of the layout.
    pub fn free_up(&mut self) -> Places {
        let slack = self.day.request.habits.slack;
        let layout = self.layout.as_ref();
        let (gone, for_slack) = layout
            .map(|layout| self.given_back(layout))
            .unwrap_or_default();
        let (slots, blocks) = (&self.slots, &self.blocks);
        let stays = |block: &PlannedBlock| !is_empty(block) || !gone.contains(&block.span);
        self.assigned
            .rooms
            .retain(|slot| stays(&blocks[slots[*slot].block]));
        self.blocks.retain(stays);
        let placed = layout.iter().flat_map(|layout| {
            let place = |placed: &Placed| {
                (
                    layout.time.span(placed.from, placed.to),
                    (placed.from, placed.to),
                )
            };
            layout.placed.iter().map(place)
        });
        let among =
            |span: Option<Span>, spans: &[Span]| span.is_some_and(|span| spans.contains(&span));
        let places = |which: &dyn Fn(Option<Span>) -> bool| {
            let found = placed.clone().filter(|(span, _)| which(*span));
            found.map(|(_, place)| place).collect()
        };
        Places {
            taken: places(&|span| !among(span, &gone)),
            freed: places(&|span| among(span, &for_slack)),
            slack,
        }
    }

    /// The times of blocks that are taken out, and of those the ones that are for the slack.
    fn given_back(&self, layout: &Layout) -> (Vec<Span>, Vec<Span>) {
        let time = &layout.time;
        let placed = layout
            .placed
            .iter()
            .map(|placed| time.minutes(placed.from, placed.to));
        let mut free = time.free() - placed.sum::<u32>();
        let wanted = match self.day.rules.slack {
            0 => self.day.slack(self.day.request.habits.slack),
            // Then the layout has it.
            _ => 0,
        };
        let (mut gone, mut for_slack) = (Vec::new(), Vec::new());
        for block in self.blocks.iter().rev().filter(|block| is_empty(block)) {
            let short = block.why == Why::ShortTasks;
            if !short && free >= wanted {
                continue;
            }
            free += self.day.clock.minutes(block.span);
            gone.push(block.span);
            for_slack.extend((!short).then_some(block.span));
        }
        (gone, for_slack)
    }
}

/// Whether a block is new, for work, and without a task.
fn is_empty(block: &PlannedBlock) -> bool {
    block.kind == BlockType::Work && block.change == Change::New && block.tasks.is_empty()
}
