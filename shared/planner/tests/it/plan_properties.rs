//! What holds of every plan, whatever the day.
use alfred_core::id::{BlockId, TaskId};
use alfred_planner::plan::{Change, IdleWhy, LeftOutWhy, PlannedBlock, Urgency, Why};
use alfred_planner::{
    BlockType, ClockTime, DayClock, DayPlan, DayRequest, Habits, Priority, ScoredTask, Span, Task,
    TaskSource, TaskStatus, TimeBlock, Wish, plan,
};
use jiff::civil::{Date, date};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use std::collections::HashMap;

/// Days planned for each property; `PROPTEST_CASES` asks for more.
fn cases() -> u32 {
    let asked = std::env::var("PROPTEST_CASES").ok();
    asked.and_then(|cases| cases.parse().ok()).unwrap_or(128)
}

fn time(minutes: u16) -> ClockTime {
    ClockTime::from_minutes(minutes).unwrap()
}

/// Days with and without a clock change.
fn any_day() -> impl Strategy<Value = (Date, &'static str)> {
    prop::sample::select(vec![
        (date(2026, 11, 23), "Europe/Berlin"),
        (date(2026, 3, 29), "Europe/Berlin"),
        (date(2026, 10, 25), "Europe/Berlin"),
        (date(2026, 3, 8), "America/New_York"),
        (date(2026, 9, 6), "America/Santiago"),
        (date(2026, 10, 4), "Australia/Lord_Howe"),
        (date(2026, 6, 1), "Asia/Kolkata"),
    ])
}

/// Mostly an ordinary working day, sometimes the night.
fn any_habits() -> impl Strategy<Value = Habits> {
    let hours = prop_oneof![
        4 => (28_u16..44, 16_u16..44),
        1 => (0_u16..12, 12_u16..48),
    ];
    let lengths = (
        prop::sample::select(vec![0_u32, 30, 45, 60]),
        prop::sample::select(vec![15_u32, 25, 45, 90, 120]),
        prop::sample::select(vec![30_u32, 60, 90, 120]),
        prop::sample::select(vec![5_u32, 15, 30, 60]),
        (
            prop::sample::select(vec![0_u32, 5, 15, 30]),
            prop::sample::select(vec![0_u32, 15, 30]),
        ),
    );
    (hours, 44_u16..56, lengths).prop_map(|((from, long), lunch, lengths)| {
        let (lunch_length, focus, break_every, email, (buffer, slack)) = lengths;
        let end = ((from + long) * 15).min(1_440);
        Habits {
            working: Span::new(time(from * 15), time(end)).unwrap(),
            lunch: time(lunch * 15),
            lunch_length,
            focus,
            break_every,
            email,
            buffer,
            slack,
        }
    })
}

fn any_blocks() -> impl Strategy<Value = Vec<TimeBlock>> {
    let kind = prop::sample::select(BlockType::ALL);
    let step = prop::sample::select(vec![1_u16, 15]);
    let block = (kind, step, 360_u16..1_200, 5_u16..180, any::<bool>());
    prop::collection::vec(block, 0..6).prop_map(|parts| {
        let block =
            |(i, (kind, step, start, length, lunch)): (usize, (BlockType, u16, u16, u16, bool))| {
                let start = start / step * step;
                TimeBlock {
                    id: format!("blk_{i}").into(),
                    kind,
                    title: if lunch && kind == BlockType::Break {
                        "Lunch"
                    } else {
                        "Thing"
                    }
                    .into(),
                    start: time(start),
                    end: time((start + length).div_ceil(step) * step),
                    description: String::new(),
                    task_ids: Vec::new(),
                    tainted: false,
                }
            };
        parts.into_iter().enumerate().map(block).collect()
    })
}

fn any_tasks() -> impl Strategy<Value = Vec<(Priority, u32, Option<i32>, i64)>> {
    let priority = prop::sample::select(Priority::ALL);
    let minutes = prop_oneof![4 => (1_u32..=8).prop_map(|n| n * 15), 1 => 1_u32..300];
    prop::collection::vec(
        (priority, minutes, prop::option::of(-2_i32..5), 0_i64..20),
        0..18,
    )
}

fn any_wishes() -> impl Strategy<Value = Vec<Wish>> {
    let at = (32_u16..72).prop_map(|quarter| time(quarter * 15));
    let wish = prop_oneof![
        at.clone().prop_map(Wish::LunchAt),
        Just(Wish::NoLunch),
        at.clone().prop_map(Wish::NoFocusBefore),
        at.clone().prop_map(Wish::NoFocusAfter),
        at.clone().prop_map(Wish::NoMeetingsBefore),
        at.clone().prop_map(Wish::EmailAt),
        at.clone().prop_map(Wish::OnlyFrom),
        Just(Wish::NoEmail),
        Just(Wish::NoBreaks),
        (0_u32..400).prop_map(Wish::FocusAtMost),
        at.clone().prop_map(|to| Wish::Move {
            title: "thing".into(),
            to
        }),
        Just(Wish::Drop("thing".into())),
        Just(Wish::First("task 003".into())),
        (32_u16..60, 1_u16..20).prop_map(|(from, length)| {
            Wish::KeepFree(Span::new(time(from * 15), time((from + length) * 15)).unwrap())
        }),
    ];
    prop::collection::vec(wish, 0..3)
}

prop_compose! {
    fn any_request()(
        (date, zone) in any_day(),
        habits in any_habits(),
        blocks in any_blocks(),
        meetings in prop::collection::vec((360_i64..1_200, 5_i64..150), 0..5),
        tasks in any_tasks(),
        wishes in any_wishes(),
        now in -600_i64..1_200,
    ) -> DayRequest {
        let zone = TimeZone::get(zone).unwrap();
        let begins = date.to_zoned(zone.clone()).unwrap().timestamp();
        let at = |minutes: i64| -> Timestamp { begins + SignedDuration::from_mins(minutes) };
        // Half of all days are planned the day before.
        let now = at(if now < 300 { -300 } else { now });
        let task = |(i, (priority, minutes, due, age)): (usize, (Priority, u32, Option<i32>, i64))| Task {
            id: format!("tsk_{i:03}").into(),
            title: format!("Task {i:03}"),
            description: String::new(),
            status: TaskStatus::Backlog,
            priority,
            estimated_minutes: minutes,
            due_date: due.map(|days| date + jiff::Span::new().days(days)),
            source: TaskSource::Chat,
            created_at: begins - SignedDuration::from_hours(24 * age),
            block_id: None,
            tainted: false,
        };
        let clock = DayClock::new(date, &zone).unwrap();
        let meeting = |(i, (start, length)): (usize, (i64, i64))| {
            let span = clock.project(at(start), at(start + length))?;
            Some(TimeBlock {
                id: format!("evt_{i}").into(),
                kind: BlockType::Meeting,
                title: format!("Meeting {i}"),
                start: span.start(),
                end: span.end(),
                description: String::new(),
                task_ids: Vec::new(),
                tainted: true,
            })
        };
        let meetings = meetings.into_iter().enumerate().filter_map(meeting);
        DayRequest {
            date,
            now,
            habits,
            blocks: blocks.into_iter().chain(meetings).collect(),
            tasks: ScoredTask::all(tasks.into_iter().enumerate().map(task), date, &zone),
            wishes,
            named: true,
            zone,
        }
    }
}

/// The plan, unless a wish names a time that the day doesn't have. Without wishes every day is planned.
fn planned(request: &DayRequest) -> Option<(DayPlan, DayClock)> {
    let clock = DayClock::new(request.date, &request.zone).unwrap();
    match plan(request) {
        Ok(plan) => Some((plan, clock)),
        Err(error) => {
            assert!(!request.wishes.is_empty(), "{error:?}");
            None
        }
    }
}

fn wished_place(block: &PlannedBlock) -> bool {
    matches!(block.why, Why::Wished(Wish::Move { .. }))
}

fn tier(urgency: Urgency) -> u8 {
    match urgency {
        Urgency::First => 0,
        Urgency::Overdue(_) | Urgency::DueToday => 1,
        Urgency::DueTomorrow => 2,
        Urgency::Score(_) => 3,
    }
}

/// What a task's urgency has to be, from the request alone.
fn expected_tier(request: &DayRequest, task: &Task) -> u8 {
    let first = request.wishes.iter().any(|wish| match wish {
        Wish::First(title) => task.title.to_lowercase().contains(title.as_str()),
        _ => false,
    });
    match task.due_date {
        _ if first => 0,
        Some(due) if due <= request.date => 1,
        Some(due) if due == request.date.tomorrow().unwrap() => 2,
        _ => 3,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn nothing_new_overlaps_or_leaves_the_working_hours(request in any_request()) {
        let Some((plan, clock)) = planned(&request) else { return Ok(()) };
        for (i, block) in plan.blocks.iter().enumerate() {
            if block.change == Change::Kept {
                continue;
            }
            for (j, other) in plan.blocks.iter().enumerate() {
                prop_assert!(i == j || !block.span.overlaps(other.span), "{}", plan.lines().join("\n"));
            }
            prop_assert!(clock.exists(block.span.start()));
            let from = clock.at_or_after(request.now);
            prop_assert!(from.is_some_and(|from| from <= block.span.start()), "{block:?} is past");
            if !wished_place(block) {
                prop_assert!(plan.planned.is_some_and(|hours| hours.holds(block.span)));
            }
        }
    }

    #[test]
    fn what_is_fixed_is_not_touched(request in any_request()) {
        let Some((plan, _)) = planned(&request) else { return Ok(()) };
        let by_id: HashMap<&BlockId, &PlannedBlock> =
            plan.blocks.iter().filter_map(|block| Some((block.id.as_ref()?, block))).collect();
        for block in &request.blocks {
            let removed = plan.removed.iter().any(|gone| gone.id.as_ref() == Some(&block.id));
            let span = Span::new(block.start, block.end).unwrap();
            let early = block.start < request.only_from();
            let fixed = early || matches!(block.kind, BlockType::Meeting | BlockType::Blocked);
            let asked = !request.wishes.is_empty();
            match by_id.get(&block.id) {
                Some(now) if now.change == Change::Kept => prop_assert_eq!(now.span, span),
                Some(now) => {
                    prop_assert!(!fixed && asked);
                    let Change::Moved { from } = now.change else {
                        return Err(TestCaseError::fail("an old block can't be new"));
                    };
                    prop_assert_eq!(from, span);
                }
                None => prop_assert!(removed && !fixed && asked, "{}", plan.lines().join("\n")),
            }
        }
    }

    #[test]
    fn no_gap_of_half_an_hour_is_unexplained(request in any_request()) {
        let Some((plan, clock)) = planned(&request) else { return Ok(()) };
        let Some(hours) = plan.planned else {
            prop_assert!(plan.blocks.iter().all(|block| block.change == Change::Kept || wished_place(block)));
            return Ok(());
        };
        let busy = alfred_planner::gaps::merged(plan.blocks.iter().map(|block| block.span));
        let mut from = hours.start();
        let mut free = Vec::new();
        for span in busy.iter().filter(|span| span.overlaps(hours)) {
            free.extend(Span::new(from, span.start()));
            from = from.max(span.end());
        }
        free.extend(Span::new(from, hours.end()));
        let explained = alfred_planner::gaps::merged(plan.idle.iter().map(|idle| idle.span));
        for gap in free.iter().filter(|gap| clock.minutes(**gap) >= 30) {
            prop_assert!(explained.iter().any(|e| e.holds(*gap)), "{gap}:\n{}", plan.lines().join("\n"));
        }
        for idle in &plan.idle {
            prop_assert_eq!(idle.minutes, clock.minutes(idle.span));
            prop_assert!(plan.blocks.iter().all(|block| !block.span.overlaps(idle.span)));
            let usable = match &idle.why {
                // A break, and beside the buffers not enough for a block.
                IdleWhy::BreakDue { .. } => idle.minutes < 15 + 5 + 30 + 2 * request.habits.buffer,
                IdleWhy::TooShort => idle.minutes < 30,
                IdleWhy::Slack { percent } => *percent == request.habits.slack && *percent > 0,
                IdleWhy::RepeatedHour => clock.length() > 1_440,
                IdleWhy::Buffer { buffer } => idle.minutes < 2 * buffer + 30 + 15,
                IdleWhy::Wished(wish) => request.wishes.contains(wish),
            };
            prop_assert!(usable, "{idle:?}:\n{}", plan.lines().join("\n"));
        }
        let sum: u32 = free.iter().map(|gap| clock.minutes(*gap)).sum();
        prop_assert_eq!(plan.planned_minutes + sum, plan.available_minutes);
    }

    #[test]
    fn each_task_has_one_place_or_a_reason(request in any_request()) {
        let Some((plan, clock)) = planned(&request) else { return Ok(()) };
        let mut placed: HashMap<&TaskId, u32> = HashMap::new();
        for block in &plan.blocks {
            prop_assert!(block.tasks.is_empty() || block.kind == BlockType::Work);
            let minutes: u32 = block.tasks.iter().map(|task| task.minutes).sum();
            prop_assert!(minutes <= clock.minutes(block.span));
            for task in &block.tasks {
                *placed.entry(&task.id).or_default() += task.minutes;
            }
        }
        for task in &request.tasks {
            let (id, minutes) = (&task.task.id, task.minutes());
            let here = placed.remove(id).unwrap_or(0);
            let left: Vec<_> = plan.left_out.iter().filter(|out| out.id == *id).collect();
            // All of it has a place, or what has none is named once.
            prop_assert_eq!(left.len(), usize::from(here < minutes), "{:?}", left);
            prop_assert_eq!(here + left.iter().map(|out| out.minutes).sum::<u32>(), minutes);
        }
        prop_assert!(placed.is_empty());
    }

    #[test]
    fn no_task_loses_its_place_to_one_that_is_due_later(request in any_request()) {
        let Some((plan, clock)) = planned(&request) else { return Ok(()) };
        let tasks: HashMap<&TaskId, &Task> = request.tasks.iter().map(|t| (&t.task.id, &t.task)).collect();
        for out in plan.left_out.iter().filter(|out| out.why != LeftOutWhy::Dropped) {
            let own = expected_tier(&request, tasks[&out.id]);
            let open = plan.blocks.iter().filter(|block| {
                block.kind == BlockType::Work && block.id.is_none()
            });
            for block in open {
                let ahead = block.tasks.iter().filter(|task| tier(task.why) <= own);
                let left = clock.minutes(block.span) - ahead.map(|task| task.minutes).sum::<u32>();
                prop_assert!(left < out.of, "{}:\n{}", out.title, plan.lines().join("\n"));
            }
        }
        for block in &plan.blocks {
            for task in &block.tasks {
                prop_assert_eq!(tier(task.why), expected_tier(&request, tasks[&task.id]));
            }
            let in_turn = block.tasks.windows(2).all(|pair| tier(pair[0].why) <= tier(pair[1].why));
            prop_assert!(in_turn, "{}", plan.lines().join("\n"));
        }
    }

    #[test]
    fn wishes_are_kept(request in any_request()) {
        let Some((plan, clock)) = planned(&request) else { return Ok(()) };
        let new = || plan.blocks.iter().filter(|block| block.change == Change::New);
        for wish in &request.wishes {
            match wish {
                Wish::KeepFree(span) => prop_assert!(new().all(|block| !block.span.overlaps(*span))),
                Wish::OnlyFrom(_) => prop_assert!(new().all(|block| block.span.start() >= request.only_from())),
                Wish::NoEmail => prop_assert!(new().all(|block| block.kind != BlockType::Email)),
                Wish::NoLunch => prop_assert!(new().all(|block| block.title != "Lunch")),
                Wish::NoBreaks => prop_assert!(new().all(|block| block.title != "Break")),
                Wish::FocusAtMost(_) | Wish::NoFocusBefore(_) | Wish::NoFocusAfter(_) => {
                    // Of several of a kind the last one holds.
                    let kind = std::mem::discriminant(wish);
                    let last = request.wishes.iter().rfind(|w| std::mem::discriminant(*w) == kind);
                    let work = || new().filter(|block| block.kind == BlockType::Work);
                    match last {
                        Some(Wish::NoFocusBefore(time)) => {
                            prop_assert!(work().all(|block| block.span.start() >= *time));
                        }
                        Some(Wish::NoFocusAfter(time)) => {
                            prop_assert!(work().all(|block| block.span.end() <= *time));
                        }
                        Some(Wish::FocusAtMost(most)) => {
                            prop_assert!(work().map(|block| clock.minutes(block.span)).sum::<u32>() <= *most);
                        }
                        _ => {}
                    }
                }
                _ => {}
            }
        }
    }

    #[test]
    fn the_same_day_is_planned_the_same(request in any_request(), turn in 0_usize..8) {
        let plan_of = |request: &DayRequest| planned(request).map(|(plan, _)| plan);
        let plan = plan_of(&request);
        prop_assert_eq!(&plan_of(&request), &plan);
        let mut turned = request.clone();
        turned.tasks.reverse();
        let middle = turn.min(turned.blocks.len());
        turned.blocks.rotate_left(middle);
        prop_assert_eq!(plan_of(&turned), plan);
    }
}
