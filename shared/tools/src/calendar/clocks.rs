//! Time zones of the invited people. Unregistered people get the person's own zone.

use alfred_core::User;
use alfred_core::ports::Span;

use crate::fields::{is_weekend, local};
use crate::prelude::*;

/// Reasonable local hours for a meeting.
const DECENT: (i8, i8) = (8, 19);

/// Name or address of each invited person, with their zone.
pub struct Clocks {
    own: TimeZone,
    each: Vec<(String, TimeZone)>,
}

impl Clocks {
    pub fn new(context: &ToolContext, people: &[User], addresses: &[String]) -> Self {
        let own = context.zone();
        let clock = |address: &String| {
            let is = |user: &&User| address.eq_ignore_ascii_case(&user.email);
            let known = people.iter().find(is);
            let zone = known.and_then(|user| TimeZone::get(&user.timezone).ok());
            let name = known.map_or(address, |user| &user.name);
            (name.clone(), zone.unwrap_or_else(|| own.clone()))
        };
        Self {
            each: addresses.iter().map(clock).collect(),
            own,
        }
    }

    /// Whether the span is at night or on a weekend for somebody.
    pub fn is_odd(&self, span: &Span) -> bool {
        self.each.iter().any(|(_, zone)| is_odd(span, zone))
    }

    /// A note with the local times of the people with odd hours: "… for Chiyo Tanaka: Tue 05:00 (Asia/Tokyo)".
    /// Empty if the time is fine for everybody.
    pub fn odd_hours(&self, span: &Span) -> String {
        let odd = self.each.iter().filter(|(_, zone)| is_odd(span, zone));
        let odd: Vec<String> = odd.map(|one| line(span, one)).collect();
        match odd.as_slice() {
            [] => String::new(),
            odd => format!("outside 08:00–19:00 on a weekday for {}", odd.join(", ")),
        }
    }

    /// Day and times for the person, and the local times of people in other zones.
    pub fn times(&self, span: &Span) -> Value {
        let mut times = super::times(span, &self.own);
        times["weekday"] = local(span.start, &self.own, "%A").into();
        add(&mut times, "there", json!(self.elsewhere(span)));
        times
    }

    /// Local times of the people in other zones than the person's.
    pub fn elsewhere(&self, span: &Span) -> Vec<String> {
        let other = |(_, zone): &&(String, TimeZone)| zone.iana_name() != self.own.iana_name();
        let there = self.each.iter().filter(other);
        there.map(|one| line(span, one)).collect()
    }
}

fn is_odd(span: &Span, zone: &TimeZone) -> bool {
    let start = span.start.to_zoned(zone.clone());
    let end = span.end.to_zoned(zone.clone());
    let late = end.date() != start.date() || (end.hour(), end.minute()) > (DECENT.1, 0);
    is_weekend(start.date()) || start.hour() < DECENT.0 || late
}

fn line(span: &Span, (name, zone): &(String, TimeZone)) -> String {
    let at = local(span.start, zone, "%a %H:%M");
    format!("{name}: {at} ({})", zone.iana_name().unwrap_or("UTC"))
}
