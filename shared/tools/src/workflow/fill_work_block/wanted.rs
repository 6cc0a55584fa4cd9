//! Which of the tasks that could be in a block the person wants in it.

use alfred_planner::patterns::{Pattern, What};
use alfred_planner::wish;

use super::Changes;
use crate::task::TaskView;
use crate::task::suggest_for_duration::{Suggested, Suggestion};
use crate::workflow::proposal::Notes;

/// What is wanted of the tasks of a block.
pub(super) struct Tasks<'a> {
    /// Ids, and words of titles, of what is left out.
    unwanted: Vec<&'a str>,
    /// Words of titles of what comes first.
    first: &'a [String],
    /// Tasks that are left out whenever they are proposed.
    left_out: Vec<&'a Pattern>,
    /// Tasks there may still be.
    pub most: usize,
}

impl<'a> Tasks<'a> {
    /// What no task fits is named.
    pub fn wanted(
        (changes, without): (&'a Changes, &'a [String]),
        known: &'a [Pattern],
        backlog: &[TaskView],
        notes: &mut Notes,
    ) -> Self {
        for words in changes.first.iter().chain(&changes.drop) {
            if !backlog.iter().any(|task| is_meant(task, words)) {
                notes.lines.push(format!("No task fits \"{words}\"."));
            }
        }
        let named = |id: &str, title: &str| {
            let mut first = changes.first.iter();
            first.any(|words| id == words || wish::is_meant(title, words))
        };
        let is_left_out = |habit: &&Pattern| match &habit.what {
            What::LeavesTask { id, title } => !named(id, title),
            _ => false,
        };
        Self {
            unwanted: without
                .iter()
                .chain(&changes.drop)
                .map(String::as_str)
                .collect(),
            first: &changes.first,
            left_out: known.iter().filter(is_left_out).collect(),
            most: changes.at_most_tasks.unwrap_or(usize::MAX),
        }
    }

    fn wants(&self, task: &TaskView) -> bool {
        let unwanted = self.unwanted.iter().any(|words| is_meant(task, words));
        !unwanted && !self.left_out.iter().any(|habit| is_of(habit, task))
    }

    /// The tasks that come first, as far as there is time; they are left out of what is suggested beside them.
    pub fn take_first(
        &mut self,
        backlog: &'a [TaskView],
        free: u32,
        notes: &mut Notes,
    ) -> Vec<TaskView> {
        let (mut taken, mut left): (Vec<TaskView>, u32) = (Vec::new(), free);
        for words in self.first {
            let meant = backlog.iter().filter(|task| is_meant(task, words));
            for task in meant {
                if taken.len() == self.most || !self.wants(task) {
                    continue;
                }
                if task.estimated_minutes > left {
                    let (title, minutes) = (&task.title, task.estimated_minutes);
                    notes.lines.push(task_too_long(title, minutes, left));
                    continue;
                }
                left -= task.estimated_minutes;
                self.unwanted.push(task.id.as_str());
                taken.push(task.clone());
            }
        }
        self.most -= taken.len();
        taken
    }

    /// Why what would be suggested isn't.
    pub fn left_out_before(&self, found: &Suggested) -> Vec<String> {
        let suggested = found.suggestions.iter().flat_map(|one| &one.combination);
        let would_be = |habit: &&&Pattern| suggested.clone().any(|task| is_of(habit, task));
        let habits = self.left_out.iter().filter(would_be);
        habits.filter_map(|habit| line(habit)).collect()
    }

    /// The suggestion that serves the strategy best, or, where some of that isn't wanted, the one that is worth
    /// most without it; and whether it is whole.
    pub fn best(&self, suggestions: Vec<Suggestion>) -> Option<(Suggestion, bool)> {
        let left = suggestions.into_iter().map(|mut suggestion| {
            let before = suggestion.combination.len();
            suggestion.combination.retain(|task| self.wants(task));
            suggestion.combination.truncate(self.most);
            suggestion.total_score = suggestion
                .combination
                .iter()
                .map(|task| task.score.score)
                .sum();
            let whole = suggestion.combination.len() == before;
            (suggestion, whole)
        });
        let some = left.filter(|(suggestion, _)| !suggestion.combination.is_empty());
        let some: Vec<(Suggestion, bool)> = some.collect();
        let best = some.iter().position(|(one, whole)| one.best && *whole);
        if let Some(best) = best {
            return some.into_iter().nth(best);
        }
        // Of equals the first: `max_by_key` would take the last.
        some.into_iter()
            .reduce(|best, next| match next.0.total_score > best.0.total_score {
                true => next,
                false => best,
            })
    }
}

fn task_too_long(title: &str, minutes: u32, free: u32) -> String {
    format!("\"{title}\" takes {minutes} minutes, more than the {free} that are left.")
}

/// Whether a task is meant: by its id, or by words of its title.
fn is_meant(task: &TaskView, words: &str) -> bool {
    task.id.as_str() == words || wish::is_meant(&task.title, words)
}

fn is_of(habit: &Pattern, task: &TaskView) -> bool {
    matches!(&habit.what, What::LeavesTask { id, .. } if id == task.id.as_str())
}

fn line(habit: &Pattern) -> Option<String> {
    match &habit.what {
        What::LeavesTask { title, .. } => Some(format!(
            "Not proposed again: \"{title}\", which you left out {} of {} times.",
            habit.agree, habit.of
        )),
        _ => None,
    }
}
