//! When a job is due: wall-clock times in a named zone, never an offset. Pure.

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Days that are looked through for an occurrence: a week, and one on each side for the zone.
const LOOKED_AT: i64 = 9;

/// When a job is due.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum When {
    /// So long from when it was asked: a moment, whatever clocks show then.
    Moment {
        /// The moment.
        at: Timestamp,
    },
    /// Once at this wall-clock time.
    Once {
        /// Local.
        at: DateTime,
    },
    /// On these days of each week.
    Weekly {
        /// From 1, a Monday, to 7; all of them is daily. Without any it is never due.
        days: BTreeSet<i8>,
        /// Local.
        time: Time,
    },
    /// Again and again after so many minutes.
    Interval {
        /// 5 to 1440.
        minutes: u32,
        /// From when they are counted; the first is an interval later.
        from: Timestamp,
    },
}

/// One time that a job is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Occurrence {
    /// As the job says it. Where clocks are set forward over it, no clock shows it.
    pub local: DateTime,
    /// The moment it comes to: behind a gap by as much as it is in it, in a fold the first.
    pub at: Timestamp,
}

impl When {
    /// The first occurrence after a moment; `None` when there is none any more.
    pub fn next_after(&self, moment: Timestamp, zone: &TimeZone) -> Option<Occurrence> {
        match self {
            Self::Weekly { days, time } => {
                let first = local(moment, zone).date().checked_sub(1.day()).ok()?;
                let later = |day: i64| first.checked_add(day.days()).ok();
                weekly(days, *time, zone, (0..LOOKED_AT).filter_map(later))
                    .find(|found| found.at > moment)
            }
            Self::Interval { minutes, from } => {
                let passed = moment.duration_since(*from).as_secs();
                let step = i64::from(*minutes)
                    .checked_mul(60)
                    .filter(|step| *step > 0)?;
                self.nth(passed.div_euclid(step).max(0) + 1, zone)
            }
            Self::Moment { .. } | Self::Once { .. } => {
                self.single(zone).filter(|only| only.at > moment)
            }
        }
    }

    /// The last occurrence up to a moment, this one included.
    pub fn last_until(&self, moment: Timestamp, zone: &TimeZone) -> Option<Occurrence> {
        match self {
            Self::Weekly { days, time } => {
                let last = local(moment, zone).date().checked_add(1.day()).ok()?;
                let earlier = |day: i64| last.checked_sub(day.days()).ok();
                weekly(days, *time, zone, (0..LOOKED_AT).filter_map(earlier))
                    .find(|found| found.at <= moment)
            }
            Self::Interval { minutes, from } => {
                let passed = moment.duration_since(*from).as_secs();
                let step = i64::from(*minutes)
                    .checked_mul(60)
                    .filter(|step| *step > 0)?;
                let nth = passed.div_euclid(step);
                (nth > 0).then(|| self.nth(nth, zone)).flatten()
            }
            Self::Moment { .. } | Self::Once { .. } => {
                self.single(zone).filter(|only| only.at <= moment)
            }
        }
    }

    /// What tells an occurrence from all others of its job. One that is counted is told by its moment:
    /// a fold has its wall-clock time twice.
    pub fn identity(&self, occurrence: &Occurrence, zone: &str) -> String {
        match self {
            Self::Moment { .. } | Self::Interval { .. } => occurrence.at.to_string(),
            Self::Once { .. } | Self::Weekly { .. } => format!("{}[{zone}]", occurrence.local),
        }
    }

    fn single(&self, zone: &TimeZone) -> Option<Occurrence> {
        match self {
            Self::Moment { at } => Some(Occurrence {
                local: local(*at, zone),
                at: *at,
            }),
            Self::Once { at } => resolved(*at, zone),
            Self::Weekly { .. } | Self::Interval { .. } => None,
        }
    }

    /// The `n`th of those that are counted.
    fn nth(&self, n: i64, zone: &TimeZone) -> Option<Occurrence> {
        let Self::Interval { minutes, from } = self else {
            return None;
        };
        let passed = SignedDuration::from_mins(n.checked_mul(i64::from(*minutes))?);
        let at = from.checked_add(passed).ok()?;
        Some(Occurrence {
            local: local(at, zone),
            at,
        })
    }
}

fn local(at: Timestamp, zone: &TimeZone) -> DateTime {
    at.to_zoned(zone.clone()).datetime()
}

fn resolved(local: DateTime, zone: &TimeZone) -> Option<Occurrence> {
    let at = zone.to_ambiguous_timestamp(local).compatible().ok()?;
    Some(Occurrence { local, at })
}

fn weekly(
    days: &BTreeSet<i8>,
    time: Time,
    zone: &TimeZone,
    dates: impl Iterator<Item = Date>,
) -> impl Iterator<Item = Occurrence> {
    dates
        .filter(|date| days.contains(&date.weekday().to_monday_one_offset()))
        .filter_map(move |date| resolved(date.to_datetime(time), zone))
}

#[cfg(test)]
#[path = "when_tests.rs"]
mod tests;
