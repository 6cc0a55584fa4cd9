use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// Days searched for an occurrence: a week, and another day because of the zone.
const DAYS: RangeInclusive<i64> = -8..=8;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum When {
    /// "In 20 minutes": whatever the local clock shows then.
    Moment { at: Timestamp },
    /// At this local time.
    Once { at: DateTime },
    Weekly {
        /// Monday is 1, Sunday 7.
        days: BTreeSet<i8>,
        time: Time,
    },
    Interval {
        minutes: u32,
        /// The first occurrence is one interval later.
        from: Timestamp,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Occurrence {
    /// The wall-clock time, which may not exist on a day when clocks are set forward.
    pub local: DateTime,
    /// A skipped time moves later by the length of the gap; of a repeated time, the first counts.
    pub at: Timestamp,
}

impl When {
    pub fn next_after(&self, moment: Timestamp, zone: &TimeZone) -> Option<Occurrence> {
        let mut near = self.near(moment, zone).into_iter();
        near.find(|found| found.at > moment)
    }

    pub fn last_until(&self, moment: Timestamp, zone: &TimeZone) -> Option<Occurrence> {
        let near = self.near(moment, zone).into_iter();
        near.rev().find(|found| found.at <= moment)
    }

    /// Unique within the job: in UTC where a wall-clock time may occur twice.
    pub fn identity(&self, occurrence: &Occurrence, zone: &str) -> String {
        match self {
            Self::Moment { .. } | Self::Interval { .. } => occurrence.at.to_string(),
            Self::Once { .. } | Self::Weekly { .. } => format!("{}[{zone}]", occurrence.local),
        }
    }

    /// The occurrences around a moment in order, with the last one before and the first one after.
    fn near(&self, moment: Timestamp, zone: &TimeZone) -> Vec<Occurrence> {
        let at = |at: Timestamp| Occurrence {
            local: at.to_zoned(zone.clone()).datetime(),
            at,
        };
        let resolved = |local: DateTime| {
            let at = zone.to_ambiguous_timestamp(local).compatible().ok()?;
            Some(Occurrence { local, at })
        };
        match self {
            Self::Moment { at: moment } => vec![at(*moment)],
            Self::Once { at } => resolved(*at).into_iter().collect(),
            Self::Weekly { days, time } => {
                let today = at(moment).local.date();
                let dates = DAYS.filter_map(|day| today.checked_add(day.days()).ok());
                let is_one = |date: &Date| days.contains(&date.weekday().to_monday_one_offset());
                let times = dates.filter(is_one).map(|date| date.to_datetime(*time));
                times.filter_map(resolved).collect()
            }
            Self::Interval { minutes, from } => {
                let minutes = i64::from(*minutes);
                let passed = moment.duration_since(*from).as_secs();
                let last = passed.checked_div_euclid(minutes * 60).unwrap_or(0).max(0);
                let numbers = (last..=last + 1).filter(|n| *n > 0);
                let moment = |n: i64| {
                    let passed = SignedDuration::from_mins(n.checked_mul(minutes)?);
                    from.checked_add(passed).ok()
                };
                numbers.filter_map(moment).map(at).collect()
            }
        }
    }
}

#[cfg(test)]
#[path = "when_tests.rs"]
mod tests;
