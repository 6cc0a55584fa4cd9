//! Tasks into the blocks of a draft; a block in which a task goes on is cut behind it.

use super::assign::Ranked;
use super::draft::Draft;
use super::outcome::{Change, PlannedBlock};
use super::reason::Why;
use crate::span::Span;

/// Minutes behind a task that goes on which are a block even without a task.
const WORTH_A_BLOCK: u32 = 30;

impl Draft<'_> {
    /// Puts the tasks into their blocks.
    pub fn put_tasks(&mut self, ranked: &[Ranked<'_>]) {
        for part in &self.assigned.parts {
            let block = self.slots[part.room].block;
            let task = ranked[part.job].assigned(part.minutes);
            self.blocks[block].tasks.push(task);
        }
    }

    /// Gives each task that goes on a block of its own, with its title: what a block of many tasks begins with
    /// would be no one's.
    pub fn split_blocks(&mut self) {
        let mut begun = None;
        let mut blocks = Vec::new();
        for block in std::mem::take(&mut self.blocks) {
            let first = block.tasks.first().map(|task| task.id.clone());
            let goes_on = first.is_some() && first == begun;
            if let Some(last) = block.tasks.last() {
                begun = Some(last.id.clone());
            }
            match goes_on && block.change == Change::New {
                true => blocks.extend(self.cut(block)),
                false => blocks.push(block),
            }
        }
        self.blocks = blocks;
    }

    /// The part of a block in which its first task goes on, and the rest of it.
    fn cut(&self, mut block: PlannedBlock) -> Vec<PlannedBlock> {
        let first = block.tasks.remove(0);
        let title = first.title.clone();
        let clock = &self.day.clock;
        let end = clock.plus(block.span.start(), first.minutes);
        let alone = block.tasks.is_empty();
        let exact =
            end.filter(|end| !alone || clock.between(*end, block.span.end()) >= WORTH_A_BLOCK);
        let exact = exact.filter(|end| {
            clock.exists(*end) && clock.between(block.span.start(), *end) == first.minutes
        });
        let own = exact.and_then(|end| Span::new(block.span.start(), end));
        let rest = exact.and_then(|end| Span::new(end, block.span.end()));
        if rest.is_none() && !alone {
            // Where no clock time ends it, as in an hour that comes twice or never, it stays with the others.
            block.tasks.insert(0, first);
            return vec![block];
        }
        let own = PlannedBlock {
            title: title.clone(),
            why: Why::GoesOn {
                title: title.clone(),
            },
            span: own.unwrap_or(block.span),
            tasks: vec![first],
            ..block.clone()
        };
        let rest = rest.map(|span| PlannedBlock {
            span,
            why: Why::Behind { title },
            ..block
        });
        std::iter::once(own).chain(rest).collect()
    }
}
