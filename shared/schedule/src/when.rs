//! Computes due times of jobs: wall-clock times in a named time zone, never a fixed UTC offset.

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Days searched for an occurrence: a week, and a day on each side because of the zone.
const LOOKED_AT: i64 = 9;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum When {
    /// After a period of time ("in 20 minutes"): a fixed moment, whatever the local clock shows then.
    Moment { at: Timestamp },
    /// Once at a wall-clock time.
    Once { at: DateTime },
    /// On days of the week at a wall-clock time.
    Weekly {
        /// Monday is 1, Sunday 7. All seven means daily; none means never.
        days: BTreeSet<i8>,
        time: Time,
    },
    Interval {
        /// Between 5 and 1440.
        minutes: u32,
        /// Start of the count. The first occurrence is one interval later.
        from: Timestamp,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Occurrence {
    /// The scheduled wall-clock time. It may not exist on a day when clocks are set forward.
    pub local: DateTime,
    /// The actual moment. A skipped time moves later by the length of the gap; of a repeated time,
    /// the first counts.
    pub at: Timestamp,
}

impl When {
    /// The first occurrence after a moment, if there is one.
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

    /// The last occurrence up to and including a moment.
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

    /// An id for an occurrence, unique within its job. Moments and intervals use UTC, since a
    /// wall-clock time may occur twice.
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

    /// The `n`th occurrence of an interval.
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
