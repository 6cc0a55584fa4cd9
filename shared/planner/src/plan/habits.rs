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
    /// From when to when they work.
    pub working: Span,
    /// When lunch starts.
    pub lunch: ClockTime,
    /// How long it is; 0 is no lunch.
    pub lunch_length: u32,
    /// One focus block.
    pub focus: u32,
    /// Work after which a break is due.
    pub break_every: u32,
    /// One e-mail block.
    pub email: u32,
    /// Kept free around meetings.
    pub buffer: u32,
    /// Percent of the working day that stays free for what comes up.
    pub slack: u32,
}

impl Habits {
    /// Reads preferences as they are stored.
    ///
    /// # Errors
    /// Names the first preference that can't be used.
    pub fn read(day: &DayPreferences) -> Result<Self, InputError> {
        Ok(Self {
            working: Span::parse(
                ("workStartTime", &day.work_start_time),
                ("workEndTime", &day.work_end_time),
            )?,
            lunch: ClockTime::parse("lunchTime", &day.lunch_time)?,
            lunch_length: within("lunchDuration", day.lunch_duration, LUNCH)?,
            focus: within("focusBlockDuration", day.focus_block_duration, FOCUS)?,
            break_every: within("breakFrequency", day.break_frequency, BREAKS)?,
            email: within("emailBatchSize", day.email_batch_size, EMAIL)?,
            buffer: within("meetingBuffer", day.meeting_buffer, BUFFER)?,
            slack: percent("slackPercent", day.slack_percent)?,
        })
    }
}

fn percent(field: &str, given: u32) -> Result<u32, InputError> {
    if SLACK.contains(&given) {
        return Ok(given);
    }
    let (least, most) = SLACK.into_inner();
    let problem = format!("is out of range: it runs from {least} to {most} percent.");
    Err(InputError::new(field, &given.to_string(), problem))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_those_of_the_annex() {
        let habits = Habits::read(&DayPreferences::default()).unwrap();
        assert_eq!(habits.working.to_string(), "09:00–17:00");
        assert_eq!(
            (habits.lunch.to_string().as_str(), habits.lunch_length),
            ("12:00", 60)
        );
        assert_eq!(
            (
                habits.focus,
                habits.break_every,
                habits.email,
                habits.buffer,
                habits.slack
            ),
            (90, 90, 30, 15, 15)
        );
    }

    #[test]
    fn what_cannot_be_used_is_named() {
        let default = DayPreferences::default;
        for (day, field) in [
            (
                DayPreferences {
                    work_start_time: "25:00".into(),
                    ..default()
                },
                "workStartTime",
            ),
            (
                DayPreferences {
                    work_end_time: "08:00".into(),
                    ..default()
                },
                "workEndTime",
            ),
            (
                DayPreferences {
                    lunch_time: "soon".into(),
                    ..default()
                },
                "lunchTime",
            ),
            (
                DayPreferences {
                    focus_block_duration: 0,
                    ..default()
                },
                "focusBlockDuration",
            ),
            (
                DayPreferences {
                    break_frequency: 10_000,
                    ..default()
                },
                "breakFrequency",
            ),
            (
                DayPreferences {
                    lunch_duration: 181,
                    ..default()
                },
                "lunchDuration",
            ),
            (
                DayPreferences {
                    email_batch_size: 0,
                    ..default()
                },
                "emailBatchSize",
            ),
            (
                DayPreferences {
                    meeting_buffer: 121,
                    ..default()
                },
                "meetingBuffer",
            ),
            (
                DayPreferences {
                    slack_percent: 51,
                    ..default()
                },
                "slackPercent",
            ),
        ] {
            assert_eq!(Habits::read(&day).unwrap_err().field, field);
        }
    }
}
