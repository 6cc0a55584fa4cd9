use super::*;
use crate::testing::{blocks, check, span, time};
use crate::wish::Wish;
use insta::assert_snapshot;
use jiff::civil::Date;
use jiff::tz::TimeZone;

fn date(text: &str) -> Date {
    text.parse().unwrap()
}

/// Days of November 2026 from the 16th on: `3 x work 09:00-10:00; break 12:00-13:00 Lunch`.
fn days(text: &str) -> Observations {
    let alike = text.split("; ").flat_map(|days| {
        let (count, day) = days.split_once(" x ").unwrap_or(("1", days));
        std::iter::repeat_n(blocks(day), count.parse().unwrap())
    });
    let dates = date("2026-11-16").series(jiff::Span::new().days(1));
    let day = |(date, blocks)| Day { date, blocks };
    Observations {
        days: dates.zip(alike).map(day).collect(),
        ..Observations::default()
    }
}

fn patterns(seen: &Observations) -> Vec<Pattern> {
    super::patterns(seen, &TimeZone::get("Europe/Berlin").unwrap())
}

fn lines(seen: &Observations) -> String {
    let found = patterns(seen);
    let line = |one: &Pattern| format!("{} {}/{}", one.what, one.agree, one.of);
    found.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn confidence_is_the_lower_end_of_wilsons_interval() {
    check(
        "confidence is the lower end of wilsons interval",
        |[agree, of]| confidence(agree.parse().unwrap(), of.parse().unwrap()).to_string(),
    );
    for of in 1..200 {
        assert!(confidence(of + 1, of + 1) >= confidence(of, of));
        assert!((0..of).all(|agree| confidence(agree + 1, of) >= confidence(agree, of)));
    }
}

#[test]
fn days_show_habits() {
    check("days show habits", |[text]| lines(&days(text)));
    let lunches = "2 x break 13:00-14:00 Lunch; break 12:00-13:00 Lunch; break 13:00-13:30 Lunch";
    let found = &patterns(&days(lunches))[0];
    assert_snapshot!(found.examples.join("\n"), @"
    2026-11-19: 13:00–13:30
    2026-11-17: 13:00–14:00
    2026-11-16: 13:00–14:00
    ");
    assert_eq!((found.confidence(), found.is_sure()), (0.3, false));
}

fn event(happened: Happened, at: &str, task: &str, block: &str) -> TaskEvent {
    TaskEvent {
        happened,
        at: at.parse().unwrap(),
        task: task.into(),
        title: format!("Title {task}"),
        estimated_minutes: 30,
        block: (!block.is_empty()).then(|| InBlock {
            id: block.into(),
            date: date(&at[..10]),
            span: span("10:00-12:00"),
        }),
        tainted: false,
    }
}

#[test]
fn a_task_takes_from_the_start_of_its_block_or_the_one_before_in_it() {
    use Happened::{Completed, Reopened};
    let tasks = vec![
        event(Completed, "2026-11-16T09:45:00Z", "tsk_1", "blk_1"),
        event(Completed, "2026-11-16T10:45:00Z", "tsk_2", "blk_1"),
        event(Completed, "2026-11-17T09:54:00Z", "tsk_3", "blk_2"),
        // Completed before its block, long after it, together with another one, and opened again.
        event(Completed, "2026-11-18T08:00:00Z", "tsk_4", "blk_3"),
        event(Completed, "2026-11-18T18:00:00Z", "tsk_5", "blk_4"),
        event(Completed, "2026-11-16T10:45:00Z", "tsk_6", "blk_1"),
        event(Completed, "2026-11-19T09:10:00Z", "tsk_7", "blk_5"),
        event(Reopened, "2026-11-19T09:11:00Z", "tsk_7", "blk_5"),
    ];
    let mut seen = Observations {
        tasks,
        ..Observations::default()
    };
    let found = &patterns(&seen)[0];
    assert_eq!(found.what, What::TasksTake(180));
    assert_eq!((found.agree, found.of), (3, 3));
    assert_snapshot!(found.examples.join("\n"), @r#"
    2026-11-17: "Title tsk_3" took 54 min, estimated 30
    2026-11-16: "Title tsk_1" took 45 min, estimated 30
    2026-11-16: "Title tsk_2" took 60 min, estimated 30
    "#);
    for task in &mut seen.tasks {
        task.estimated_minutes = 100;
    }
    let faster = "Tasks usually take about 54 % of their estimates. 3/3";
    assert_eq!(lines(&seen), faster);
    for task in &mut seen.tasks {
        task.estimated_minutes = 52;
    }
    assert_eq!(lines(&seen), "", "as long as estimated");
}

#[test]
fn wishes_about_one_topic_agree_or_not() {
    let lunch = |at| Wish::LunchAt(time(at));
    // A wish about one block isn't a habit.
    let gym = Wish::Drop("gym".into());
    let mut seen = Observations::default();
    for (day, wish) in [
        ("2026-11-10", lunch("13:00")),
        ("2026-11-11", lunch("13:00")),
        ("2026-11-12", lunch("13:00")),
        ("2026-11-13", lunch("12:00")),
        ("2026-11-14", Wish::NoBreaks),
    ] {
        seen.asked.push(Asked {
            date: date(day),
            wishes: vec![wish, gym.clone()],
        });
    }
    let found = "You often ask for this: lunch at 13:00. 3/4";
    assert_eq!(lines(&seen), found);
    assert_eq!(patterns(&seen)[0].what, What::Asked(lunch("13:00")));
}

#[test]
fn declined_proposals_are_remembered() {
    let mut seen = Observations::default();
    let (id, title) = ("tsk_1".into(), "The taxes".into());
    for (what, taken) in [
        (Offered::Task { id, title }, [false, false, false]),
        (Offered::Archiving("news@x.example".into()), [false; 3]),
        (Offered::Archiving("ads@x.example".into()), [true; 3]),
        (
            Offered::Archiving("ben@x.example".into()),
            [false, true, false],
        ),
    ] {
        seen.offers.extend(taken.map(|taken| Offer {
            date: date("2026-11-10"),
            tainted: matches!(what, Offered::Archiving(_)),
            what: what.clone(),
            taken,
        }));
    }
    assert_snapshot!(lines(&seen), @r#"
    "The taxes" is usually left out where it is proposed. 3/3
    Mail from news@x.example is usually kept where archiving is proposed. 3/3
    "#);
    let tainted: Vec<bool> = patterns(&seen).iter().map(|found| found.tainted).collect();
    assert_eq!(tainted, [false, true]);
}

#[test]
fn the_order_of_observations_makes_no_difference() {
    let (early, late) = (
        "break 12:00-13:00 Lunch",
        "break 13:00-14:00 Lunch, work 09:00-10:30",
    );
    let mut seen = days(&format!("9 x {late}; 5 x {early}; 9 x {late}; 5 x {early}"));
    let found = patterns(&seen);
    assert_eq!(found.len(), 2);
    for turn in 5..12 {
        seen.days.rotate_left(turn);
        seen.days.swap(0, turn + 6);
        assert_eq!(patterns(&seen), found);
    }
}
