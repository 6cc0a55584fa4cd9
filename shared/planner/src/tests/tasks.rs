//! Tasks: their scores, the backlog, and what fits into a time.

use jiff::tz::TimeZone;
use jiff::{SignedDuration, ToSpan};
use proptest::prelude::{Strategy as Any, *};

use super::{SATURDAY, check, task, word};
use crate::{Combination, Priority, Score, ScoredTask, Strategy, suggest};

/// Tasks of any kind, in the order of a backlog.
fn any_tasks(
    count: std::ops::Range<usize>,
    minutes: std::ops::RangeInclusive<u32>,
) -> impl Any<Value = Vec<ScoredTask>> {
    let priority = prop::sample::select(Priority::ALL);
    let one = (priority, minutes, prop::option::of(-2_i32..10), 0_i64..20);
    prop::collection::vec(one, count).prop_map(|parts| {
        let numbered = parts.into_iter().enumerate();
        let tasks = numbered.map(|(i, (priority, minutes, due, age))| {
            let due = due.map(|days| SATURDAY + days.days());
            let mut task = task(&format!("{i:03}"), priority, minutes, due);
            task.created_at -= SignedDuration::from_hours(24 * age);
            task
        });
        ScoredTask::all(tasks, SATURDAY, &TimeZone::UTC)
    })
}

fn score(priority: Priority, age: i64, due_in: Option<i64>) -> Score {
    let due = due_in.map(|days| SATURDAY + days.days());
    let mut task = task("tsk_1", priority, 30, due);
    task.created_at -= SignedDuration::from_hours(24 * age);
    Score::new(&task, SATURDAY, &TimeZone::UTC)
}

/// The best of every combination that fits; written apart from the search.
fn best_of_all(tasks: &[ScoredTask], duration: u32, strategy: Strategy) -> Vec<usize> {
    let mut all: Vec<(Vec<i64>, Vec<usize>)> = Vec::new();
    for subset in 1_u32..1 << tasks.len() {
        let chosen: Vec<usize> = (0..tasks.len()).filter(|i| subset >> i & 1 == 1).collect();
        let sum = |of: &dyn Fn(&ScoredTask) -> u32| -> i64 {
            chosen.iter().map(|i| i64::from(of(&tasks[*i]))).sum()
        };
        let minutes = sum(&ScoredTask::minutes);
        let score = sum(&|task| task.score.score);
        let product = sum(&|task| task.score.score * task.minutes());
        if minutes <= i64::from(duration) {
            let rank = match strategy {
                Strategy::Priority => vec![-product, -score, minutes],
                Strategy::QuickWins => vec![-(chosen.len() as i64), -score, minutes],
                Strategy::Mixed => vec![-score, minutes],
            };
            all.push((rank, chosen));
        }
    }
    let best = all.into_iter().min();
    best.map(|(_, chosen)| chosen).unwrap_or_default()
}

/// `a high 60, b medium 30`.
fn scored(text: &str) -> Vec<ScoredTask> {
    let read = |text: &str| {
        let [id, priority, minutes] = text.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{text}");
        };
        task(id, word(priority), minutes.parse().unwrap(), None)
    };
    ScoredTask::all(text.split(", ").map(read), SATURDAY, &TimeZone::UTC)
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
    task.created_at = "2026-11-20T23:30:00Z".parse().unwrap();
    check("age counts days of the owners zone", |[zone]| {
        let score = Score::new(&task, SATURDAY, &TimeZone::get(zone).unwrap());
        score.score_breakdown.age.to_string()
    });
}

#[test]
fn strategies_differ() {
    check("strategies differ", |[tasks, strategy, minutes]| {
        let found = suggest(&scored(tasks), minutes.parse().unwrap(), word(strategy));
        let text = |one: &Combination| {
            let ids: Vec<&str> = one.tasks.iter().map(|t| t.task.id.as_str()).collect();
            let mark = if one.best { "!" } else { "" };
            format!("{}{mark} {}", ids.join("+"), one.total_score)
        };
        let texts: Vec<String> = found.suggestions.iter().map(text).collect();
        texts.join(", ")
    });
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

    #[test]
    fn the_search_finds_the_best(
        (tasks, duration) in prop_oneof![
            (any_tasks(0..15, 1..=60), 1_u32..240),
            // Many of the same minutes.
            (any_tasks(0..15, 1..=3), 1_u32..8),
        ],
        strategy in prop::sample::select(Strategy::ALL),
    ) {
        let fitting: Vec<&ScoredTask> = tasks.iter().filter(|t| t.minutes() <= duration).collect();
        let found = strategy.best(&fitting, duration);
        let owned: Vec<ScoredTask> = fitting.iter().map(|task| (*task).clone()).collect();
        let expected = best_of_all(&owned, duration, strategy);
        let expected: Vec<&ScoredTask> = expected.iter().map(|at| fitting[*at]).collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn suggestions_keep_their_promises(
        tasks in any_tasks(0..30, 1..=120), duration in 15_u32..480,
        strategy in prop::sample::select(Strategy::ALL), turn in 0_usize..30,
    ) {
        let suggested = suggest(&tasks, duration, strategy);
        let list = &suggested.suggestions;
        prop_assert!(list.len() <= 3);
        prop_assert_eq!(list.iter().filter(|c| c.best).count(), usize::from(suggested.considered > 0));
        prop_assert!(list.windows(2).all(|pair| pair[0].total_score >= pair[1].total_score));
        for (i, combination) in list.iter().enumerate() {
            prop_assert!(combination.total_minutes <= duration);
            let minutes: u32 = combination.tasks.iter().map(ScoredTask::minutes).sum();
            prop_assert_eq!(combination.total_minutes, minutes);
            prop_assert!(list[..i].iter().all(|other| other.tasks != combination.tasks));
        }
        let mut turned = tasks.clone();
        turned.rotate_left(turn.min(tasks.len()));
        prop_assert_eq!(suggest(&turned, duration, strategy), suggested);
    }
}
