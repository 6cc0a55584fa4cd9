//! Converts between wall-clock times and passing minutes on one day of one zone: a day has 24 hours, or 23, or 25, or
//! starts at one o'clock.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

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
    /// The elapsed minutes at each wall-clock minute; `None` on a day without a clock change, where both are the same.
    /// A skipped time is the moment of the change, a time that comes twice the first of them.
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
        let error = |problem: &str| InputError::new("date", &date.to_string(), problem);
        let first = |date: Date| Some(date.to_zoned(zone.clone()).ok()?.timestamp());
        let next = date.tomorrow().ok().and_then(first);
        let (Some(begins), Some(ends)) = (first(date), next) else {
            return Err(error("is out of range."));
        };
        let minutes = minutes_between(begins, ends);
        if minutes == 0 {
            return Err(error("does not exist in this time zone."));
        }
        let mut clock = Self {
            date,
            zone: zone.clone(),
            begins,
            elapsed: None,
            minutes,
        };
        let mut changes = zone.following(begins);
        if minutes != MARKS - 1 || changes.next().is_some_and(|next| next.timestamp() < ends) {
            clock.elapsed = Some((0..MARKS).map(|mark| clock.look_up(mark)).collect());
        }
        Ok(clock)
    }

    pub const fn date(&self) -> Date {
        self.date
    }

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
        let table = self.elapsed.as_ref();
        table.map_or(mark, |table| table[usize::from(mark)]).into()
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
        let gap = || dst::gap(time.on(self.date)?, &self.zone);
        self.elapsed.is_none() || gap().is_none()
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
        // What the wall clock shows.
        let label = |at: Timestamp| ClockTime::from(self.zone.to_datetime(at).time());
        let from = if start <= self.begins {
            ClockTime::MIDNIGHT
        } else {
            label(start)
        };
        let to = if end >= ends {
            ClockTime::END_OF_DAY
        } else {
            let whole = self.at_or_after(end).unwrap_or(ClockTime::END_OF_DAY);
            // In the second pass of an hour that comes twice `label` is too early.
            whole.max(label(end))
        };
        Span::new(from, to)
    }

    fn look_up(&self, mark: u16) -> u16 {
        let time = ClockTime::from_minutes(mark);
        let at = time.and_then(|time| time.on(self.date));
        let moment = at.and_then(|at| {
            let at = dst::gap(at, &self.zone).map_or(at, |(from, _)| from);
            self.zone.to_timestamp(at).ok()
        });
        moment.map_or(self.minutes, |moment| {
            minutes_between(self.begins, moment).min(self.minutes)
        })
    }
}

/// Whole minutes, 0 when the second moment is earlier.
fn minutes_between(from: Timestamp, to: Timestamp) -> u16 {
    let minutes = to.duration_since(from).as_mins();
    u16::try_from(minutes.max(0)).unwrap_or(u16::MAX)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::testing::{ZONES, cases, time};
    use jiff::civil::date;
    use proptest::prelude::*;

    pub(crate) fn clock(zone: &str, date: Date) -> DayClock {
        DayClock::new(date, &TimeZone::get(zone).unwrap()).unwrap()
    }

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn minutes_between_two_times_are_those_that_pass() {
        for [zone, day, start, end, minutes] in cases("minutes that pass between two times") {
            let clock = clock(zone, day.parse().unwrap());
            let passed = clock.between(time(start), time(end));
            assert_eq!(passed.to_string(), minutes, "{zone} {day} {start}");
        }
        let spring = clock("Europe/Berlin", date(2026, 3, 29));
        assert!(!spring.exists(time("02:30")) && spring.exists(time("03:00")));
    }

    #[test]
    fn a_day_that_was_left_out_is_named() {
        let samoa = TimeZone::get("Pacific/Apia").unwrap();
        let error = DayClock::new(date(2011, 12, 30), &samoa)
            .unwrap_err()
            .to_string();
        insta::assert_snapshot!(error, @r#"date: "2011-12-30" does not exist in this time zone."#);
    }

    #[test]
    fn moments_are_shown_on_the_clock_of_the_zone() {
        for [zone, day, start, end, shown] in cases("moments are shown on the clock of the zone") {
            let span = clock(zone, day.parse().unwrap()).project(at(start), at(end));
            let span = span.map(|span| span.to_string()).unwrap_or_default();
            assert_eq!(span, shown, "{zone} {day}");
        }
    }

    #[test]
    fn now_is_rounded_up_to_a_minute_that_exists() {
        for [now, shown] in cases("now is rounded up to a minute that exists") {
            let time = clock("Europe/Berlin", date(2026, 11, 21)).at_or_after(at(now));
            assert_eq!(time.map(|time| time.to_string()).unwrap_or_default(), shown);
        }
    }

    proptest! {
        #[test]
        fn elapsed_time_never_runs_backwards(
            zone in prop::sample::select(ZONES), day in 0_i32..3_650
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
