//! Preferences of the working day, read.

use alfred_core::user::DayPreferences;
use std::ops::RangeInclusive;

use crate::input::within;
use crate::{ClockTime, InputError, Span};

// The bounds of preferences: minutes, and percent of a day that stays free for what comes up.
pub const LUNCH: RangeInclusive<u32> = 0..=180;
pub const FOCUS: RangeInclusive<u32> = 15..=480;
pub const BREAKS: RangeInclusive<u32> = 15..=480;
pub const EMAIL: RangeInclusive<u32> = 5..=240;
pub const BUFFER: RangeInclusive<u32> = 0..=120;
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
