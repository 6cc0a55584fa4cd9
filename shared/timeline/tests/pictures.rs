//! What a person sees, hears and reads of a day.
#![allow(clippy::unwrap_used, reason = "a test")]

use alfred_planner::{BlockType, ClockTime};
use alfred_timeline::{Bar, Day, Timeline, alt, png, svg, text, title};
use jiff::ToSpan;
use jiff::civil::date;
use proptest::prelude::*;

fn at(time: &str) -> ClockTime {
    ClockTime::parse_end("time", time).unwrap()
}

fn bar(kind: BlockType, start: &str, end: &str, title: &str) -> Bar {
    Bar::new(kind, (at(start), at(end)), title, []).unwrap()
}

fn day(bars: Vec<Bar>) -> Timeline {
    Timeline {
        zone: "Europe/Lisbon".into(),
        now: date(2026, 11, 23).at(10, 20, 0, 0),
        days: vec![Day {
            date: date(2026, 11, 23),
            works: Some((at("09:00"), at("17:00"))),
            bars,
            note: None,
        }],
    }
}

fn monday() -> Timeline {
    let mut focus = bar(BlockType::Work, "09:00", "10:30", "Deep work");
    focus.items = vec!["Quarterly numbers".into(), "Reply to <Marta> & Ben".into()];
    day(vec![
        bar(BlockType::Blocked, "00:00", "24:00", "Company offsite"),
        focus,
        bar(BlockType::Break, "10:30", "10:45", "Break"),
        bar(
            BlockType::Meeting,
            "11:00",
            "12:00",
            "Design review with a title that is far too long for the width it has next to another one",
        ),
        bar(BlockType::Meeting, "11:30", "12:30", "Ação: Новый план 🎉"),
        bar(BlockType::Break, "12:30", "13:30", "Lunch"),
        bar(BlockType::Email, "13:30", "14:00", "E-mail"),
        bar(BlockType::Work, "15:00", "15:10", "Ten minutes"),
        bar(BlockType::Work, "15:30", "18:30", "Late work"),
    ])
}

fn week() -> Timeline {
    let mut week = monday();
    let first = week.days[0].clone();
    week.days = (0..7)
        .map(|offset| Day {
            date: first.date + i64::from(offset).days(),
            works: (offset < 5).then_some((at("09:00"), at("17:00"))),
            bars: first
                .bars
                .iter()
                .skip(usize::try_from(offset * 2).unwrap())
                .cloned()
                .collect(),
            note: None,
        })
        .collect();
    week
}

/// Width and height of a PNG, from its header.
fn size(file: &[u8]) -> (u32, u32) {
    assert_eq!(&file[..8], b"\x89PNG\r\n\x1a\n");
    let number = |at: usize| u32::from_be_bytes(file[at..at + 4].try_into().unwrap());
    (number(16), number(20))
}

#[test]
fn a_day_as_it_is_drawn() {
    insta::assert_snapshot!(svg(&monday()));
}

#[test]
fn a_week_as_it_is_drawn() {
    insta::assert_snapshot!(svg(&week()));
}

#[test]
fn a_day_in_words() {
    insta::assert_snapshot!(format!(
        "{}\n\n{}\n\n{}",
        title(&monday()),
        text(&monday()),
        alt(&monday())
    ));
}

#[test]
fn a_week_in_words() {
    insta::assert_snapshot!(format!(
        "{}\n\n{}\n\n{}",
        title(&week()),
        text(&week()),
        alt(&week())
    ));
    assert!(alt(&week()).chars().count() <= 1_000);
}

#[test]
fn an_empty_day_says_so() {
    insta::assert_snapshot!(format!(
        "{}\n{}\n{}",
        text(&day(vec![])),
        alt(&day(vec![])),
        svg(&day(vec![]))
    ));
}

#[test]
fn the_file_is_as_large_as_its_drawing_and_small_enough_for_a_phone() {
    for (timeline, width) in [(monday(), 1_520), (week(), 2_360), (day(vec![]), 1_520)] {
        let file = png(&timeline).unwrap();
        let (wide, high) = size(&file);
        assert_eq!(wide, width);
        assert!(high > 800 && high < 2_400, "{high}");
        assert!(file.len() < 400_000, "{}", file.len());
    }
    assert_eq!(monday().file_name(), "day-2026-11-23.png");
    assert_eq!(week().file_name(), "week-2026-11-23.png");
}

#[test]
fn a_busy_day_is_heard_in_part_and_not_left_out() {
    let long = "A meeting whose title nobody will ever read aloud to its end".repeat(2);
    let bars = (9..23).map(|hour| {
        bar(
            BlockType::Meeting,
            &format!("{hour:02}:00"),
            &format!("{hour:02}:50"),
            &long,
        )
    });
    let words = alt(&day(bars.collect()));
    assert!(
        words.starts_with("Monday, 23 November 2026: 09:00 to 09:50 A meeting"),
        "{words}"
    );
    assert_eq!(words.chars().count(), 1_000);
}

#[test]
fn what_is_missing_is_said_in_every_form() {
    for mut timeline in [monday(), week()] {
        let missing = "The calendar could not be read.";
        timeline.days[0].note = Some(missing.into());
        assert!(svg(&timeline).contains(missing));
        assert!(alt(&timeline).contains(missing));
        assert!(text(&timeline).contains(missing));
    }
}

#[test]
fn a_calendar_full_of_whole_days_makes_no_tower() {
    let mut timeline = week();
    let whole = |n: usize| {
        bar(
            BlockType::Blocked,
            "00:00",
            "24:00",
            &format!("Whole day {n}"),
        )
    };
    timeline.days[0].bars = (0..300).map(whole).collect();
    assert!(svg(&timeline).contains("and 296 more"));
    assert!(size(&png(&timeline).unwrap()).1 < 2_400);
    timeline.days.truncate(1);
    assert!(size(&png(&timeline).unwrap()).1 < 2_400);
}

#[test]
fn the_same_day_is_the_same_file() {
    assert_eq!(png(&monday()).unwrap(), png(&monday()).unwrap());
}

#[test]
fn letters_are_drawn() {
    let title =
        |title: &str| png(&day(vec![bar(BlockType::Work, "09:00", "10:00", title)])).unwrap();
    assert_ne!(title("Alpha"), title("Omega"));
    assert_ne!(title("Новый"), title("План!"));
    assert_ne!(title("🎉"), title("🚀"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]
    #[test]
    fn any_words_and_times_can_be_drawn(
        words in prop::collection::vec(any::<String>(), 1..12),
        spans in prop::collection::vec((0_u16..1_440, 1_u16..1_440), 12),
        days in 1_usize..8,
    ) {
        let bars = words.iter().zip(spans).filter_map(|(title, (start, long))| {
            let at = |minutes: u16| ClockTime::from_minutes(minutes.min(1_440)).unwrap();
            Bar::new(BlockType::Work, (at(start), at(start + long)), title, [title.clone()])
        });
        let mut timeline = day(bars.collect());
        timeline.days[0].bars.sort_by_key(|bar| (bar.start, bar.end));
        let one = timeline.days[0].clone();
        timeline.days = vec![one; days];
        prop_assert!(png(&timeline).is_ok());
        prop_assert!(alt(&timeline).chars().count() <= 1_000);
        let escape = text(&timeline).contains('\u{1b}');
        prop_assert!(!escape);
    }
}
