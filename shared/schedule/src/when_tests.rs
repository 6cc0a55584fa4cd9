use super::*;

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn zone(name: &str) -> TimeZone {
    TimeZone::get(name).unwrap()
}

fn weekly(days: impl IntoIterator<Item = i8>, time: &str) -> When {
    When::Weekly {
        days: days.into_iter().collect(),
        time: time.parse().unwrap(),
    }
}

fn following(when: &When, from: &str, name: &str, count: usize) -> Vec<String> {
    let mut moment = at(from);
    let next = std::iter::from_fn(|| {
        let next = when.next_after(moment, &zone(name))?;
        // On a day that is skipped completely, two wall-clock times are the same moment.
        let last = when.last_until(next.at, &zone(name));
        assert_eq!(last.map(|last| last.at), Some(next.at));
        moment = next.at;
        Some(next.at.to_string())
    });
    next.take(count).collect()
}

#[test]
fn a_wall_time_holds_through_both_changes_and_fires_once_a_day() {
    let (berlin, island) = ("Europe/Berlin", "Australia/Lord_Howe");
    for (from, name, expected) in [
        // 02:30 doesn't exist on 29 March 2026, so it moves one hour later.
        ("2026-03-27", berlin, "28T01:30 29T01:30 30T00:30"),
        // 02:30 exists twice on 25 October; the first counts.
        ("2026-10-23", berlin, "24T00:30 25T00:30 26T01:30"),
        // Samoa skipped 30 December 2011.
        ("2011-12-29", "Pacific/Apia", "29T12:30 30T12:30 31T12:30"),
        // The clock moves by half an hour at 02:00, so 02:30 is the first time after the gap.
        ("2026-10-02", island, "02T16:00 03T15:30 04T15:30"),
    ] {
        let noon = format!("{from}T12:00:00Z");
        let found = following(&weekly(1..=7, "02:30"), &noon, name, 3);
        let days = expected.split(' ');
        let expected: Vec<_> = days.map(|day| format!("{}{day}:00Z", &from[..8])).collect();
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn days_of_the_week_are_local_ones() {
    let weekdays = weekly(1..=5, "08:00");
    let from = "2026-11-20T00:00:00Z";
    let expected = ["2026-11-22T19:00:00Z", "2026-11-23T19:00:00Z"];
    assert_eq!(following(&weekdays, from, "Pacific/Auckland", 2), expected);
    assert_eq!(weekly([], "08:00").next_after(at(from), &zone("UTC")), None);
}

#[test]
fn once_is_once_and_a_moment_is_a_moment() {
    let berlin = zone("Europe/Berlin");
    let once = When::Once {
        at: "2026-10-25T02:30:00".parse().unwrap(),
    };
    let expected = "2026-10-25T00:30:00Z";
    let before = at("2026-10-25T00:29:59Z");
    assert_eq!(once.next_after(before, &berlin).unwrap().at, at(expected));
    assert_eq!(once.last_until(before, &berlin), None);
    assert_eq!(once.next_after(at(expected), &berlin), None);
    // 20 minutes after 02:50, the second time that clocks show it.
    let moment = When::Moment {
        at: at("2026-10-25T01:10:00Z"),
    };
    let next = moment.next_after(at("2026-10-25T00:50:00Z"), &berlin);
    assert_eq!(next.unwrap().at, at("2026-10-25T01:10:00Z"));
}

#[test]
fn intervals_are_counted_from_their_anchor_through_a_fold() {
    let half = When::Interval {
        minutes: 30,
        from: at("2026-10-25T00:00:00Z"),
    };
    let found = following(&half, "2026-10-24T00:00:00Z", "Europe/Berlin", 4);
    let expected = ["00:30", "01:00", "01:30", "02:00"];
    assert_eq!(found, expected.map(|time| format!("2026-10-25T{time}:00Z")));
    let berlin = zone("Europe/Berlin");
    let identity = |at: &str| {
        let at: Timestamp = at.parse().unwrap();
        half.identity(&half.last_until(at, &berlin).unwrap(), "Europe/Berlin")
    };
    // Both are 02:30 in Berlin.
    let [first, second] = ["2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"].map(identity);
    assert_ne!(first, second);
    assert_eq!(half.last_until(at("2026-10-25T00:29:00Z"), &berlin), None);
}
