//! The clocks of those who are invited: known of people whom Alfred serves.

use alfred_agent::tool::ToolContext;
use alfred_core::User;
use alfred_core::ports::Span;
use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;

/// Hours at which one asks others to meet, on their own clocks.
const DECENT: (i8, i8) = (8, 19);

/// Attendees on other clocks than the person.
#[derive(Default)]
pub struct Elsewhere(Vec<(String, TimeZone)>);

impl Elsewhere {
    /// Those of these addresses whose zone is known and another one.
    #[must_use]
    pub fn new(context: &ToolContext, people: &[User], addresses: &[String]) -> Self {
        let own = context.zone();
        let mut there = Vec::new();
        for user in people {
            let invited = |address: &String| address.eq_ignore_ascii_case(&user.email);
            let zone = TimeZone::get(&user.timezone).ok();
            let zone = zone.filter(|zone| zone.iana_name() != own.iana_name());
            if let (true, Some(zone)) = (addresses.iter().any(invited), zone) {
                there.push((user.name.clone(), zone));
            }
        }
        Self(there)
    }

    /// Whether somebody would have to meet at night or on a weekend.
    pub fn is_odd(&self, span: &Span) -> bool {
        self.0.iter().any(|(_, zone)| {
            let start = span.start.to_zoned(zone.clone());
            let end = span.end.to_zoned(zone.clone());
            let rests = |date: Date| matches!(date.weekday(), Weekday::Saturday | Weekday::Sunday);
            let late = end.date() != start.date() || (end.hour(), end.minute()) > (DECENT.1, 0);
            rests(start.date()) || start.hour() < DECENT.0 || late
        })
    }

    /// When it is for each of them: "Ben Okafor: Mon 09:00 (America/New_York)".
    pub fn times(&self, span: &Span) -> Vec<String> {
        let line = |(name, zone): &(String, TimeZone)| {
            let start = span.start.to_zoned(zone.clone());
            let at = start.strftime("%a %H:%M");
            format!("{name}: {at} ({})", zone.iana_name().unwrap_or("UTC"))
        };
        self.0.iter().map(line).collect()
    }
}
