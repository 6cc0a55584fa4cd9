//! How a moment is told to a model.

use alfred_core::ports::Message;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use crate::run::Run;

/// A pause from which on the time that the prompt tells is out of date.
const STALE: SignedDuration = SignedDuration::from_mins(10);

/// How a note of the time begins.
pub(crate) const LATER: &str = "Time has passed since then.";

/// The local date, weekday and time of a moment: `Now: 2026-11-21 Saturday 14:05, time zone Europe/Berlin`.
pub fn now_line(at: Timestamp, zone: &str) -> String {
    let (tz, zone) = match TimeZone::get(zone) {
        Ok(tz) => (tz, zone),
        Err(_) => (TimeZone::UTC, "UTC"),
    };
    let local = at.to_zoned(tz);
    format!(
        "Now: {}, time zone {zone}",
        local.strftime("%Y-%m-%d %A %H:%M")
    )
}

/// What a model is told before a turn that begins long after it last heard the time.
pub(crate) fn later(run: &Run, heard: Timestamp, now: Timestamp) -> Option<Message> {
    if now.duration_since(heard) < STALE {
        return None;
    }
    let zone = &run.input.user().timezone;
    let text = format!("{LATER} {}", now_line(now, zone));
    Some(Message::user(text))
}
