//! Tells the model the time.

use alfred_core::ports::Message;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use crate::model::run::Run;

/// From this pause on, the model gets the time again.
const STALE: SignedDuration = SignedDuration::from_mins(10);

/// Start of the note that tells the time.
pub(crate) const LATER: &str = "Time has passed since then.";

/// The local date and time: `Now: 2026-11-21 Saturday 14:05, time zone Europe/Berlin`.
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

/// The time update before a turn, if the model last got the time long ago.
pub(crate) fn later(run: &Run, heard: Timestamp, now: Timestamp) -> Option<Message> {
    if now.duration_since(heard) < STALE {
        return None;
    }
    let zone = &run.input.user().timezone;
    let text = format!("{LATER} {}", now_line(now, zone));
    Some(Message::user(text))
}
