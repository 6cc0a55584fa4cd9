use alfred_planner::BlockType;
use jiff::civil::date;
use jiff::tz::TimeZone;

use super::*;

fn span(times: &str) -> Span {
    let (start, end) = times.split_once('-').unwrap();
    Span::parse(("start", start), ("end", end)).unwrap()
}

fn block(times: &str) -> TimeBlock {
    let id = format!("blk_{times}");
    TimeBlock::new(id.as_str(), BlockType::Work, "Deep work", span(times))
}

/// Days from Friday 20 November 2026 on with these blocks each; `now` is a time of the first.
fn days(now: &str, taken: &[&str]) -> Vec<OpenDay> {
    let works = span("09:00-17:00");
    let now = format!("2026-11-20T{now}:00Z").parse().unwrap();
    let day = |(at, taken): (usize, &&str)| {
        let date = date(2026, 11, 20 + i8::try_from(at).unwrap());
        let clock = DayClock::new(date, &TimeZone::UTC).unwrap();
        let taken = taken.split_whitespace().map(block).collect();
        OpenDay::new(clock, taken, works, now)
    };
    taken.iter().enumerate().map(day).collect()
}

/// Now, the blocks of each day, the block to move, and its place.
const PLACES: &str = "\
06:00 | 10:00-11:00 10:30-10:45 | 10:00-11:00 | Fri 20 Nov 09:30–10:30
06:00 | 10:30-11:30 11:00-17:00 | 10:30-11:30 | Fri 20 Nov 10:00–11:00
10:07 | 10:30-17:00 | 14:00-14:15 | Fri 20 Nov 10:15–10:30
10:07 | 10:30-17:00 | 14:00-14:16 | -
18:00 | 19:00-20:00,,, | 19:00-20:00 | Mon 23 Nov 09:00–10:00
06:00 | 09:00-17:00,,,09:00-16:30 | 09:00-10:00 | -
06:00 | 09:00-17:00,,,09:00-12:00 | 09:00-10:00 | Mon 23 Nov 12:00–13:00";

#[test]
fn the_nearest_place_of_its_day_comes_before_the_next_working_day() {
    for line in PLACES.lines() {
        let columns: Vec<&str> = line.split(" | ").collect();
        let [now, taken, moved, expected] = columns.try_into().unwrap();
        let taken: Vec<&str> = taken.split(',').collect();
        let found = place(&days(now, &taken), &block(moved), date(2026, 11, 20));
        let found = found.map_or("-".to_owned(), Place::in_words);
        assert_eq!(found, expected, "{line}");
    }
}
