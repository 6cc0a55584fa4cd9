use super::*;
use crate::block::BlockType;
use crate::clock_time::ClockTime;
use crate::task::{Priority, TaskSource};
use crate::wish::Wish;
use insta::assert_snapshot;

fn at(time: &str) -> ClockTime {
    ClockTime::parse_end("time", time).unwrap()
}

fn block(kind: BlockType, title: &str, times: &str) -> TimeBlock {
    let (start, end) = times.split_once('-').unwrap();
    TimeBlock {
        id: format!("blk_{times}").into(),
        kind,
        title: title.into(),
        start: at(start),
        end: at(end),
        description: String::new(),
        task_ids: Vec::new(),
        tainted: false,
    }
}

fn day(date: &str, blocks: Vec<TimeBlock>) -> Seen {
    let date = date.parse().unwrap();
    Seen { date, blocks }
}

fn of_days(days: Vec<Seen>) -> Vec<Pattern> {
    patterns(&Observations {
        days,
        ..Observations::new(TimeZone::UTC)
    })
}

fn lines(found: &[Pattern]) -> Vec<String> {
    let line = |one: &Pattern| format!("{} {}/{}", one.what, one.agree, one.of);
    found.iter().map(line).collect()
}

fn of_one(date: &str, kind: BlockType, title: &str, times: &str) -> Seen {
    day(date, vec![block(kind, title, times)])
}

fn lunch(date: &str, times: &str) -> Seen {
    of_one(date, BlockType::Break, "Lunch", times)
}

#[test]
fn lunch_is_when_most_lunches_were() {
    let found = of_days(vec![
        lunch("2026-11-16", "13:00-14:00"),
        lunch("2026-11-17", "13:00-14:00"),
        lunch("2026-11-18", "12:00-13:00"),
        lunch("2026-11-19", "13:00-13:30"),
        of_one("2026-11-20", BlockType::Break, "Break", "15:00-15:15"),
    ]);
    assert_eq!(lines(&found), ["Lunch is usually at 13:00. 3/4"]);
    assert_snapshot!(found[0].examples.join("\n"), @"
2026-11-19: 13:00–13:30
2026-11-17: 13:00–14:00
2026-11-16: 13:00–14:00
");
    assert!((found[0].confidence() - 0.3).abs() < 1e-9 && !found[0].is_sure());
}

#[test]
fn own_blocks_that_others_words_shaped_are_not_counted_and_meetings_are() {
    let tainted = |date: &str, times: &str| {
        let kinds = [
            (BlockType::Break, "Lunch", times),
            (BlockType::Work, "Focus", "16:00-18:00"),
            (BlockType::Meeting, "Sync", "09:00-10:00"),
        ];
        let mut blocks = kinds.map(|(kind, title, times)| block(kind, title, times));
        for block in &mut blocks {
            block.tainted = true;
        }
        day(date, blocks.into())
    };
    let mut days: Vec<Seen> = (16..20)
        .map(|n| tainted(&format!("2026-11-{n}"), "15:00-16:00"))
        .collect();
    let meetings = "Meetings are mostly in the morning. 4/4";
    assert_eq!(lines(&of_days(days.clone())), [meetings]);
    // Another lunch of the same day is the day's.
    let lunch = block(BlockType::Break, "Lunch", "13:00-14:00");
    for day in &mut days {
        day.blocks.push(lunch.clone());
    }
    let both = ["Lunch is usually at 13:00. 4/4", meetings];
    assert_eq!(lines(&of_days(days)), both);
}

#[test]
fn two_observations_are_no_pattern_and_neither_is_half_of_them() {
    let two = vec![
        lunch("2026-11-16", "13:00-14:00"),
        lunch("2026-11-17", "13:00-14:00"),
    ];
    assert!(of_days(two.clone()).is_empty());
    let times = |n: usize| ["13:00-14:00", "12:00-13:00"][n % 2];
    let half = (16..22).map(|n| lunch(&format!("2026-11-{n}"), times(n)));
    assert!(of_days(half.collect()).is_empty());
}

#[test]
fn focus_work_has_its_hours_lengths_and_weekdays() {
    // Mondays and Tuesdays of three weeks; the Tuesday between was without.
    let focus = |date| {
        let blocks = vec![
            block(BlockType::Work, "Deep work", "09:05-10:35"),
            block(BlockType::Work, "Deep work", "13:00-14:28"),
            block(BlockType::Work, "Writing", "10:45-12:00"),
        ];
        day(date, blocks)
    };
    let mut days: Vec<Seen> = ["2026-11-02", "2026-11-09", "2026-11-16"].map(focus).into();
    days.push(focus("2026-11-03"));
    days.push(focus("2026-11-17"));
    assert_snapshot!(lines(&of_days(days)).join("\n"), @"
Focus work is mostly in the morning. 5/5
The first focus block usually begins about 09:00. 5/5
There is usually focus work on Mondays. 3/3
Focus blocks are usually about 90 minutes long. 10/15
");
}

#[test]
fn meetings_are_told_by_times_alone() {
    let meeting = |date| of_one(date, BlockType::Meeting, "Secret plans", "14:00-15:00");
    let days = ["2026-11-02", "2026-11-09", "2026-11-16"].map(meeting);
    let found = of_days(days.into());
    assert_eq!(lines(&found), ["Meetings are mostly in the afternoon. 3/3"]);
    assert!(!found[0].tainted && !format!("{found:?}").contains("Secret"));
}

fn event(happened: Happened, at: &str, task: &str) -> TaskEvent {
    TaskEvent {
        happened,
        at: at.parse().unwrap(),
        task: task.into(),
        title: format!("Title {task}"),
        priority: Priority::Medium,
        estimated_minutes: 30,
        source: TaskSource::Chat,
        block: None,
        tainted: false,
    }
}

fn in_block(id: &str, date: &str, times: &str) -> Option<InBlock> {
    let (start, end) = times.split_once('-').unwrap();
    Some(InBlock {
        id: id.into(),
        date: date.parse().unwrap(),
        start: at(start),
        end: at(end),
    })
}

fn of_tasks(tasks: Vec<TaskEvent>) -> Vec<Pattern> {
    patterns(&Observations {
        tasks,
        ..Observations::new(TimeZone::UTC)
    })
}

#[test]
fn a_task_takes_from_the_start_of_its_block_or_the_one_before_in_it() {
    let done = |at: &str, task: &str, block: &str| {
        let block = in_block(block, &at[..10], "09:00-11:00");
        TaskEvent {
            block,
            ..event(Happened::Completed, at, task)
        }
    };
    let found = of_tasks(vec![
        done("2026-11-16T09:45:00Z", "tsk_1", "blk_1"),
        done("2026-11-16T10:45:00Z", "tsk_2", "blk_1"),
        done("2026-11-17T09:54:00Z", "tsk_3", "blk_2"),
        // Ticked off before its block, and long after it: nobody knows how long they took.
        done("2026-11-18T08:00:00Z", "tsk_4", "blk_3"),
        done("2026-11-18T18:00:00Z", "tsk_5", "blk_4"),
    ]);
    let mut found = found.iter();
    let takes = found.find(|one| matches!(one.what, What::TasksTake(_)));
    let takes = takes.unwrap();
    assert_eq!(takes.what, What::TasksTake(180));
    assert_eq!((takes.agree, takes.of), (3, 3));
    assert_snapshot!(takes.examples.join("\n"), @r#"
2026-11-17: "Title tsk_3" took 54 min, estimated 30
2026-11-16: "Title tsk_1" took 45 min, estimated 30
2026-11-16: "Title tsk_2" took 60 min, estimated 30
"#);
}

#[test]
fn tasks_are_done_at_times_of_day_by_kind_where_the_person_is() {
    let done = |n: u32, hour: u32, quick: bool| {
        let at = format!("2026-11-{:02}T{hour:02}:00:00Z", 10 + n);
        TaskEvent {
            estimated_minutes: if quick { 10 } else { 90 },
            ..event(Happened::Completed, &at, &format!("tsk_{n}"))
        }
    };
    let mut tasks: Vec<TaskEvent> = (0..3).map(|n| done(n, 7, true)).collect();
    tasks.extend((3..6).map(|n| done(n, 15, false)));
    // What is opened again wasn't done, and doesn't count a second time once it is.
    let reopened = event(Happened::Reopened, "2026-11-20T08:00:00Z", "tsk_3");
    tasks.extend([reopened, done(3, 15, false)]);
    tasks.push(TaskEvent {
        estimated_minutes: 90,
        ..event(Happened::Completed, "2026-11-21T15:00:00Z", "tsk_3")
    });
    let seen = Observations {
        tasks,
        ..Observations::new(TimeZone::get("Europe/Berlin").unwrap())
    };
    let found = patterns(&seen);
    assert_snapshot!(lines(&found).join("\n"), @"
Tasks of an hour or more are mostly done in the afternoon. 3/3
Tasks of up to 15 minutes are mostly done in the morning. 3/3
");
    assert_eq!(found[0].examples[0], "2026-11-21: \"Title tsk_3\" at 16:00");
}

#[test]
fn what_is_put_off_three_times_is_named() {
    let put_off = |(n, task): (u32, &str)| TaskEvent {
        tainted: true,
        ..event(Happened::PutOff, &format!("2026-11-1{n}T08:00:00Z"), task)
    };
    let times = [(1, "tsk_1"), (2, "tsk_1"), (3, "tsk_2"), (4, "tsk_1")];
    let tasks = times.map(put_off);
    assert!(of_tasks(tasks[..3].to_vec()).is_empty());
    let found = of_tasks(tasks.into());
    let said = "\"Title tsk_1\" is put off again and again. 3/3";
    assert_eq!(lines(&found), [said]);
    assert!(found[0].tainted);
}

fn said(date: &str, wishes: &[Wish], category: Option<&str>) -> Said {
    Said {
        date: date.parse().unwrap(),
        wishes: wishes.to_vec(),
        remark: category.map(|category| Remark {
            kind: RemarkKind::Suggestion,
            category: category.into(),
            message: "as said".into(),
        }),
    }
}

#[test]
fn wishes_about_one_thing_agree_or_not() {
    let lunch = |time| Wish::LunchAt(at(time));
    let gym = || Wish::Drop("gym".into());
    let seen = Observations {
        said: vec![
            said("2026-11-10", &[lunch("13:00")], None),
            said("2026-11-11", &[lunch("13:00"), gym()], None),
            said("2026-11-12", &[lunch("13:00")], Some("Schedule")),
            said("2026-11-13", &[lunch("12:00")], Some("schedule")),
            said("2026-11-14", &[Wish::NoBreaks], Some("schedule")),
            said("2026-11-15", &[gym()], None),
            said("2026-11-16", &[gym()], None),
        ],
        ..Observations::new(TimeZone::UTC)
    };
    let found = patterns(&seen);
    assert_snapshot!(lines(&found).join("\n"), @"
Feedback about schedule is mostly of one kind: suggestion. 3/3
This is asked for again and again: lunch at 13:00. 3/4
");
    // What stands for one task or block is no habit.
    assert_eq!(found[1].what, What::Asked(lunch("13:00")));
}

#[test]
fn what_is_left_out_of_proposals_and_who_is_answered() {
    let offer = |date: &str, what: Offered, taken: bool| Offer {
        date: date.parse().unwrap(),
        what,
        taken,
        tainted: false,
    };
    let task = |title: &str| Offered::Task {
        id: "tsk_1".into(),
        title: title.into(),
    };
    let mail = |sender: &str| Offered::Archiving(sender.into());
    let answer = |date: &str, answered| Answer {
        date: date.parse().unwrap(),
        sender: "ben@x.example".into(),
        answered,
    };
    let mut offers = vec![
        offer("2026-11-10", task("The taxes"), false),
        offer("2026-11-11", task("The taxes"), false),
        offer("2026-11-12", task("The taxes"), false),
    ];
    for date in ["2026-11-10", "2026-11-11", "2026-11-12"] {
        offers.push(offer(date, mail("news@x.example"), false));
        offers.push(offer(date, mail("ads@x.example"), true));
    }
    let seen = Observations {
        offers,
        answers: vec![
            answer("2026-11-10", true),
            answer("2026-11-11", true),
            answer("2026-11-12", false),
            answer("2026-11-13", true),
        ],
        ..Observations::new(TimeZone::UTC)
    };
    assert_snapshot!(lines(&patterns(&seen)).join("\n"), @r#"
"The taxes" is usually left out where it is proposed. 3/3
Mail from ads@x.example is usually archived as proposed. 3/3
Mail from news@x.example is usually kept where archiving is proposed. 3/3
Mail from ben@x.example usually gets an answer. 3/4
"#);
}

#[test]
fn the_order_of_observations_makes_no_difference() {
    let mut days: Vec<Seen> = (1..=28)
        .map(|n| {
            let lunch = ["13:00-14:00", "12:00-13:00"][usize::from(n % 5 == 0)];
            let work = ["09:00-10:30", "14:00-16:00"][usize::from(n % 3 == 0)];
            let blocks = vec![
                block(BlockType::Break, "Lunch", lunch),
                block(BlockType::Work, "Focus", work),
                block(BlockType::Meeting, "Sync", "16:00-16:30"),
            ];
            day(&format!("2026-10-{n:02}"), blocks)
        })
        .collect();
    let found = of_days(days.clone());
    assert!(found.len() > 5, "{found:?}");
    for seed in 0..7 {
        days.rotate_left(5 + seed);
        days.swap(0, 11 + seed);
        assert_eq!(of_days(days.clone()), found);
    }
    for one in &found {
        assert!(one.agree >= LEAST && !one.examples.is_empty() && one.examples.len() <= 3);
    }
}

#[test]
fn a_pattern_survives_its_way_through_a_tool() {
    for what in [
        What::LunchAt(at("13:00")),
        What::Asked(Wish::FocusLength(60)),
        What::KeepsMail("a@b.example".into()),
        What::TasksTakeAsEstimated,
        What::LeavesTask {
            id: "tsk_1".into(),
            title: "T".into(),
        },
    ] {
        let json = serde_json::to_value(&what).unwrap();
        assert!(json["kind"].is_string(), "{json}");
        assert_eq!(serde_json::from_value::<What>(json).unwrap(), what);
    }
}
