//! Filters the tasks for a block by the person's wishes and habits.

use alfred_planner::patterns::{Pattern, What};
use alfred_planner::wish;

use super::Arguments;
use crate::task::TaskView;
use crate::task::suggest_for_duration::{Suggested, Suggestion};
use crate::workflow::composed::Wanted;
use crate::workflow::proposal::Notes;

pub(super) struct Tasks<'a> {
    /// Ids and words of titles.
    unwanted: Vec<&'a str>,
    /// Words of titles.
    first: &'a [String],
    /// Habits of leaving out a task.
    left_out: Vec<&'a Pattern>,
    /// How many more tasks are allowed.
    pub most: usize,
}

impl<'a> Tasks<'a> {
    /// Adds a note for words that match no task.
    pub fn wanted(
        asked: &'a Wanted<Arguments>,
        known: &'a [Pattern],
        backlog: &[TaskView],
        notes: &mut Notes,
    ) -> Self {
        let changes = &asked.wish.changes;
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
            unwanted: asked
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

    fn wants(&self, task: &TaskView) -> bool {
        let unwanted = self.unwanted.iter().any(|words| is_meant(task, words));
        !unwanted && !self.left_out.iter().any(|habit| is_of(habit, task))
    }

    /// The wanted first tasks that fit into the time. They are excluded from later suggestions.
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

    /// Notes on suggested tasks that a habit excludes.
    pub fn left_out_before(&self, found: &Suggested) -> Vec<String> {
        let suggested = found.suggestions.iter().flat_map(|one| &one.combination);
        let would_be = |habit: &&&Pattern| suggested.clone().any(|task| is_of(habit, task));
        let habits = self.left_out.iter().filter(would_be);
        habits.filter_map(|habit| line(habit)).collect()
    }

    /// The best suggestion for the strategy if all its tasks are wanted, else the one whose wanted tasks
    /// score highest. The flag says whether all of its tasks are left.
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
        // `max_by_key` takes the last of equal scores.
        let last_first = some.into_iter().rev();
        last_first.max_by_key(|(one, _)| one.total_score)
    }
}

fn task_too_long(title: &str, minutes: u32, free: u32) -> String {
    format!("\"{title}\" takes {minutes} minutes, more than the {free} that are left.")
}

/// Whether the words are the task's id, or words of its title.
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
