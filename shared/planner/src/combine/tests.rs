use super::{Strategy, *};
use crate::backlog::tests::{TODAY, any_tasks, task};
use crate::task::Priority;
use crate::testing::{check, time, word};
use jiff::tz::TimeZone;
use proptest::prelude::*;

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

proptest! {
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

/// `a high 60, b medium 30`.
fn scored(text: &str) -> Vec<ScoredTask> {
    let read = |text: &str| {
        let [id, priority, minutes] = text.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{text}");
        };
        task(id, word(priority), minutes.parse().unwrap(), None)
    };
    ScoredTask::all(text.split(", ").map(read), TODAY, &TimeZone::UTC)
}

fn shown(suggestions: &Suggestions) -> String {
    let text = |c: &Combination| {
        let ids: Vec<&str> = c.tasks.iter().map(|t| t.task.id.as_str()).collect();
        let mark = if c.best { "!" } else { "" };
        format!("{}{mark} {}", ids.join("+"), c.total_score)
    };
    let texts: Vec<String> = suggestions.suggestions.iter().map(text).collect();
    texts.join(", ")
}

#[test]
fn strategies_differ() {
    check("strategies differ", |[tasks, strategy, minutes]| {
        let minutes = minutes.parse().unwrap();
        shown(&suggest(&scored(tasks), minutes, word(strategy)))
    });
}

#[test]
fn suggestions_end_with_the_most_pressing_task_alone() {
    let suggested = suggest(&scored("a high 20, b low 20"), 1_440, Strategy::Mixed);
    assert_eq!(shown(&suggested), "a+b! 60, a 50");
    let reasons = [
        "2 tasks, everything that fits: 40 of 1440 minutes, 1400 left free.",
        "One task, the most pressing task on its own: 20 of 1440 minutes, 1420 left free.",
    ];
    let found = suggested.suggestions.iter();
    assert!(found.map(|one| one.reasoning.as_str()).eq(reasons));
    assert!(suggest(&[], 60, Strategy::Mixed).suggestions.is_empty());
}

#[test]
fn ten_thousand_tasks_are_all_considered() {
    let priority = |i: u32| Priority::ALL[i as usize % 3];
    let parts = (0..10_000).map(|i| task(&format!("{i:05}"), priority(i), 5 + i % 200, None));
    let tasks = ScoredTask::all(parts, TODAY, &TimeZone::UTC);
    let suggested = suggest(&tasks, 90, Strategy::Priority);
    assert_eq!((suggested.considered, suggested.total), (4_300, 10_000));
    // There are 17 high ones of 5 minutes; 16 and one of 10 fill the time.
    let best = suggested.suggestions.iter().find(|one| one.best).unwrap();
    assert_eq!(best.total_score, 850);
}

#[test]
fn filling_follows_the_strategy() {
    let tasks = scored("a medium 20, b high 60, c low 10, d medium 45");
    check("filling follows the strategy", |[strategy, start, most]| {
        let room = Room {
            start: time(start),
            minutes: 100,
            used: 10,
        };
        let filled = fill(&tasks, room, word(strategy), most.parse().unwrap());
        let ids: Vec<&str> = filled.assigned.iter().map(|t| t.task.id.as_str()).collect();
        let (ids, left) = (ids.join(" "), filled.remaining_minutes);
        format!("{ids}, {left} min left, {} %", filled.utilization)
    });
}
