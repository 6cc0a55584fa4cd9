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

/// A score and its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Score {
    /// The sum of the breakdown, 0–100.
    pub score: u32,
    /// What it is made of.
    pub score_breakdown: ScoreBreakdown,
}

/// The parts of a score.
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
        Self::from_parts(
            task.priority,
            date_at(task.created_at, zone),
            task.due_date,
            today,
        )
    }

    /// The same, from what it depends on.
    pub fn from_parts(priority: Priority, created: Date, due: Option<Date>, today: Date) -> Self {
        let days_old = days_between(created, today).max(0);
        let age = days_old.saturating_mul(AGE_PER_DAY).min(AGE_MOST);
        let parts = ScoreBreakdown {
            priority: match priority {
                Priority::High => 50,
                Priority::Medium => 30,
                Priority::Low => 10,
            },
            age: age.unsigned_abs(),
            urgency: match due {
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
    let hours = to.duration_since(from).as_hours();
    i32::try_from(hours / 24).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::ToSpan;
    use jiff::civil::date;
    use proptest::prelude::*;

    const TODAY: Date = date(2026, 11, 21);

    fn parts(priority: Priority, age: i32, due_in: Option<i32>) -> (u32, u32, u32, u32) {
        let due = due_in.map(|days| TODAY + days.days());
        let s = Score::from_parts(priority, TODAY - age.days(), due, TODAY);
        let b = s.score_breakdown;
        (b.priority, b.age, b.urgency, s.score)
    }

    #[test]
    fn priority_age_and_urgency_add_up() {
        use Priority::{High, Low, Medium};
        assert_eq!(parts(High, 0, None), (50, 0, 0, 50));
        assert_eq!(parts(Medium, 1, None), (30, 2, 2, 34));
        assert_eq!(parts(Low, 3, None), (10, 6, 4, 20));
        assert_eq!(parts(Low, 7, None), (10, 14, 7, 31));
        assert_eq!(parts(Low, 14, None), (10, 20, 10, 40));
        assert_eq!(parts(High, 400, Some(-5)), (50, 20, 30, 100));
        let urgency = (-1..=8).map(|days| parts(Medium, 0, Some(days)).2);
        let expected = [30, 30, 22, 15, 15, 7, 7, 7, 7, 0];
        assert_eq!(urgency.collect::<Vec<_>>(), expected);
        // A clock that was wrong can't make a task younger than new.
        assert_eq!(parts(Low, -3, None), (10, 0, 0, 10));
    }

    #[test]
    fn age_counts_days_of_the_owners_zone() {
        let task = Task {
            created_at: "2026-11-20T23:30:00Z".parse().unwrap(),
            ..crate::backlog::tests::task("tsk_1", Priority::Medium, 30, None)
        };
        let age = |zone: &str| {
            let zone = TimeZone::get(zone).unwrap();
            Score::new(&task, TODAY, &zone).score_breakdown.age
        };
        assert_eq!((age("UTC"), age("Europe/Berlin")), (2, 0));
    }

    proptest! {
        #[test]
        fn a_score_is_the_sum_of_its_parts_within_a_hundred(
            p in prop::sample::select(Priority::ALL), age in -50_i32..5_000, due in prop::option::of(-5_000_i32..5_000)
        ) {
            let (priority, age, urgency, score) = parts(p, age, due);
            prop_assert_eq!(score, priority + age + urgency);
            prop_assert!(age <= 20 && urgency <= 30 && (10..=100).contains(&score));
        }

        #[test]
        fn waiting_never_lowers_a_score(
            p in prop::sample::select(Priority::ALL), age in 0_i32..60, due in prop::option::of(-30_i32..60), wait in 1_i32..60
        ) {
            let created = TODAY - age.days();
            let due = due.map(|days| TODAY + days.days());
            let now = Score::from_parts(p, created, due, TODAY).score;
            let later = Score::from_parts(p, created, due, TODAY + wait.days()).score;
            prop_assert!(later >= now);
        }
    }
}
