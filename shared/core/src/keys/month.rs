use jiff::Timestamp;
use jiff::tz::TimeZone;

pub(super) fn month(at: Timestamp) -> String {
    at.to_zoned(TimeZone::UTC).strftime("%Y-%m").to_string()
}
