//! Filters the tasks for a block by the person's wishes and habits.

use alfred_planner::patterns::{Pattern, What};
use alfred_planner::wish;

use super::Changes;
use crate::task::TaskView;
use crate::task::suggest_for_duration::{Suggested, Suggestion};

pub(super) struct Tasks<'a> {
    /// Ids and words of titles.
    unwanted: Vec<&'a str>,
    /// Words of titles.
    first: &'a [String],
    /// Ids of tasks that the person usually leaves out, and notes that say so.
    left_out: Vec<(&'a str, String)>,
    pub most: usize,
}

impl<'a> Tasks<'a> {
    pub fn wanted(changes: &'a Changes, without: &'a [String], known: &'a [Pattern]) -> Self {
        let left_out = known.iter().filter_map(|habit| {
            let What::LeavesTask { id, title } = &habit.what else {
                return None;
            };
            let mut first = changes.first.iter();
            if first.any(|words| id == words || wish::is_meant(title, words)) {
                return None;
            }
            let (agree, of) = (habit.agree, habit.of);
            let note = format!(
                "Not proposed again: \"{title}\", which you left out {agree} of {of} times."
            );
            Some((id.as_str(), note))
        });
        let unwanted = without.iter().chain(&changes.drop);
        Self {
            unwanted: unwanted.map(String::as_str).collect(),
            first: &changes.first,
            left_out: left_out.collect(),
            most: changes.at_most_tasks.unwrap_or(usize::MAX),
        }
    }

    fn wants(&self, task: &TaskView) -> bool {
        let unwanted = self.unwanted.iter().any(|words| is_meant(task, words));
        let mut left_out = self.left_out.iter();
        !unwanted && !left_out.any(|(id, _)| *id == task.id.as_str())
    }

    /// The wanted first tasks that fit into the time. They are excluded from later suggestions.
    pub fn take_first(
        &mut self,
        backlog: &'a [TaskView],
        free: u32,
        notes: &mut Vec<String>,
    ) -> Vec<TaskView> {
        let (mut taken, mut left): (Vec<TaskView>, u32) = (Vec::new(), free);
        for words in self.first {
            for task in backlog.iter().filter(|task| is_meant(task, words)) {
                let (title, minutes) = (&task.title, task.estimated_minutes);
                if taken.len() == self.most || !self.wants(task) {
                    continue;
                }
                if minutes > left {
                    notes.push(format!(
                        "\"{title}\" takes {minutes} minutes, more than the {left} that are left."
                    ));
                    continue;
                }
                left -= minutes;
                self.unwanted.push(task.id.as_str());
                taken.push(task.clone());
            }
        }
        self.most -= taken.len();
        taken
    }

    /// Notes on suggested tasks that a habit excludes.
    pub fn left_out_before(&self, found: &Suggested) -> impl Iterator<Item = String> {
        let suggested = found.suggestions.iter().flat_map(|one| &one.combination);
        let is_suggested = move |id: &str| suggested.clone().any(|task| task.id.as_str() == id);
        let left_out = self.left_out.iter();
        let left_out = left_out.filter(move |(id, _)| is_suggested(id));
        left_out.map(|(_, note)| note.clone())
    }

    /// The best suggestion for the strategy if all its tasks are wanted, else the one whose wanted tasks
    /// score highest. The flag says whether all of its tasks are left.
    pub fn best(&self, suggestions: Vec<Suggestion>) -> Option<(Suggestion, bool)> {
        let left = suggestions.into_iter().map(|mut suggestion| {
            let before = suggestion.combination.len();
            suggestion.combination.retain(|task| self.wants(task));
            suggestion.combination.truncate(self.most);
            let scores = suggestion.combination.iter().map(|task| task.score.score);
            suggestion.total_score = scores.sum();
            let whole = suggestion.combination.len() == before;
            (suggestion, whole)
        });
        let some = left.filter(|(suggestion, _)| !suggestion.combination.is_empty());
        let rank = |(one, whole): &(Suggestion, bool)| {
            if one.best && *whole {
                u32::MAX
            } else {
                one.total_score
            }
        };
        // `max_by_key` takes the last of equal ranks.
        some.rev().max_by_key(rank)
    }
}

/// Whether the words are the task's id, or words of its title.
pub(super) fn is_meant(task: &TaskView, words: &str) -> bool {
    task.id.as_str() == words || wish::is_meant(&task.title, words)
}
