//! The score of a task, 0–100: how much it asks to be done next.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::Serialize;

use crate::dst::date_at;
use crate::task::{Priority, Task};

/// Points a task gets for each day of its age.
const AGE_PER_DAY: i32 = 2;
/// The most points for age.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backlog::tests::{TODAY, task};
    use crate::testing::{check, word};
    use jiff::ToSpan;
    use proptest::prelude::*;

    fn score(priority: Priority, age: i64, due_in: Option<i64>) -> Score {
        let due = due_in.map(|days| TODAY + days.days());
        let mut task = task("tsk_1", priority, 30, due);
        task.created_at -= jiff::SignedDuration::from_hours(24 * age);
        Score::new(&task, TODAY, &TimeZone::UTC)
    }

    #[test]
    fn priority_age_and_urgency_add_up() {
        check("priority age and urgency add up", |[priority, age, due]| {
            let found = score(word(priority), age.parse().unwrap(), due.parse().ok());
            let parts = found.score_breakdown;
            assert_eq!(found.score, parts.priority + parts.age + parts.urgency);
            format!("{} {} {}", parts.priority, parts.age, parts.urgency)
        });
    }

    #[test]
    fn age_counts_days_of_the_owners_zone() {
        let mut task = task("tsk_1", Priority::Medium, 30, None);
        task.created_at = "2026-11-19T23:30:00Z".parse().unwrap();
        let age = |zone: &str| {
            let zone = TimeZone::get(zone).unwrap();
            Score::new(&task, TODAY, &zone).score_breakdown.age
        };
        assert_eq!((age("UTC"), age("Europe/Berlin")), (2, 0));
    }

    proptest! {
        #[test]
        fn waiting_never_lowers_a_score(
            priority in prop::sample::select(Priority::ALL), age in 0_i64..5_000,
            due in prop::option::of(-5_000_i64..5_000), wait in 1_i64..60,
        ) {
            let now = score(priority, age, due);
            let later = score(priority, age + wait, due.map(|days| days - wait));
            prop_assert!((now.score..=100).contains(&later.score));
        }
    }
}
