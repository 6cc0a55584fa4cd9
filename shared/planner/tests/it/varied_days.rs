//! Hundreds of days that differ: what holds of every plan beside a greedy one, and by the analyser's judgement.
use crate::days;

use alfred_planner::fit::{Part, Worth, worth};
use alfred_planner::plan::{LeftOutWhy, Note};
use alfred_planner::{
    DayClock, DayPlan, DayRequest, DayUse, Suggestion, TimeBlock, Utilization, plan,
};
use days::Placement;

/// Days that are tried; `VARIED_DAYS=500` tries those of the bench.
fn count() -> u64 {
    let more = std::env::var("VARIED_DAYS").ok();
    more.map_or(150, |text| text.parse().unwrap())
}

/// The blocks of a plan as they are kept once its owner says yes.
fn kept(plan: &DayPlan) -> Vec<TimeBlock> {
    let block = |(at, block): (usize, &alfred_planner::plan::PlannedBlock)| TimeBlock {
        id: format!("blk_{at}").into(),
        kind: block.kind,
        title: block.title.clone(),
        start: block.span.start(),
        end: block.span.end(),
        description: String::new(),
        task_ids: Vec::new(),
        tainted: false,
    };
    plan.blocks.iter().enumerate().map(block).collect()
}

fn all() -> impl Iterator<Item = (u64, DayRequest, DayPlan)> {
    (0..count()).map(|number| {
        let request = days::day(number);
        let found = plan(&request).unwrap();
        (number, request, found)
    })
}

fn score(found: &Placement, parts: &[Part]) -> u64 {
    let one = |part: &Part| u64::from(part.minutes) * u64::from(found.jobs[part.job].score);
    parts.iter().map(one).sum()
}

#[test]
fn no_greedy_plan_is_worth_more_and_the_analyser_agrees() {
    let (mut ours, mut theirs, mut tasks) = (0, 0, 0);
    for (number, request, found) in all() {
        let lines = || format!("day {number}:\n{}", found.lines().join("\n"));
        let placement = Placement::read(&request, &found);
        let greedy = placement.greedy();
        let best: Worth = worth(&placement.jobs, &placement.parts);
        assert!(best >= worth(&placement.jobs, &greedy), "{}", lines());
        ours += score(&placement, &placement.parts);
        theirs += score(&placement, &greedy);
        tasks += placement.jobs.len();
        agrees(&request, &found, lines);
    }
    // Tasks that are split fill what a greedy plan leaves open.
    assert!(
        tasks as u64 > count() * 6 && ours * 100 > theirs * 110,
        "{tasks}: {ours} and {theirs}"
    );
}

/// The analyser calls a planned day too full exactly when the plan said so.
fn agrees(request: &DayRequest, found: &DayPlan, lines: impl Fn() -> String) {
    let clock = DayClock::new(request.date, &request.zone).unwrap();
    let (working, slack) = (request.habits.working, request.habits.slack);
    let analysed = Utilization::from_blocks(&kept(found), working, slack, &clock);
    let too_full = |one: &Suggestion| matches!(one, Suggestion::TooFull(_));
    let said = found
        .notes
        .iter()
        .any(|note| matches!(note, Note::TooFull(_)));
    assert_eq!(
        analysed.suggestions.iter().any(too_full),
        said,
        "{}",
        lines()
    );
    let taken = found
        .notes
        .iter()
        .any(|note| matches!(note, Note::SlackTaken { .. }));
    if let Some(window) = found.planned.filter(|_| !taken) {
        let blocks = found.blocks.iter().map(|block| (block.kind, block.span));
        let day = DayUse::of(blocks, window, &clock);
        // A task that lacks a few minutes may take them of the slack.
        let enough = day.minutes - day.planned + 20 >= day.slack(slack) || day.minutes < 120;
        let new = found
            .blocks
            .iter()
            .any(|block| block.id.is_none() && !block.tasks.is_empty());
        assert!(enough || !new, "{}", lines());
    }
}

/// A reason names a cause: without it the task gets more of its minutes in the same work time. Where the time is
/// full, no single task is the cause, and all others together are.
#[test]
fn each_omission_ends_with_its_cause() {
    let (mut lost, mut full, mut most) = (0_u64, 0_u64, 0_u64);
    for (number, request, found) in all() {
        let placement = Placement::read(&request, &found);
        let position = |title: &str| {
            placement
                .titles
                .iter()
                .position(|one| one == title)
                .unwrap()
        };
        for out in &found.left_out {
            let lines = || format!("day {number}, {}:\n{}", out.title, found.lines().join("\n"));
            let own = position(&out.title);
            let here = out.of - out.minutes;
            match &out.why {
                LeftOutWhy::Lost { to, .. } => {
                    let rival = position(to);
                    assert!(
                        placement.minutes_without(own, |job| job == rival) > here,
                        "{}",
                        lines()
                    );
                    lost += 1;
                }
                LeftOutWhy::Full { room } => {
                    assert_eq!(*room, placement.rooms.iter().sum::<u32>(), "{}", lines());
                    for rival in (0..placement.jobs.len()).filter(|rival| *rival != own) {
                        let minutes = placement.minutes_without(own, |job| job == rival);
                        assert!(minutes <= here, "without {rival}: {}", lines());
                    }
                    let alone = placement.minutes_without(own, |job| job != own);
                    assert!(alone > here, "{}", lines());
                    full += 1;
                }
                LeftOutWhy::Most { minutes } => {
                    let alone = placement.minutes_without(own, |job| job != own);
                    assert_eq!((*minutes, alone), (here, here), "{}", lines());
                    most += 1;
                }
                LeftOutWhy::TooLong { longest } => {
                    assert!(
                        *longest < out.of && placement.rooms.iter().max() == Some(longest),
                        "{}",
                        lines()
                    );
                    assert_eq!(
                        placement.minutes_without(own, |job| job != own),
                        0,
                        "{}",
                        lines()
                    );
                }
                LeftOutWhy::NoWorkBlock => assert!(placement.rooms.is_empty(), "{}", lines()),
                LeftOutWhy::Dropped => panic!("nobody dropped it: {}", lines()),
            }
        }
    }
    assert!(
        lost > count() / 2 && full > count() / 4 && most > 0,
        "{lost}, {full} and {most}"
    );
}
