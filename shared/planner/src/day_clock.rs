//! Converts between wall-clock times and passing minutes on one day of one zone: a day has 24 hours, or 23, or 25, or
//! starts at one o'clock.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use crate::{ClockTime, InputError, Span, dst};

/// A day in a zone. Minutes are counted from its first moment.
#[derive(Clone, Debug)]
pub struct DayClock {
    date: Date,
    zone: TimeZone,
    begins: Timestamp,
    /// The wall-clock minutes before and after the day's clock change; equal on a day without one.
    from: u32,
    to: u32,
}

impl DayClock {
    /// Fails, naming `date`, if the zone left the whole day out, as Samoa did with 30 December 2011, or at the
    /// calendar's end.
    pub fn new(date: Date, zone: &TimeZone) -> Result<Self, InputError> {
        let error = |problem: &str| InputError::new("date", &date.to_string(), problem);
        let first = |date: Date| Some(date.to_zoned(zone.clone()).ok()?.timestamp());
        let next = date.tomorrow().ok().and_then(first);
        let (Some(begins), Some(ends)) = (first(date), next) else {
            return Err(error("is out of range."));
        };
        if begins == ends {
            return Err(error("does not exist in this time zone."));
        }
        // The day may begin or end with a change.
        let mut changes = zone.following(begins - SignedDuration::from_secs(1));
        let change = changes.next().map(|change| change.timestamp());
        let change = change.filter(|change| *change <= ends).unwrap_or(begins);
        let shown = ClockTime::from(zone.to_datetime(change).time());
        let end_of_day = (change == ends).then_some(ClockTime::END_OF_DAY);
        Ok(Self {
            date,
            zone: zone.clone(),
            begins,
            from: minutes_between(begins, change),
            to: end_of_day.unwrap_or(shown).minutes().into(),
        })
    }

    pub const fn date(&self) -> Date {
        self.date
    }

    pub const fn zone(&self) -> &TimeZone {
        &self.zone
    }

    /// Minutes of the whole day: 1,440, or an hour less or more.
    pub fn length(&self) -> u32 {
        self.elapsed(ClockTime::END_OF_DAY)
    }

    /// Minutes from the day's first moment to this time. A skipped time is the moment of the change, a time that comes
    /// twice the first of them.
    pub fn elapsed(&self, time: ClockTime) -> u32 {
        let shown = u32::from(time.minutes());
        if shown < self.from {
            return shown;
        }
        (shown + self.from).saturating_sub(self.to).max(self.from)
    }

    /// The first time that comes at least so many minutes after the day's first moment; `None` past its end.
    pub(crate) fn first_after(&self, minutes: u32) -> Option<ClockTime> {
        let later = (minutes + self.to).saturating_sub(self.from).max(self.from);
        let shown = if minutes <= self.from { minutes } else { later };
        ClockTime::from_minutes(u16::try_from(shown).ok()?)
    }

    /// The last time that comes at most so many minutes after the day's first moment.
    pub(crate) fn last_before(&self, minutes: u32) -> ClockTime {
        let later = self.first_after(minutes + 1);
        let last = later.and_then(|time| ClockTime::from_minutes(time.minutes() - 1));
        last.unwrap_or(ClockTime::END_OF_DAY)
    }

    /// Minutes that pass between two times; 0 when the second isn't later.
    pub fn between(&self, start: ClockTime, end: ClockTime) -> u32 {
        self.elapsed(end).saturating_sub(self.elapsed(start))
    }

    pub fn minutes(&self, span: Span) -> u32 {
        self.between(span.start(), span.end())
    }

    /// The first time at least that many minutes later; `None` past the end of the day.
    pub fn plus(&self, start: ClockTime, minutes: u32) -> Option<ClockTime> {
        let end = self.first_after(self.elapsed(start) + minutes)?;
        Some(end.max(start))
    }

    /// Whether something can start at this time: it isn't skipped.
    pub fn exists(&self, time: ClockTime) -> bool {
        !(self.from..self.to).contains(&time.minutes().into())
    }

    /// Checks that something can start at this time: clocks are not set forward over it.
    pub fn check_start(&self, field: &str, time: ClockTime) -> Result<(), InputError> {
        if self.exists(time) {
            return Ok(());
        }
        let [from, to] = [self.from, self.to].map(|time| ClockTime::MIDNIGHT.plus(time));
        let (date, zone) = (self.date.strftime("%a %-d %b"), dst::name(&self.zone));
        let problem = format!(
            "does not exist on {date} in {zone}: clocks go from {from} to {to}. The next time there is {to}."
        );
        Err(InputError::new(field, &time.to_string(), problem))
    }

    /// Checks that something can end at this time. The first skipped minute is the moment of the change itself, so it
    /// may be an end.
    pub fn check_end(&self, field: &str, time: ClockTime) -> Result<(), InputError> {
        if u32::from(time.minutes()) == self.from {
            return Ok(());
        }
        self.check_start(field, time)
    }

    /// This time, or the first one after those that are skipped with it.
    pub(crate) fn existing(&self, time: ClockTime) -> ClockTime {
        let skipped = self.to.saturating_sub(time.minutes().into());
        if self.exists(time) {
            time
        } else {
            time.plus(skipped)
        }
    }

    /// The first time of this day at or after a moment: 00:00 for earlier days,
    /// `None` once the day is over. Rounded up to a whole minute.
    pub fn at_or_after(&self, moment: Timestamp) -> Option<ClockTime> {
        if moment <= self.begins {
            return Some(ClockTime::MIDNIGHT);
        }
        let time = self.existing(self.first_after(minutes_between(self.begins, moment))?);
        (time < ClockTime::END_OF_DAY).then_some(time)
    }

    /// The part of a stretch of moments that lies on this day, on its wall
    /// clock; `None` when there is none. Seconds are rounded outwards.
    pub fn project(&self, start: Timestamp, end: Timestamp) -> Option<Span> {
        let ends = self.begins + SignedDuration::from_mins(self.length().into());
        if end <= start || end <= self.begins || start >= ends {
            return None;
        }
        // What the wall clock shows.
        let label = |at: Timestamp| ClockTime::from(self.zone.to_datetime(at).time());
        let from = (start > self.begins).then(|| label(start));
        // In the second pass of an hour that comes twice `label` is too early.
        let to = self.at_or_after(end).unwrap_or(ClockTime::END_OF_DAY);
        Span::new(from.unwrap_or(ClockTime::MIDNIGHT), to.max(label(end)))
    }
}

/// Minutes from one moment to a later one, rounded up.
fn minutes_between(from: Timestamp, to: Timestamp) -> u32 {
    let seconds = to.duration_since(from).as_secs();
    u32::try_from(seconds).unwrap_or(0).div_ceil(60)
}
