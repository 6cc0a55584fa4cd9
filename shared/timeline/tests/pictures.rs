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

/// An element of a drawing; each has a line of its own.
#[derive(Clone, Copy)]
struct Shape<'a>(&'a str);

impl<'a> Shape<'a> {
    fn attribute(self, name: &str) -> &'a str {
        let (_, rest) = self.0.split_once(&format!(" {name}=\"")).unwrap();
        rest.split('"').next().unwrap()
    }

    fn number(self, name: &str) -> f32 {
        self.attribute(name).parse().unwrap()
    }

    fn words(self) -> &'a str {
        let (_, rest) = self.0.split_once('>').unwrap();
        rest.strip_suffix("</text>").unwrap()
    }

    /// First and last coordinate along an axis.
    fn span(self, (start, length): (&str, &str)) -> (f32, f32) {
        let from = self.number(start);
        (from, from + self.number(length))
    }

    fn overlaps(self, other: Self) -> bool {
        [("x", "width"), ("y", "height")].iter().all(|&axis| {
            let (one, two) = (self.span(axis), other.span(axis));
            one.0 < two.1 && two.0 < one.1
        })
    }
}

fn shapes<'a>(drawing: &'a str, element: &str) -> Vec<Shape<'a>> {
    let start = format!("<{element} ");
    let lines = drawing.lines().filter(|line| line.starts_with(&start));
    lines.map(Shape).collect()
}

/// The vertical position of an hour's line.
fn hour_line(drawing: &str, hour: &str) -> f32 {
    let texts = shapes(drawing, "text");
    let label = texts.iter().find(|text| text.words() == hour).unwrap();
    // The label is centred on its line.
    label.number("y") - 4.5
}

const fn fill(kind: BlockType) -> &'static str {
    match kind {
        BlockType::Work => "#dfecfb",
        BlockType::Meeting => "#f1e3f5",
        BlockType::Email => "#fdf0cd",
        BlockType::Break => "#ddf2e6",
        BlockType::Blocked => "#e6e6ea",
    }
}

/// The rectangles of bars, in the order of the drawing.
fn drawn_bars(drawing: &str) -> Vec<Shape<'_>> {
    let mut found = shapes(drawing, "rect");
    found.retain(|rect| {
        let is_fill = |kind: &BlockType| fill(*kind) == rect.attribute("fill");
        BlockType::ALL.iter().any(is_fill)
    });
    found
}

/// Asserts kind, place and hours of each bar of a day, and that none covers another.
fn assert_bars(drawing: &str, drawn: &[Shape<'_>], bars: &[Bar]) {
    let nine = hour_line(drawing, "09:00");
    let hour = hour_line(drawing, "10:00") - nine;
    let at = |time: ClockTime| nine + hour * (f32::from(time.minutes()) - 540.0) / 60.0;
    assert_eq!(drawn.len(), bars.len());
    for (index, (shape, bar)) in drawn.iter().zip(bars).enumerate() {
        assert_eq!(shape.attribute("fill"), fill(bar.kind), "{bar:?}");
        let (top, bottom) = shape.span(("y", "height"));
        let whole_day = bar.end.minutes() - bar.start.minutes() == 1_440;
        if whole_day {
            assert!(bottom <= nine, "{bar:?} ends at {bottom}");
        } else {
            assert!((top - at(bar.start)).abs() <= 2.0, "{bar:?} at {top}");
            assert!(
                (bottom - at(bar.end)).abs() <= 2.0,
                "{bar:?} ends at {bottom}"
            );
        }
        let covered = drawn[..index].iter().any(|other| other.overlaps(*shape));
        assert!(!covered, "{bar:?}");
    }
}

/// The red lines of a drawing.
fn now_lines(drawing: &str) -> Vec<Shape<'_>> {
    let mut lines = shapes(drawing, "line");
    lines.retain(|line| line.attribute("stroke") == "#c4232e");
    lines
}

/// Where the time off work is drawn: top and bottom.
fn time_off(drawing: &str) -> Vec<(f32, f32)> {
    let rects = shapes(drawing, "rect").into_iter();
    let off = rects.filter(|rect| rect.attribute("fill") == "#f3f3f5");
    off.map(|rect| rect.span(("y", "height"))).collect()
}

#[test]
fn bars_of_a_day_have_their_hours_and_colours() {
    let drawing = svg(&monday());
    assert_bars(&drawing, &drawn_bars(&drawing), &monday().days[0].bars);
    let ends = hour_line(&drawing, "17:00");
    assert_eq!(time_off(&drawing), [(ends, hour_line(&drawing, "19:00"))]);
    let now = now_lines(&drawing);
    let ten = hour_line(&drawing, "10:00");
    let third = (hour_line(&drawing, "11:00") - ten) / 3.0;
    assert_eq!(now.len(), 1);
    assert!((now[0].number("y1") - ten - third).abs() < 0.1);
}

#[test]
fn bars_of_a_day_have_their_titles_times_and_items() {
    let drawing = svg(&monday());
    let words: Vec<&str> = shapes(&drawing, "text")
        .iter()
        .map(|text| text.words())
        .collect();
    for expected in [
        "Monday, 23 November 2026",
        "Company offsite · all day",
        "Deep work",
        "09:00–10:30 · Focus",
        "• Quarterly numbers",
        "• Reply to &lt;Marta&gt; &amp; Ben",
        "Ação: Новый план 🎉",
        "13:30–14:00",
    ] {
        assert!(words.contains(&expected), "{expected} in {words:?}");
    }
    let cut = words
        .iter()
        .find(|word| word.starts_with("Design review"))
        .unwrap();
    assert!(cut.ends_with('…') && cut.chars().count() < 60, "{cut}");
    let legend = &words[words.len() - 5..];
    assert_eq!(legend, ["Focus", "Meeting", "E-mail", "Break", "Blocked"]);
}

#[test]
fn a_week_has_a_column_for_each_day() {
    let drawing = svg(&week());
    let texts = shapes(&drawing, "text");
    let names = [
        "Mon 23 · today",
        "Tue 24",
        "Wed 25",
        "Thu 26",
        "Fri 27",
        "Sat 28",
        "Sun 29",
    ];
    let left = names.map(|name| {
        let name = texts.iter().find(|text| text.words() == name).unwrap();
        name.number("x")
    });
    assert!(left.is_sorted());
    let bars = drawn_bars(&drawing);
    let week = week();
    for (day, from) in week.days.iter().zip(left) {
        let width = left[1] - left[0];
        // The name is indented by 6 points.
        let column = from - 6.0..from - 6.0 + width;
        let mut its = bars.clone();
        its.retain(|bar| column.contains(&bar.number("x")));
        let inside = |bar: &Shape<'_>| bar.span(("x", "width")).1 <= column.end;
        assert!(its.iter().all(inside), "{}", day.date);
        assert_bars(&drawing, &its, &day.bars);
    }
    let total = week.days.iter().map(|day| day.bars.len()).sum::<usize>();
    assert_eq!(bars.len(), total);
    let (first, last) = (hour_line(&drawing, "09:00"), hour_line(&drawing, "19:00"));
    let evening = (hour_line(&drawing, "17:00"), last);
    let weekend = (first, last);
    let off = [
        evening, evening, evening, evening, evening, weekend, weekend,
    ];
    assert_eq!(time_off(&drawing), off);
    let now = now_lines(&drawing);
    assert_eq!(now.len(), 1);
    assert!(now[0].number("x2") <= left[1], "today's column alone");
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
    let mut week = week();
    assert_eq!(title(&week), "23 – 29 November 2026");
    assert_eq!(
        alt(&week),
        "Monday, 23 November 2026: 9 entries, 7 h 55 min planned. \
         Tuesday, 24 November 2026: 7 entries, 6 h 25 min planned. \
         Wednesday, 25 November 2026: 5 entries, 5 h 40 min planned. \
         Thursday, 26 November 2026: 3 entries, 3 h 40 min planned. \
         Friday, 27 November 2026: one entry, 3 h planned. \
         Saturday, 28 November 2026: nothing planned. \
         Sunday, 29 November 2026: nothing planned."
    );
    week.days.drain(..3);
    insta::assert_snapshot!(text(&week), @"
Thursday, 26 November 2026  ·  Europe/Lisbon  ·  3 h 40 min planned  ·  3 h 10 min focus
  09:00–13:30  free
  13:30–14:00  email    E-mail
  14:00–15:00  free
  15:00–15:10  work     Ten minutes
  15:10–15:30  free
  15:30–18:30  work     Late work

Friday, 27 November 2026  ·  Europe/Lisbon  ·  3 h planned  ·  3 h focus
  09:00–15:30  free
  15:30–18:30  work     Late work

Saturday, 28 November 2026  ·  Europe/Lisbon  ·  nothing planned

Sunday, 29 November 2026  ·  Europe/Lisbon  ·  nothing planned
");
}

#[test]
fn an_empty_day_says_so() {
    let empty = day(vec![]);
    assert_eq!(
        text(&empty),
        "Monday, 23 November 2026  ·  Europe/Lisbon  ·  nothing planned\n  09:00–17:00  free"
    );
    assert_eq!(alt(&empty), "Monday, 23 November 2026: nothing planned.");
    let drawing = svg(&empty);
    assert!(drawing.contains(">Nothing planned yet</text>"));
    assert!(drawn_bars(&drawing).is_empty());
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
