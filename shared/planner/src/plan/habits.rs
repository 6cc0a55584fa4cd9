//! Preferences of the working day, read.

use alfred_core::user::DayPreferences;
use std::ops::RangeInclusive;

use crate::clock_time::ClockTime;
use crate::input::{InputError, within};
use crate::span::Span;

/// Minutes of lunch.
pub const LUNCH: RangeInclusive<u32> = 0..=180;
/// Minutes of one focus block.
pub const FOCUS: RangeInclusive<u32> = 15..=480;
/// Minutes of work after which a break is due.
pub const BREAKS: RangeInclusive<u32> = 15..=480;
/// Minutes of one e-mail block.
pub const EMAIL: RangeInclusive<u32> = 5..=240;
/// Minutes kept free around meetings.
pub const BUFFER: RangeInclusive<u32> = 0..=120;
/// Percent of a working day that stays free for what comes up.
pub const SLACK: RangeInclusive<u32> = 0..=50;

/// How a person's working day usually is. Lengths are minutes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Habits {
    pub working: Span,
    pub lunch: ClockTime,
    /// 0 is no lunch.
    pub lunch_length: u32,
    pub focus: u32,
    pub break_every: u32,
    pub email: u32,
    pub buffer: u32,
    pub slack: u32,
}

impl Habits {
    /// Reads preferences as they are stored.
    ///
    /// # Errors
    /// Names the first preference that can't be used.
    pub fn read(day: &DayPreferences) -> Result<Self, InputError> {
        let start = ("workStartTime", &*day.work_start_time);
        let minutes = |field, given, range| within(field, given, range, "minutes");
        Ok(Self {
            working: Span::parse(start, ("workEndTime", &day.work_end_time))?,
            lunch: ClockTime::parse("lunchTime", &day.lunch_time)?,
            lunch_length: minutes("lunchDuration", day.lunch_duration, LUNCH)?,
            focus: minutes("focusBlockDuration", day.focus_block_duration, FOCUS)?,
            break_every: minutes("breakFrequency", day.break_frequency, BREAKS)?,
            email: minutes("emailBatchSize", day.email_batch_size, EMAIL)?,
            buffer: minutes("meetingBuffer", day.meeting_buffer, BUFFER)?,
            slack: within("slackPercent", day.slack_percent, SLACK, "percent")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::check;

    #[test]
    fn a_preference_that_cannot_be_used_is_named() {
        let usual = serde_json::to_value(DayPreferences::default()).unwrap();
        let cases = "a preference that cannot be used is named";
        check(cases, |[field, value]| {
            let mut day = usual.clone();
            day[field] = serde_json::from_str(value).unwrap();
            let read = Habits::read(&serde_json::from_value(day).unwrap());
            read.err()
                .map_or_else(String::new, |error| error.to_string())
        });
    }
}
