use super::*;
use crate::Changes;
use crate::tests::{blocks, check, span, word};
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
    check("confidence by counts", |numbers| {
        let [agree, of] = numbers.map(|number| number.parse().unwrap());
        confidence(agree, of).to_string()
    });
    for of in 1..200 {
        assert!(confidence(of + 1, of + 1) >= confidence(of, of));
        assert!((0..of).all(|agree| confidence(agree + 1, of) >= confidence(agree, of)));
    }
}

#[test]
fn days_show_habits() {
    check("days show habits", |[text]| lines(&days(text)));
}

/// `completed 16T09:45 tsk_1 blk_1`: in November, in UTC; the block is from 10:00 to 12:00 in Berlin.
fn event(text: &str, estimated_minutes: u32) -> TaskEvent {
    let [happened, at, task, block] = text.split(' ').collect::<Vec<_>>()[..] else {
        panic!("{text}");
    };
    TaskEvent {
        happened: word(happened),
        at: format!("2026-11-{at}:00Z").parse().unwrap(),
        task: task.into(),
        title: String::new(),
        estimated_minutes,
        block: Some(InBlock {
            id: block.into(),
            date: date(&format!("2026-11-{}", &at[..2])),
            span: span("10:00-12:00"),
        }),
        tainted: false,
    }
}

#[test]
fn a_task_takes_from_the_start_of_its_block_or_the_one_before_in_it() {
    check("tasks take from the start", |[events, estimated]| {
        let event = |text| event(text, estimated.parse().unwrap());
        lines(&Observations {
            tasks: events.split(", ").map(event).collect(),
            ..Observations::default()
        })
    });
}

#[test]
fn wishes_about_one_topic_agree_or_not() {
    check("wishes about one topic agree or not", |[days]| {
        let changes = days.split("; ").map(serde_json::from_str::<Changes>);
        let asked = changes.map(|changes| Asked {
            date: date("2026-11-10"),
            wishes: changes.unwrap().wishes().unwrap(),
        });
        lines(&Observations {
            asked: asked.collect(),
            ..Observations::default()
        })
    });
}

#[test]
fn the_order_of_observations_makes_no_difference() {
    let early = "break 12:00-13:00 Lunch";
    let late = "break 13:00-14:00 Lunch, work 09:00-10:30";
    let mut seen = days(&format!("9 x {late}; 5 x {early}; 9 x {late}; 5 x {early}"));
    let found = patterns(&seen);
    assert_eq!(found.len(), 2);
    for turn in 5..12 {
        seen.days.rotate_left(turn);
        seen.days.swap(0, turn + 6);
        assert_eq!(patterns(&seen), found);
    }
}
