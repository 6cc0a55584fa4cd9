//! Snapshots of pictures and texts, and properties of any picture.

use alfred_planner::{BlockType, ClockTime, Span};
use jiff::ToSpan;
use jiff::civil::date;
use proptest::prelude::*;
use resvg::tiny_skia::Pixmap;
use resvg::usvg::{Tree, roxmltree};

use crate::picture::bar::colours;
use crate::picture::canvas::{FAINT, INK};
use crate::picture::layout::{Hours, columns};
use crate::picture::png::OPTIONS;
use crate::picture::{font, svg};
use crate::{Bar, Day, Timeline, alt, png, text};

fn span(start: u16, end: u16) -> Span {
    let at = |minutes: u16| ClockTime::from_minutes(minutes.min(1_440)).unwrap();
    Span::new(at(start), at(end)).unwrap()
}

/// `span` is written as in a calendar: "09:00 10:30".
fn bar(kind: BlockType, span: &str, title: &str) -> Bar {
    let (start, end) = span.split_once(' ').unwrap();
    let span = Span::parse(("start", start), ("end", end)).unwrap();
    Bar::new(kind, span, title, [])
}

fn day(bars: Vec<Bar>) -> Timeline {
    Timeline {
        zone: "Europe/Lisbon".into(),
        now: date(2026, 11, 23).at(10, 20, 0, 0),
        days: vec![Day {
            date: date(2026, 11, 23),
            works: Some(span(540, 1_020)),
            bars,
            note: None,
        }],
    }
}

fn monday() -> Timeline {
    let mut focus = bar(BlockType::Work, "09:00 10:30", "Deep work");
    focus.items = vec!["Quarterly numbers".into(), "Reply to <Marta> & Ben".into()];
    let long =
        "Design review with a title that is far too long for the width it has next to another one";
    day(vec![
        bar(BlockType::Blocked, "00:00 24:00", "Company offsite"),
        focus,
        bar(BlockType::Break, "10:30 10:45", "Break"),
        bar(BlockType::Meeting, "11:00 12:00", long),
        bar(BlockType::Meeting, "11:30 12:30", "Ação: Новый план 🎉"),
        bar(BlockType::Break, "12:30 13:30", "Lunch"),
        bar(BlockType::Email, "13:30 14:00", "E-mail"),
        bar(BlockType::Work, "15:00 15:10", "Ten minutes"),
        bar(BlockType::Work, "15:30 18:30", "Late work"),
    ])
}

/// Seven days with fewer bars each day, the last two without working hours.
fn week() -> Timeline {
    let mut week = monday();
    let monday = week.days.remove(0);
    for offset in 0..7_u8 {
        let mut day = monday.clone();
        day.date += i64::from(offset).days();
        day.works = day.works.filter(|_| offset < 5);
        day.bars
            .drain(..day.bars.len().min(usize::from(offset) * 2));
        week.days.push(day);
    }
    week
}

#[test]
fn pictures_and_texts_match_their_snapshots() {
    for (name, timeline) in [("day", monday()), ("week", week()), ("empty", day(vec![]))] {
        let texts = format!("{}\n\n{}\n", text(&timeline), alt(&timeline));
        insta::assert_snapshot!(name, texts + &svg(&timeline));
    }
}

#[test]
fn files_have_the_size_of_their_drawing_and_differ_only_with_their_content() {
    for (timeline, width, name) in [
        (monday(), 1_520, "day-2026-11-23.png"),
        (week(), 2_360, "week-2026-11-23.png"),
        (day(vec![]), 1_520, "day-2026-11-23.png"),
    ] {
        let file = png(&timeline).unwrap();
        let pixels = Pixmap::decode_png(&file).unwrap();
        assert_eq!(pixels.width(), width);
        assert!((800..2_400).contains(&pixels.height()), "{pixels:?}");
        assert!(file.len() < 400_000, "slow on a phone: {}", file.len());
        assert_eq!(timeline.file_name(), name);
        assert_eq!(file, png(&timeline).unwrap());
    }
}

#[test]
fn different_letters_are_drawn_differently() {
    let title = |title| png(&day(vec![bar(BlockType::Work, "09:00 10:00", title)])).unwrap();
    assert_ne!(title("Alpha"), title("Omega"));
    assert_ne!(title("Новый"), title("План!"));
    assert_ne!(title("🎉"), title("🚀"));
}

#[test]
fn alternative_text_of_a_busy_day_is_cut() {
    let title = "A meeting whose title nobody will ever read aloud to its end".repeat(2);
    let meeting = |hour: u16| span(hour * 60, hour * 60 + 50);
    let meeting = |hour| Bar::new(BlockType::Meeting, meeting(hour), &title, []);
    let text = alt(&day((9..23).map(meeting).collect()));
    let start = "Monday, 23 November 2026: 09:00 to 09:50 A meeting";
    assert!(text.starts_with(start) && text.ends_with('…'), "{text}");
    assert_eq!(text.chars().count(), 1_000);
}

#[test]
fn note_is_in_every_form() {
    for mut timeline in [monday(), week()] {
        let note = "The calendar could not be read.";
        timeline.days[0].note = Some(note.into());
        for form in [svg(&timeline), alt(&timeline), text(&timeline)] {
            assert!(form.contains(note), "{form}");
        }
    }
}

#[test]
fn many_all_day_bars_are_counted() {
    let mut timeline = week();
    timeline.days[0].bars = vec![bar(BlockType::Blocked, "00:00 24:00", "Fair"); 300];
    for days in [7, 1] {
        timeline.days.truncate(days);
        let drawing = svg(&timeline);
        assert!(drawing.contains(">and 296 more<"));
        let tree = Tree::from_str(&drawing, &OPTIONS).unwrap();
        assert!(tree.size().height() < 1_200.0, "{days}");
    }
}

#[test]
fn stored_bar_can_be_read() {
    let stored = r#"{"kind":"work","start":"09:00","end":"10:30","title":"Deep work"}"#;
    let expected = bar(BlockType::Work, "09:00 10:30", "Deep work");
    assert_eq!(serde_json::from_str::<Bar>(stored).unwrap(), expected);
    assert_eq!(serde_json::to_string(&expected).unwrap(), stored);
}

#[test]
fn neighbours_get_the_whole_width_and_overlapping_bars_share_it() {
    let spans = [(0, 60), (60, 120), (90, 150), (120, 180), (180, 240)];
    let columns = columns(&spans.map(|(start, end)| span(start, end)));
    let placed = columns.iter().map(|column| (column.at, column.of));
    let expected = [(0, 1), (0, 2), (1, 2), (0, 2), (0, 1)];
    assert_eq!(placed.collect::<Vec<_>>(), expected);
}

#[test]
fn picture_shows_working_hours_and_all_timed_bars() {
    let off = None;
    let office = Some((540, 1_020));
    for (works, bars, shown) in [
        (off, vec![], (8, 18)),
        (office, vec![], (9, 17)),
        (office, vec![(450, 480), (1_021, 1_030)], (7, 18)),
        (off, vec![(0, 1_440)], (8, 18)),
        (off, vec![(1_380, 1_440)], (20, 24)),
        (off, vec![(5, 10)], (0, 4)),
    ] {
        let bar = |(start, end)| Bar::new(BlockType::Work, span(start, end), "B", []);
        let mut timeline = day(bars.into_iter().map(bar).collect());
        timeline.days[0].works = works.map(|(start, end)| span(start, end));
        let hours = Hours::from_days(&timeline.days);
        assert_eq!((hours.from, hours.to), shown);
    }
}

#[test]
fn cut_text_fits_and_ends_in_an_ellipsis() {
    assert_eq!(font::fitting("Lunch", 14.0, 100.0), "Lunch");
    assert_eq!(font::fitting("Long", 14.0, 3.0), "");
    let cut = font::fitting("A very long title of a block", 14.0, 100.0);
    assert!(cut.starts_with("A very") && cut.ends_with('…'), "{cut}");
    assert!(font::width(&cut, 14.0) <= 100.0);
    assert!(font::width("日", 14.0) > font::width("W", 14.0));
}

/// Contrast as defined by WCAG 2.
fn contrast(text: &str, background: &str) -> f32 {
    let luminance = |colour: &str| -> f32 {
        let part = |at: usize, weight: f32| {
            let value = u8::from_str_radix(&colour[at..at + 2], 16).unwrap();
            let value = f32::from(value) / 255.0;
            weight * ((value + 0.055) / 1.055).powf(2.4)
        };
        part(1, 0.2126) + part(3, 0.7152) + part(5, 0.0722)
    };
    (luminance(background) + 0.05) / (luminance(text) + 0.05)
}

#[test]
fn text_has_enough_contrast_on_every_bar() {
    for kind in BlockType::ALL {
        for text in [INK, FAINT] {
            assert!(contrast(text, colours(*kind).0) >= 4.5, "{kind:?} {text}");
        }
    }
}

/// The boxes of bars in a drawing: left, top, right, bottom.
fn boxes(drawing: &str) -> Vec<[f32; 4]> {
    let document = roxmltree::Document::parse(drawing).unwrap();
    let is_bar = |fill| BlockType::ALL.iter().any(|kind| colours(*kind).0 == fill);
    let nodes = document.descendants();
    let rects = nodes.filter(|node| node.has_tag_name("rect"));
    let rects = rects.filter(|rect| rect.attribute("fill").is_some_and(is_bar));
    let area = rects.map(|rect| {
        let names = ["x", "y", "width", "height"];
        let [x, y, width, height] =
            names.map(|name| -> f32 { rect.attribute(name).unwrap().parse().unwrap() });
        [x, y, x + width, y + height]
    });
    area.collect()
}

/// The time until the next bar begins, or a bar's length. Many are short, so that bars touch.
fn minutes() -> impl Strategy<Value = u16> {
    prop_oneof![1_u16..4, 1_u16..300]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]
    #[test]
    fn any_timeline_is_drawn_within_its_picture_and_no_bar_covers_another(
        titles in prop::collection::vec(any::<String>(), 1..12),
        times in prop::collection::vec((minutes(), minutes()), 12),
        days in 1_usize..8,
    ) {
        let mut start = 0;
        let bars = titles.iter().zip(times).map(|(title, (step, length))| {
            start = (start + step).min(1_439);
            Bar::new(BlockType::Work, span(start, start + length), title, [title.clone()])
        });
        let mut timeline = day(bars.collect());
        let (alt, text) = (alt(&timeline), text(&timeline));
        let names_all = timeline.days[0].bars.iter().all(|bar| alt.contains(&bar.title));
        prop_assert!(names_all || alt.chars().count() == 1_000);
        let control = |letter: char| letter != '\n' && letter.is_control();
        prop_assert!(!alt.contains(control) && !text.contains(control));
        timeline.days = vec![timeline.days[0].clone(); days];
        let drawing = svg(&timeline);
        let boxes = boxes(&drawing);
        let bars = timeline.days.iter().flat_map(|day| &day.bars);
        prop_assert_eq!(boxes.len(), bars.count());
        for (index, a) in boxes.iter().enumerate() {
            for b in &boxes[..index] {
                let apart = a[2] <= b[0] || b[2] <= a[0] || a[3] <= b[1] || b[3] <= a[1];
                prop_assert!(apart, "{a:?} {b:?}");
            }
        }
        let tree = Tree::from_str(&drawing, &OPTIONS).unwrap();
        let (size, drawn) = (tree.size(), tree.root().abs_stroke_bounding_box());
        prop_assert!(drawn.left() >= 0.0 && drawn.right() <= size.width(), "{drawn:?}");
        prop_assert!(drawn.top() >= 0.0 && drawn.bottom() <= size.height(), "{drawn:?}");
        prop_assert!(png(&timeline).is_ok());
    }
}
