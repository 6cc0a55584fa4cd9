//! Tasks with their scores.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use std::cmp::Ordering;

use crate::score::Score;
use crate::task::{Task, TaskStatus};

/// A task with its score on some day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScoredTask {
    /// The task.
    pub task: Task,
    /// Its score.
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

/// Which tasks of a backlog are asked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct BacklogFilter {
    /// Only those of at least this score.
    pub min_score: Option<u32>,
    /// Only those that take at most this many minutes.
    pub max_duration: Option<u32>,
    /// Also those that are done.
    pub include_completed: bool,
}

/// A backlog as asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backlog {
    /// The tasks in order.
    pub tasks: Vec<ScoredTask>,
    /// The mean of their scores, rounded; 0 without tasks.
    pub average_score: u32,
    /// How many there are.
    pub total_tasks: usize,
}

impl Backlog {
    /// The tasks that pass the filter, scored and in order. Those that are planned for a block are in no backlog.
    pub fn from_tasks(
        tasks: Vec<Task>,
        filter: &BacklogFilter,
        today: Date,
        zone: &TimeZone,
    ) -> Self {
        let open = tasks
            .into_iter()
            .filter(|task| match task.status {
                TaskStatus::Backlog => true,
                TaskStatus::Scheduled => false,
                TaskStatus::Completed => filter.include_completed,
            })
            .filter(|task| {
                filter
                    .max_duration
                    .is_none_or(|most| task.estimated_minutes <= most)
            });
        let mut tasks = ScoredTask::all(open, today, zone);
        tasks.retain(|task| {
            filter
                .min_score
                .is_none_or(|least| task.score.score >= least)
        });
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
    use crate::task::{Priority, TaskSource};
    use jiff::civil::date;
    use proptest::prelude::*;

    pub(crate) const TODAY: Date = date(2026, 11, 20);

    pub(crate) fn task(id: &str, priority: Priority, minutes: u32, due: Option<Date>) -> Task {
        Task {
            id: id.into(),
            title: format!("Task {id}"),
            description: String::new(),
            status: TaskStatus::Backlog,
            priority,
            estimated_minutes: minutes,
            due_date: due,
            source: TaskSource::Chat,
            created_at: "2026-11-20T08:00:00Z".parse().unwrap(),
            block_id: None,
            tainted: false,
        }
    }

    /// Tasks of any kind, in the order of a backlog.
    pub(crate) fn any_tasks(
        count: std::ops::Range<usize>,
        minutes: std::ops::RangeInclusive<u32>,
    ) -> impl Strategy<Value = Vec<ScoredTask>> {
        let one = (
            prop::sample::select(Priority::ALL),
            minutes,
            prop::option::of(-2_i32..10),
            0_i32..20,
        );
        prop::collection::vec(one, count).prop_map(|parts| {
            let tasks = parts
                .into_iter()
                .enumerate()
                .map(|(i, (priority, minutes, due, age))| {
                    let due = due.map(|days| TODAY + jiff::Span::new().days(days));
                    let mut task = task(&format!("{i:03}"), priority, minutes, due);
                    task.created_at -= jiff::SignedDuration::from_hours(24 * i64::from(age));
                    task
                });
            ScoredTask::all(tasks, TODAY, &TimeZone::UTC)
        })
    }

    #[test]
    fn filters_and_the_average() {
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
        let ids = |filter| {
            let backlog = Backlog::from_tasks(tasks.clone(), &filter, TODAY, &TimeZone::UTC);
            let ids: Vec<String> = backlog
                .tasks
                .iter()
                .map(|t| t.task.id.to_string())
                .collect();
            (ids.join(" "), backlog.average_score, backlog.total_tasks)
        };
        let all = BacklogFilter::default();
        // 60, 50 and 10.
        assert_eq!(ids(all), ("due long low".into(), 40, 3));
        let short = BacklogFilter {
            max_duration: Some(30),
            ..all
        };
        assert_eq!(ids(short), ("due low".into(), 35, 2));
        let good = BacklogFilter {
            min_score: Some(50),
            include_completed: true,
            ..all
        };
        assert_eq!(ids(good), ("due done long".into(), 53, 3));
        let none = BacklogFilter {
            min_score: Some(99),
            ..all
        };
        assert_eq!(ids(none), (String::new(), 0, 0));
    }
}
