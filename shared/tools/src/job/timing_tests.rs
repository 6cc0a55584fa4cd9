use super::*;
use crate::testing::*;

/// Monday 23 November 2026, 09:00 in Berlin.
fn meant(timing: &Timing) -> Result<String, InputError> {
    let harness = ToolHarness::at("2026-11-23T08:00:00Z").zone("Europe/Berlin");
    let zone = timing.zone("Europe/Berlin")?;
    let (when, name, zone) = timing.meant(&harness.context, zone)?;
    let next = when.next_after(harness.context.now, &zone).unwrap().at;
    let words = in_words(&when, (&name, &zone), "Europe/Berlin");
    Ok(format!("{words} | {next}"))
}

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

#[test]
fn what_is_said_is_the_next_moment_it_means() {
    let at = |date: &str, time: &str| Timing {
        date: some(date),
        time: some(time),
        ..Timing::default()
    };
    let time = |time: &str| Timing {
        time: some(time),
        ..Timing::default()
    };
    let days = |days: &[Day]| Timing {
        days: Some(days.to_vec()),
        ..time("8am")
    };
    let tokyo = Timing {
        timezone: some("Tokyo"),
        ..time("18:00")
    };
    let in_minutes = |minutes| Timing {
        in_minutes: Some(minutes),
        ..Timing::default()
    };
    let every = |minutes| Timing {
        every_minutes: Some(minutes),
        ..Timing::default()
    };
    let said = [
        in_minutes(20),
        time("09:30"),
        time("09:00"),
        at("tomorrow", "noon"),
        at("2027-03-28", "02:30"),
        days(&Day::ALL),
        days(&Day::ALL[..5]),
        days(&[Day::Wed, Day::Mon]),
        tokyo,
        every(90),
        every(120),
    ];
    let lines: Vec<String> = said.iter().map(|timing| meant(timing).unwrap()).collect();
    assert_snapshot!(lines.join("\n"), @"
Mon 23 Nov 09:20 | 2026-11-23T08:20:00Z
Mon 23 Nov 09:30 | 2026-11-23T08:30:00Z
Tue 24 Nov 09:00 | 2026-11-24T08:00:00Z
Tue 24 Nov 12:00 | 2026-11-24T11:00:00Z
Sun 28 Mar 02:30 | 2027-03-28T01:30:00Z
every day at 08:00 | 2026-11-24T07:00:00Z
every weekday at 08:00 | 2026-11-24T07:00:00Z
every Mon, Wed at 08:00 | 2026-11-25T07:00:00Z
Mon 23 Nov 18:00 in Asia/Tokyo | 2026-11-23T09:00:00Z
every 90 minutes | 2026-11-23T09:30:00Z
every 2 hours | 2026-11-23T10:00:00Z
");
}
