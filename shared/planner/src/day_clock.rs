//! How wall-clock times and passing minutes belong together on one day of one
//! zone: a day has 24 hours, or 23, or 25, or starts at one o'clock.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::{AmbiguousOffset, TimeZone};

use crate::clock_time::ClockTime;
use crate::dst;
use crate::input::InputError;
use crate::span::Span;

/// Wall-clock minutes of a day, its end included.
const MARKS: u16 = 1_441;

/// A day in a zone. Minutes are counted from its first moment.
#[derive(Clone, Debug)]
pub struct DayClock {
    date: Date,
    zone: TimeZone,
    begins: Timestamp,
    /// The elapsed minutes at each wall-clock minute; `None` on a day without a
    /// clock change, where both are the same. A skipped time is the moment of
    /// the change, a time that comes twice the first of them.
    elapsed: Option<Vec<u16>>,
    minutes: u16,
}

impl DayClock {
    /// The clock of that day.
    ///
    /// # Errors
    /// Names `date` when the zone left the whole day out, as Samoa did with
    /// 30 December 2011, or when it ends the calendar.
    pub fn new(date: Date, zone: &TimeZone) -> Result<Self, InputError> {
        let missing = |problem: &str| InputError::new("date", &date.to_string(), problem);
        let begins = first_moment(date, zone).ok_or_else(|| missing("is out of range."))?;
        let ends = date
            .tomorrow()
            .ok()
            .and_then(|next| first_moment(next, zone))
            .ok_or_else(|| missing("is out of range."))?;
        let minutes = minutes_between(begins, ends);
        if minutes == 0 {
            return Err(missing("does not exist in this time zone."));
        }
        let mut clock = Self {
            date,
            zone: zone.clone(),
            begins,
            elapsed: None,
            minutes,
        };
        if minutes != MARKS - 1 || changes_within(zone, begins, ends) {
            clock.elapsed = Some((0..MARKS).map(|mark| clock.look_up(mark)).collect());
        }
        Ok(clock)
    }

    /// Its date.
    pub const fn date(&self) -> Date {
        self.date
    }

    /// Its zone.
    pub const fn zone(&self) -> &TimeZone {
        &self.zone
    }

    /// Minutes of the whole day: 1,440, or an hour less or more.
    pub fn length(&self) -> u32 {
        u32::from(self.minutes)
    }

    /// Minutes from the day's first moment to this time.
    pub fn elapsed(&self, time: ClockTime) -> u32 {
        let mark = time.minutes();
        match &self.elapsed {
            Some(table) => u32::from(
                table
                    .get(usize::from(mark))
                    .copied()
                    .unwrap_or(self.minutes),
            ),
            None => u32::from(mark),
        }
    }

    /// Minutes that pass between two times; 0 when the second isn't later.
    pub fn between(&self, start: ClockTime, end: ClockTime) -> u32 {
        self.elapsed(end).saturating_sub(self.elapsed(start))
    }

    /// Minutes that pass in a stretch.
    pub fn minutes(&self, span: Span) -> u32 {
        self.between(span.start(), span.end())
    }

    /// The first time at least that many minutes later; `None` past the end of the day.
    pub fn plus(&self, start: ClockTime, minutes: u32) -> Option<ClockTime> {
        let end = self.elapsed(start) + minutes;
        (start.minutes()..MARKS)
            .filter_map(ClockTime::from_minutes)
            .find(|time| self.elapsed(*time) >= end)
    }

    /// Whether something can start at this time: it isn't skipped.
    pub fn exists(&self, time: ClockTime) -> bool {
        self.elapsed.is_none() || dst::check_start("", self.date, time, &self.zone).is_ok()
    }

    /// The first time of this day at or after a moment: 00:00 for earlier days,
    /// `None` once the day is over. Rounded up to a whole minute.
    pub fn at_or_after(&self, moment: Timestamp) -> Option<ClockTime> {
        if moment <= self.begins {
            return Some(ClockTime::MIDNIGHT);
        }
        let seconds = moment.duration_since(self.begins).as_secs();
        let since = u32::try_from(seconds.div_euclid(60) + i64::from(seconds % 60 != 0)).ok()?;
        (0..MARKS - 1)
            .filter_map(ClockTime::from_minutes)
            .find(|time| self.elapsed(*time) >= since && self.exists(*time))
    }

    /// The part of a stretch of moments that lies on this day, on its wall
    /// clock; `None` when there is none. Seconds are rounded outwards.
    pub fn project(&self, start: Timestamp, end: Timestamp) -> Option<Span> {
        let ends = self.begins + jiff::SignedDuration::from_mins(i64::from(self.minutes));
        if end <= start || end <= self.begins || start >= ends {
            return None;
        }
        let from = if start <= self.begins {
            ClockTime::MIDNIGHT
        } else {
            self.label(start)
        };
        let to = if end >= ends {
            ClockTime::END_OF_DAY
        } else {
            let whole = self.at_or_after(end).unwrap_or(ClockTime::END_OF_DAY);
            // In the second pass of an hour that comes twice `label` is too early.
            whole.max(self.label(end))
        };
        Span::new(from, to)
    }

    /// What the wall clock shows at a moment of this day.
    fn label(&self, moment: Timestamp) -> ClockTime {
        self.zone.to_datetime(moment).time().into()
    }

    fn look_up(&self, mark: u16) -> u16 {
        let moment = ClockTime::from_minutes(mark)
            .and_then(|time| time.on(self.date))
            .and_then(|at| match self.zone.to_ambiguous_timestamp(at).offset() {
                AmbiguousOffset::Unambiguous { offset } => offset.to_timestamp(at).ok(),
                AmbiguousOffset::Fold { before, .. } => before.to_timestamp(at).ok(),
                AmbiguousOffset::Gap { before, .. } => {
                    let (from, _) = dst::gap(at, &self.zone)?;
                    before.to_timestamp(from).ok()
                }
            });
        moment.map_or(self.minutes, |moment| {
            minutes_between(self.begins, moment).min(self.minutes)
        })
    }
}

fn first_moment(date: Date, zone: &TimeZone) -> Option<Timestamp> {
    Some(date.to_zoned(zone.clone()).ok()?.timestamp())
}

/// Whole minutes, 0 when the second moment is earlier.
fn minutes_between(from: Timestamp, to: Timestamp) -> u16 {
    let minutes = to.duration_since(from).as_mins();
    u16::try_from(minutes.max(0)).unwrap_or(u16::MAX)
}

fn changes_within(zone: &TimeZone, from: Timestamp, to: Timestamp) -> bool {
    zone.following(from)
        .next()
        .is_some_and(|transition| transition.timestamp() < to)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use jiff::civil::date;
    use proptest::prelude::*;

    pub(crate) fn clock(zone: &str, date: Date) -> DayClock {
        DayClock::new(date, &TimeZone::get(zone).unwrap()).unwrap()
    }

    fn time(text: &str) -> ClockTime {
        ClockTime::parse_end("t", text).unwrap()
    }

    #[test]
    fn days_have_their_own_length() {
        for (zone, day, hours) in [
            ("Europe/Berlin", date(2026, 11, 21), 24),
            ("Europe/Berlin", date(2026, 3, 29), 23),
            ("Europe/Berlin", date(2026, 10, 25), 25),
            ("America/New_York", date(2026, 3, 8), 23),
            ("America/Santiago", date(2026, 9, 6), 23),
            ("America/Santiago", date(2026, 4, 4), 25),
        ] {
            assert_eq!(clock(zone, day).length(), hours * 60, "{zone} {day}");
        }
        assert_eq!(
            clock("Australia/Lord_Howe", date(2026, 10, 4)).length(),
            23 * 60 + 30
        );
    }

    #[test]
    fn a_day_that_was_left_out_is_named() {
        let samoa = TimeZone::get("Pacific/Apia").unwrap();
        let error = DayClock::new(date(2011, 12, 30), &samoa).unwrap_err();
        assert_eq!(
            error.to_string(),
            "date: \"2011-12-30\" does not exist in this time zone."
        );
    }

    #[test]
    fn a_stretch_across_a_change_is_as_long_as_it_lasts() {
        let spring = clock("Europe/Berlin", date(2026, 3, 29));
        assert_eq!(spring.between(time("01:00"), time("04:00")), 120);
        assert_eq!(spring.between(time("02:00"), time("03:00")), 0);
        assert!(!spring.exists(time("02:30")) && spring.exists(time("03:00")));
        let autumn = clock("Europe/Berlin", date(2026, 10, 25));
        assert_eq!(autumn.between(time("01:00"), time("04:00")), 240);
        assert_eq!(autumn.between(time("02:00"), time("02:59")), 59);
        assert_eq!(autumn.between(time("02:30"), time("03:00")), 90);
    }

    #[test]
    fn a_meeting_elsewhere_is_shown_on_the_clock_here() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let (start, end) = (at("2026-11-20T14:00:00Z"), at("2026-11-20T15:30:00Z"));
        for (zone, shown) in [
            ("America/New_York", Some("09:00–10:30")),
            ("Europe/Berlin", Some("15:00–16:30")),
            ("Asia/Kolkata", Some("19:30–21:00")),
            ("Asia/Tokyo", Some("23:00–24:00")),
            ("Pacific/Kiritimati", None),
        ] {
            let span = clock(zone, date(2026, 11, 20)).project(start, end);
            assert_eq!(
                span.map(|span| span.to_string()).as_deref(),
                shown,
                "{zone}"
            );
        }
        let next = clock("Asia/Tokyo", date(2026, 11, 21)).project(start, end);
        assert_eq!(next.unwrap().to_string(), "00:00–00:30");
        let seconds = clock("UTC", date(2026, 11, 20));
        let span = seconds.project(at("2026-11-20T14:00:30Z"), at("2026-11-20T14:29:10Z"));
        assert_eq!(span.unwrap().to_string(), "14:00–14:30");
    }

    #[test]
    fn a_meeting_in_the_second_pass_covers_it() {
        let autumn = clock("Europe/Berlin", date(2026, 10, 25));
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        // 02:30 to 02:45 for the second time.
        let span = autumn.project(at("2026-10-25T01:30:00Z"), at("2026-10-25T01:45:00Z"));
        assert_eq!(span.unwrap().to_string(), "02:30–03:00");
    }

    #[test]
    fn now_is_rounded_up_to_a_minute_that_exists() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let day = clock("Europe/Berlin", date(2026, 11, 21));
        let shown = |text: &str| day.at_or_after(at(text)).map(|time| time.to_string());
        assert_eq!(shown("2026-11-20T12:00:00Z").as_deref(), Some("00:00"));
        assert_eq!(shown("2026-11-21T09:10:01Z").as_deref(), Some("10:11"));
        assert_eq!(shown("2026-11-21T22:59:30Z"), None);
        assert_eq!(shown("2026-11-22T12:00:00Z"), None);
    }

    proptest! {
        #[test]
        fn elapsed_time_never_runs_backwards(
            zone in prop::sample::select(vec![
                "Europe/Berlin", "America/New_York", "America/Santiago", "Australia/Lord_Howe",
                "Asia/Beirut", "Africa/Casablanca", "UTC",
            ]),
            day in 0_i32..3_650,
        ) {
            let day = date(2024, 1, 1) + jiff::Span::new().days(day);
            let clock = clock(zone, day);
            let marks: Vec<u32> = (0..MARKS)
                .map(|mark| clock.elapsed(ClockTime::from_minutes(mark).unwrap()))
                .collect();
            prop_assert!(marks.windows(2).all(|pair| pair[0] <= pair[1]));
            prop_assert_eq!((marks[0], marks[1_440]), (0, clock.length()));
        }

        #[test]
        fn a_projection_covers_what_happens(from in 0_i64..2_880, length in 1_i64..600) {
            let clock = clock("Europe/Berlin", date(2026, 10, 25));
            let start = clock.begins + jiff::SignedDuration::from_mins(from - 600);
            let end = start + jiff::SignedDuration::from_mins(length);
            let covered = clock.project(start, end).map_or(0, |span| clock.minutes(span));
            let first = (from - 600).clamp(0, 1_500);
            let last = (from - 600 + length).clamp(0, 1_500);
            prop_assert!(i64::from(covered) >= last - first);
        }
    }
}
