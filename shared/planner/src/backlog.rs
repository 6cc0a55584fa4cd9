//! Tasks with their scores.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use std::cmp::Ordering;

use crate::score::Score;
use crate::task::{Task, TaskStatus};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScoredTask {
    pub task: Task,
    pub score: Score,
}

impl ScoredTask {
    /// Scores tasks and puts them in the order of a backlog: best first, then the older, then by id.
    pub fn all(tasks: impl IntoIterator<Item = Task>, today: Date, zone: &TimeZone) -> Vec<Self> {
        let score = |task: Task| Self {
            score: Score::new(&task, today, zone),
            task,
        };
        let mut scored: Vec<Self> = tasks.into_iter().map(score).collect();
        scored.sort_by(Self::order);
        scored
    }

    /// The order of a backlog: best score first, then the older, then by id.
    pub fn order(&self, other: &Self) -> Ordering {
        let made = |one: &Self| (one.task.created_at, one.task.id.clone());
        let by_score = other.score.score.cmp(&self.score.score);
        by_score.then_with(|| made(self).cmp(&made(other)))
    }

    /// Minutes it will take, at least one whatever its row says.
    pub fn minutes(&self) -> u32 {
        self.task.estimated_minutes.max(1)
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub struct BacklogFilter {
    pub min_score: Option<u32>,
    pub max_duration: Option<u32>,
    pub include_completed: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backlog {
    pub tasks: Vec<ScoredTask>,
    /// The mean of their scores, rounded; 0 without tasks.
    pub average_score: u32,
    pub total_tasks: usize,
}

impl Backlog {
    /// The tasks that pass the filter, scored and in order. Scheduled tasks are left out.
    pub fn from_tasks(
        tasks: Vec<Task>,
        filter: &BacklogFilter,
        today: Date,
        zone: &TimeZone,
    ) -> Self {
        let is_asked_for = |task: &Task| match task.status {
            TaskStatus::Backlog => true,
            TaskStatus::Scheduled => false,
            TaskStatus::Completed => filter.include_completed,
        };
        let most = filter.max_duration.unwrap_or(u32::MAX);
        let fits = |task: &Task| is_asked_for(task) && task.estimated_minutes <= most;
        let mut tasks = ScoredTask::all(tasks.into_iter().filter(fits), today, zone);
        tasks.retain(|task| task.score.score >= filter.min_score.unwrap_or(0));
        let sum: u64 = tasks.iter().map(|task| u64::from(task.score.score)).sum();
        let count = tasks.len() as u64;
        let average = (sum + count / 2).checked_div(count).unwrap_or(0);
        Self {
            average_score: u32::try_from(average).unwrap_or(u32::MAX),
            total_tasks: tasks.len(),
            tasks,
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::task::Priority;
    use crate::testing::check;
    use jiff::civil::date;
    use proptest::prelude::*;

    pub(crate) const TODAY: Date = date(2026, 11, 20);

    pub(crate) fn task(id: &str, priority: Priority, minutes: u32, due: Option<Date>) -> Task {
        let created_at = "2026-11-20T08:00:00Z".parse().unwrap();
        Task {
            priority,
            estimated_minutes: minutes,
            due_date: due,
            ..Task::new(id, format!("Task {id}"), created_at)
        }
    }

    /// Tasks of any kind, in the order of a backlog.
    pub(crate) fn any_tasks(
        count: std::ops::Range<usize>,
        minutes: std::ops::RangeInclusive<u32>,
    ) -> impl Strategy<Value = Vec<ScoredTask>> {
        let priority = prop::sample::select(Priority::ALL);
        let one = (priority, minutes, prop::option::of(-2_i32..10), 0_i64..20);
        prop::collection::vec(one, count).prop_map(|parts| {
            let numbered = parts.into_iter().enumerate();
            let tasks = numbered.map(|(i, (priority, minutes, due, age))| {
                let due = due.map(|days| TODAY + jiff::Span::new().days(days));
                let mut task = task(&format!("{i:03}"), priority, minutes, due);
                task.created_at -= jiff::SignedDuration::from_hours(24 * age);
                task
            });
            ScoredTask::all(tasks, TODAY, &TimeZone::UTC)
        })
    }

    #[test]
    fn a_backlog_is_filtered_ordered_and_averaged() {
        let done = Task {
            status: TaskStatus::Completed,
            ..task("done", Priority::High, 10, None)
        };
        let tasks = vec![
            task("low", Priority::Low, 10, None),
            task("long", Priority::High, 120, None),
            task("due", Priority::Medium, 30, Some(TODAY)),
            done,
        ];
        let cases = "a backlog is filtered ordered and averaged";
        check(cases, |[score, minutes, completed]| {
            let filter = BacklogFilter {
                min_score: score.parse().ok(),
                max_duration: minutes.parse().ok(),
                include_completed: completed == "yes",
            };
            let found = Backlog::from_tasks(tasks.clone(), &filter, TODAY, &TimeZone::UTC);
            assert_eq!(found.total_tasks, found.tasks.len());
            let text = |one: &ScoredTask| format!("{} {}, ", one.task.id, one.score.score);
            let tasks: String = found.tasks.iter().map(text).collect();
            format!("{tasks}average {}", found.average_score)
        });
    }
}
