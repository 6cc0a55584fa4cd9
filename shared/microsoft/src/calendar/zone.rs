//! Outlook's time zones: Windows names or IANA names.

use calcard::common::timezone::Tz;
use jiff::tz::TimeZone;
use std::str::FromStr;

/// The zone of a name. `None` for a custom zone (`tzone://Microsoft/Custom`).
pub(super) fn zone(name: &str) -> Option<TimeZone> {
    let iana = match name {
        "tzone://Microsoft/Utc" => "UTC",
        // calcard lacks these, or knows an outdated zone (Unicode's CLDR, `windowsZones`).
        "Kamchatka Standard Time" => "Asia/Kamchatka",
        "Mid-Atlantic Standard Time" => "Etc/GMT+2",
        "Mountain Standard Time (Mexico)" => "America/Mazatlan",
        "South Sudan Standard Time" => "Africa/Juba",
        // calcard would guess a zone from the text.
        custom if custom.starts_with("tzone:") => return None,
        name => return TimeZone::get(name).ok().or_else(|| windows(name)),
    };
    TimeZone::get(iana).ok()
}

fn windows(name: &str) -> Option<TimeZone> {
    let known = Tz::from_str(name).ok()?;
    TimeZone::get(&known.name()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_are_found_by_windows_and_iana_names() {
        for (name, iana) in [
            ("GMT Standard Time", "Europe/London"),
            ("W. Europe Standard Time", "Europe/Berlin"),
            ("Tokyo Standard Time", "Asia/Tokyo"),
            ("Kamchatka Standard Time", "Asia/Kamchatka"),
            ("Mid-Atlantic Standard Time", "Etc/GMT+2"),
            ("Mountain Standard Time (Mexico)", "America/Mazatlan"),
            ("South Sudan Standard Time", "Africa/Juba"),
            ("Europe/Lisbon", "Europe/Lisbon"),
        ] {
            let known = zone(name).unwrap_or_else(|| panic!("{name}"));
            assert_eq!(known.iana_name(), Some(iana), "{name}");
        }
        assert_eq!(zone("tzone://Microsoft/Utc"), Some(TimeZone::UTC));
        assert_eq!(zone("tzone://Microsoft/Custom"), None);
    }
}
