//! The score of a task, 0–100: how much it asks to be done next; and the tasks with their scores.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::Serialize;
use std::cmp::Ordering;

use crate::dst::date_at;
use crate::{Priority, Task, TaskStatus};

/// Points a task gets for each day of its age.
const AGE_PER_DAY: i32 = 2;
const AGE_MOST: i32 = 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Score {
    pub score: u32,
    pub score_breakdown: ScoreBreakdown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ScoreBreakdown {
    /// high 50, medium 30, low 10.
    pub priority: u32,
    /// 2 a day since it was made, at most 20.
    pub age: u32,
    /// Up to 30 as its due date nears; up to 10 by age when it has none.
    pub urgency: u32,
}

impl Score {
    /// The score of a task on this day in its owner's zone.
    pub fn new(task: &Task, today: Date, zone: &TimeZone) -> Self {
        let days_old = days_between(date_at(task.created_at, zone), today).max(0);
        let age = days_old.saturating_mul(AGE_PER_DAY).min(AGE_MOST);
        let parts = ScoreBreakdown {
            priority: match task.priority {
                Priority::High => 50,
                Priority::Medium => 30,
                Priority::Low => 10,
            },
            age: age.unsigned_abs(),
            urgency: match task.due_date {
                Some(due) => by_due(days_between(today, due)).into(),
                None => by_age(days_old),
            },
        };
        Self {
            score: parts.priority + parts.age + parts.urgency,
            score_breakdown: parts,
        }
    }
}

/// Points for what is due in so many days, at most 30.
pub(crate) const fn by_due(days_left: i32) -> u8 {
    match days_left {
        ..=0 => 30,
        1 => 22,
        2..=3 => 15,
        4..=7 => 7,
        _ => 0,
    }
}

const fn by_age(days_old: i32) -> u32 {
    match days_old {
        14.. => 10,
        7.. => 7,
        3.. => 4,
        1.. => 2,
        _ => 0,
    }
}

/// Days from one date to another, negative backwards.
pub(crate) fn days_between(from: Date, to: Date) -> i32 {
    (to - from).get_days()
}

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
    pub fn from_tasks(tasks: Vec<Task>, by: &BacklogFilter, today: Date, zone: &TimeZone) -> Self {
        let is_asked_for = |task: &Task| match task.status {
            TaskStatus::Backlog => true,
            TaskStatus::Scheduled => false,
            TaskStatus::Completed => by.include_completed,
        };
        let most = by.max_duration.unwrap_or(u32::MAX);
        let fits = |task: &Task| is_asked_for(task) && task.estimated_minutes <= most;
        let mut tasks = ScoredTask::all(tasks.into_iter().filter(fits), today, zone);
        tasks.retain(|task| task.score.score >= by.min_score.unwrap_or(0));
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
