//! Reasons of blocks, gaps and moves, each checked by taking its cause away.
use crate::days;

use alfred_planner::plan::{Change, IdleWhy, Note, PlannedBlock, Why};
use alfred_planner::{BlockType, ClockTime, DayPlan, DayRequest, Span, TimeBlock, Wish, plan};

const DAYS: u64 = 120;

fn planned(request: &DayRequest) -> DayPlan {
    plan(request).unwrap()
}

fn time(minutes: u16) -> ClockTime {
    ClockTime::from_minutes(minutes).unwrap()
}

fn lunch(found: &DayPlan) -> Option<&PlannedBlock> {
    found.blocks.iter().find(|block| block.title == "Lunch")
}

#[test]
fn lunch_is_at_its_time_once_what_was_in_its_way_is_gone() {
    let mut checked = 0;
    for number in 0..DAYS {
        let request = days::day(number);
        let found = planned(&request);
        let Some(Why::LunchElsewhere { preferred, because }) =
            lunch(&found).map(|block| &block.why)
        else {
            continue;
        };
        if !because.contains("in the way") {
            continue;
        }
        let named = |block: &TimeBlock| because.contains(&format!("\"{}\"", block.title));
        let without = |left_in: Option<&TimeBlock>| {
            let mut request = request.clone();
            request
                .blocks
                .retain(|block| !named(block) || left_in == Some(block));
            lunch(&planned(&request)).map(|block| block.why.clone())
        };
        let lines = || format!("day {number}:\n{}", found.lines().join("\n"));
        assert_eq!(without(None), Some(Why::Lunch), "{}", lines());
        // Each of them alone is in its way.
        for block in request.blocks.iter().filter(|block| named(block)) {
            assert_ne!(
                without(Some(block)),
                Some(Why::Lunch),
                "{preferred}, {}: {}",
                block.title,
                lines()
            );
        }
        checked += 1;
    }
    assert!(checked > 20, "{checked}");
}

#[test]
fn what_stays_free_has_a_block_once_its_reason_is_gone() {
    let (mut buffers, mut slack) = (0, 0);
    for number in 0..DAYS {
        let request = days::day(number);
        let found = planned(&request);
        let has =
            |found: &DayPlan, is: fn(&IdleWhy) -> bool| found.idle.iter().any(|idle| is(&idle.why));
        if has(&found, |why| matches!(why, IdleWhy::Buffer { .. })) {
            let mut without = request.clone();
            without.habits.buffer = 0;
            let lines = || format!("day {number}:\n{}", found.lines().join("\n"));
            let found = planned(&without);
            assert!(
                !has(&found, |why| matches!(why, IdleWhy::Buffer { .. })),
                "{}",
                lines()
            );
            buffers += 1;
        }
        if has(&found, |why| matches!(why, IdleWhy::Slack { .. })) {
            let mut without = request.clone();
            without.habits.slack = 0;
            let full = planned(&without);
            let lines = || format!("day {number}:\n{}", found.lines().join("\n"));
            assert!(full.planned_minutes > found.planned_minutes, "{}", lines());
            slack += 1;
        }
    }
    assert!(buffers > 30 && slack > 30, "{buffers} and {slack}");
}

/// What is given up is given up for work that is due: without tasks that are, it is kept.
#[test]
fn nothing_gives_way_where_nothing_is_due() {
    let mut checked = 0;
    for number in 0..DAYS {
        let mut request = days::day(number);
        let gave = |found: &DayPlan| {
            let gave = |note: &Note| {
                matches!(
                    note,
                    Note::SlackTaken { .. } | Note::BuffersTaken { .. } | Note::EmailTaken
                )
            };
            found.notes.iter().any(gave)
        };
        if gave(&planned(&request)) {
            let tomorrow = request.date.tomorrow().unwrap();
            request
                .tasks
                .retain(|task| task.task.due_date.is_none_or(|due| due >= tomorrow));
            let found = planned(&request);
            assert!(!gave(&found), "day {number}:\n{}", found.lines().join("\n"));
            checked += 1;
        }
    }
    assert!(checked > 20, "{checked}");
}

#[test]
fn a_block_moves_for_its_wish_and_for_nothing_else() {
    let mut moved = 0;
    for number in 0..DAYS {
        let start = 540 + u16::try_from(number % 12).unwrap() * 30;
        let own = TimeBlock {
            id: "blk_own".into(),
            kind: BlockType::Work,
            title: "Thesis".into(),
            start: time(start),
            end: time(start + 45),
            description: String::new(),
            task_ids: Vec::new(),
            tainted: false,
        };
        let mut request = days::day(number);
        request.blocks.push(own);
        let wishes = [
            Wish::KeepFree(Span::new(time(start), time(start + 30)).unwrap()),
            Wish::NoFocusBefore(time(start + 15)),
            Wish::EndAt(time((start + 30).max(600))),
        ];
        let change = |wishes: &[Wish]| {
            let found = planned(&DayRequest {
                wishes: wishes.to_vec(),
                ..request.clone()
            });
            let own = found
                .blocks
                .into_iter()
                .find(|block| block.title == "Thesis")
                .unwrap();
            (own.change, own.why)
        };
        assert_eq!(
            change(&[]),
            (Change::Kept, Why::AlreadyPlanned),
            "day {number}"
        );
        for wish in wishes {
            let (now, why) = change(std::slice::from_ref(&wish));
            if let Change::Moved { .. } = now {
                assert_eq!(why, Why::Wished(wish), "day {number}");
                moved += 1;
            }
        }
    }
    assert!(moved > 60, "{moved}");
}
