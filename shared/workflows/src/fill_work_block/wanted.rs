//! Which of the tasks that could be in a block the person wants in it.

use alfred_core::text;
use alfred_planner::patterns::What;
use alfred_planner::wish;

use super::Arguments;
use super::propose::{Suggested, Suggestion, Waiting};
use crate::habits::Habit;
use crate::proposal::Notes;

/// What is wanted of the tasks of a block.
pub(super) struct Wanted<'a> {
    /// Ids, and words of titles, of what is left out.
    unwanted: Vec<&'a str>,
    /// Words of titles of what comes first.
    first: &'a [String],
    /// Tasks that are left out whenever they are proposed.
    left_out: Vec<&'a Habit>,
    /// Tasks there may still be.
    pub most: usize,
}

impl<'a> Wanted<'a> {
    /// What no task fits is named.
    pub fn new(
        args: &'a Arguments,
        known: &'a [Habit],
        backlog: &[Waiting],
        notes: &mut Notes,
    ) -> Self {
        let changes = &args.changes;
        for words in changes.first.iter().chain(&changes.drop) {
            if !backlog.iter().any(|task| task.means(words)) {
                notes.lines.push(text::no_task_fits(words));
            }
        }
        let named = |title: &str| {
            changes
                .first
                .iter()
                .any(|words| wish::is_meant(title, words))
        };
        let is_left_out = |habit: &&Habit| match &habit.what {
            What::LeavesTask { title, .. } => !named(title),
            _ => false,
        };
        Self {
            unwanted: args
                .without
                .iter()
                .chain(&changes.drop)
                .map(String::as_str)
                .collect(),
            first: &changes.first,
            left_out: known.iter().filter(is_left_out).collect(),
            most: changes.at_most_tasks.unwrap_or(usize::MAX),
        }
    }

    fn wants(&self, task: &Waiting) -> bool {
        let unwanted = self.unwanted.iter().any(|words| task.means(words));
        !unwanted && !self.left_out.iter().any(|habit| task.is(habit))
    }

    /// The tasks that come first, as far as there is time; they are left out of what is suggested beside them.
    pub fn take_first(
        &mut self,
        backlog: &'a [Waiting],
        free: u32,
        notes: &mut Notes,
    ) -> Vec<Waiting> {
        let (mut taken, mut left): (Vec<Waiting>, u32) = (Vec::new(), free);
        for words in self.first {
            let meant = backlog.iter().filter(|task| task.means(words));
            for task in meant {
                if taken.len() == self.most || !self.wants(task) {
                    continue;
                }
                if task.estimated_minutes > left {
                    let (title, minutes) = (&task.title, task.estimated_minutes);
                    notes.lines.push(text::task_too_long(title, minutes, left));
                    continue;
                }
                left -= task.estimated_minutes;
                self.unwanted.push(&task.id);
                taken.push(task.clone());
            }
        }
        self.most -= taken.len();
        taken
    }

    /// Why what would be suggested isn't.
    pub fn left_out_before(&self, found: &Suggested) -> Vec<String> {
        let would_be = |habit: &&&Habit| found.suggestions.iter().any(|one| one.has(habit));
        let habits = self.left_out.iter().filter(would_be);
        habits.filter_map(|habit| line(habit)).collect()
    }

    /// The suggestion that is worth most without what isn't wanted, and whether it is whole.
    pub fn best(&self, suggestions: Vec<Suggestion>) -> Option<(Suggestion, bool)> {
        let left = suggestions.into_iter().map(|mut suggestion| {
            let before = suggestion.combination.len();
            suggestion.combination.retain(|task| self.wants(task));
            suggestion.combination.truncate(self.most);
            suggestion.total_score = suggestion.combination.iter().map(|task| task.score).sum();
            let whole = suggestion.combination.len() == before;
            (suggestion, whole)
        });
        let some = left.filter(|(suggestion, _)| !suggestion.combination.is_empty());
        // Of equals the first: `max_by_key` would take the last.
        some.reduce(|best, next| match next.0.total_score > best.0.total_score {
            true => next,
            false => best,
        })
    }
}

fn line(habit: &Habit) -> Option<String> {
    match &habit.what {
        What::LeavesTask { title, .. } => {
            Some(text::task_left_out_before(title, habit.agree, habit.of))
        }
        _ => None,
    }
}
