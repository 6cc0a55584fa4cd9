//! Tasks at the times that wishes name.

use super::compose::Day;
use super::outcome::PlannedBlock;
use super::reason::Why;
use crate::backlog::ScoredTask;
use crate::wish::{Wish, is_meant};

impl Day<'_> {
    /// Gives tasks that a wish names, and of which no block has the title, a block of their own at its time.
    pub fn place_tasks(&mut self, tasks: &[&ScoredTask]) {
        for wish in &self.request.wishes {
            let Wish::Move { title, to } = wish else {
                continue;
            };
            let mut blocks = self.request.blocks.iter();
            if blocks.any(|block| is_meant(&block.title, title)) {
                continue;
            }
            let free = |task: &&&ScoredTask| self.placed.iter().all(|(_, id)| *id != task.task.id);
            let mut meant = tasks.iter().filter(free);
            let Some(task) = meant.find(|task| is_meant(&task.task.title, title)) else {
                continue;
            };
            let Some(span) = self.exactly(task.minutes(), *to) else {
                continue;
            };
            self.placed.push((span, task.task.id.clone()));
            self.stand(PlannedBlock::focus(span, Why::Wished(wish.clone())));
        }
    }
}
