//! The occurrences of a series in a span: from its rule, and added, excluded or changed ones.

use alfred_core::digest::sha256_hex;
use alfred_core::id::EventId;
use alfred_core::ports::{EventTime, Span};
use alfred_core::text;
use chrono::DateTime as ChronoDateTime;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use rrule::{RRule, RRuleSet, Tz, Unvalidated};
use std::collections::{BTreeMap, HashMap};

use super::vevent::Vevent;
use super::when::{Key, When};

const EVENT_LATER_TOO: &str = "`RECURRENCE-ID`: the change is for all later occurrences too; only the one named is shown changed.";

/// Most occurrences counted of one rule: daily since 1500, or hourly for 20 years.
const MOST: usize = 200_000;
/// Longer rules are rejected.
const LONGEST_RULE: usize = 1_000;

/// All components of one `UID` in a file.
#[derive(Clone, Debug)]
pub(super) struct Series {
    id: String,
    pub master: Option<Vevent>,
    /// Components that replace one occurrence each.
    pub changed: BTreeMap<Key, Vevent>,
}

pub(super) struct Occurrence<'a> {
    /// `None` for a single event.
    pub key: Option<Key>,
    pub event: &'a Vevent,
    pub time: EventTime,
}

/// The occurrences in a span, and what can't be read.
#[derive(Default)]
pub(super) struct Within<'a> {
    pub occurrences: Vec<Occurrence<'a>>,
    pub problems: Vec<String>,
}

/// The part of an event id that identifies its `UID`.
pub(super) fn id_of(uid: &str) -> String {
    sha256_hex(uid.as_bytes())[..24].to_owned()
}

/// The series of a file, in file order.
pub(super) fn grouped(events: Vec<Vevent>) -> Vec<Series> {
    let mut order = Vec::new();
    let mut by_uid: HashMap<String, (Option<Vevent>, Vec<Vevent>)> = HashMap::new();
    for event in events {
        let (master, changed) = by_uid.entry(event.uid.clone()).or_insert_with(|| {
            order.push(event.uid.clone());
            (None, Vec::new())
        });
        match (&event.recurrence, master) {
            (Some(_), _) => changed.push(event),
            // The component with the higher `SEQUENCE` wins.
            (None, Some(known)) if known.sequence > event.sequence => {}
            (None, master) => *master = Some(event),
        }
    }
    let series = order.into_iter().filter_map(|uid| {
        let (master, changed) = by_uid.remove(&uid)?;
        Some(Series::new(&uid, master, changed))
    });
    series.collect()
}

impl Series {
    fn new(uid: &str, master: Option<Vevent>, all: Vec<Vevent>) -> Self {
        let mut changed: BTreeMap<Key, Vevent> = BTreeMap::new();
        for event in all {
            let Some(named) = &event.recurrence else {
                continue;
            };
            let start = master.as_ref().map_or(named, |master| &master.start);
            let Some(key) = named.key_in(start) else {
                continue;
            };
            let known = changed.get(&key);
            if known.is_none_or(|known| known.sequence <= event.sequence) {
                changed.insert(key, event);
            }
        }
        Self {
            id: id_of(uid),
            master,
            changed,
        }
    }

    pub fn has(&self, id: &str) -> bool {
        self.id == id
    }

    pub fn id(&self, key: Option<Key>) -> EventId {
        match key {
            Some(key) => format!("{}_{}", self.id, key.text()).into(),
            None => self.id.as_str().into(),
        }
    }

    /// The occurrences in a span, without cancelled ones. All-day events use this zone.
    pub fn within(&self, span: &Span, zone: &TimeZone) -> Within<'_> {
        let mut within = Within::default();
        let whole = self.master.as_ref();
        if whole.is_some_and(|master| master.cancelled) {
            return within;
        }
        let touches = |time: &EventTime| time.span(zone).touches(span);
        for (key, event) in &self.changed {
            if event.later_too {
                within.problems.push(EVENT_LATER_TOO.to_owned());
            }
            match event.start.for_length(event.length) {
                Some(time) if touches(&time) && !event.cancelled => {
                    within.occurrences.push(Occurrence {
                        key: Some(*key),
                        event,
                        time,
                    });
                }
                Some(_) => {}
                None => within.problems.push(text::event_without("DTSTART")),
            }
        }
        let Some(master) = whole else { return within };
        let (starts, problem) = starts(master, span.end);
        within.problems.extend(problem);
        for start in starts {
            let Some(time) = start.for_length(master.length) else {
                within.problems.push(text::event_without("DTEND"));
                break;
            };
            let key = start.key();
            if touches(&time) && !key.is_some_and(|key| self.changed.contains_key(&key)) {
                within.occurrences.push(Occurrence {
                    key: key.filter(|_| master.recurs()),
                    event: master,
                    time,
                });
            }
        }
        within
    }

    /// The series at its first occurrence, even if cancelled. `None` for a single event.
    pub fn whole(&self) -> Option<Occurrence<'_>> {
        let event = self.master.as_ref().filter(|master| master.recurs())?;
        let time = event.start.for_length(event.length)?;
        Some(Occurrence {
            key: None,
            event,
            time,
        })
    }

    /// The component of an occurrence, and, if it is that of the series, the start by the series' rule.
    pub fn component(&self, key: Option<Key>) -> Option<(&Vevent, Option<When>)> {
        let changed = key.and_then(|key| self.changed.get(&key));
        let event = changed.or(self.master.as_ref())?;
        let key = key.filter(|_| changed.is_none());
        Some((event, key.map(|key| event.start.at_key(key))))
    }

    /// An occurrence, even a cancelled one or one that never existed.
    fn placed(&self, key: Option<Key>) -> Option<Occurrence<'_>> {
        let (event, original) = self.component(key)?;
        let time = original.as_ref().unwrap_or(&event.start);
        let time = time.for_length(event.length)?;
        Some(Occurrence { key, event, time })
    }

    /// The cancelled occurrence of this key. `None` if it isn't cancelled or never existed.
    pub fn cancelled(&self, key: Option<Key>) -> Option<Occurrence<'_>> {
        let placed = self.placed(key)?;
        let is_off = |master: &Vevent| {
            let is_out = |when: &When| key.is_some() && when.key_in(&master.start) == key;
            master.cancelled || master.except.iter().any(is_out)
        };
        let is_cancelled = placed.event.cancelled || self.master.as_ref().is_some_and(is_off);
        is_cancelled.then_some(placed)
    }

    /// The occurrence of this key, or the single event without a key. `None` if it is cancelled.
    pub fn occurrence(&self, key: Option<Key>, zone: &TimeZone) -> Option<Occurrence<'_>> {
        // Its first second alone: rules are searched up to the end of a span.
        let start = self.placed(key)?.time.span(zone).start;
        let end = start.checked_add(1.second()).unwrap_or(start);
        let found = self.within(&Span { start, end }, zone).occurrences;
        found.into_iter().find(|occurrence| occurrence.key == key)
    }
}

/// The starts of an event up to an instant. If the rule can't be evaluated, only its first start and the
/// problem.
fn starts(master: &Vevent, until: Timestamp) -> (Vec<When>, Option<String>) {
    if !master.recurs() {
        return (vec![master.start.clone()], None);
    }
    let mut found = BTreeMap::new();
    let mut problem = None;
    let mut add = |when: When| {
        if let Some(key) = when.key() {
            found.insert(key, when);
        }
    };
    if master.rules.is_empty() {
        add(master.start.clone());
    }
    for rule in &master.rules {
        match by_rule(&master.start, rule, until) {
            Ok((starts, all)) => {
                starts.into_iter().for_each(&mut add);
                if !all {
                    problem =
                        Some("`RRULE`: the event repeats too often to be shown whole.".to_owned());
                }
            }
            Err(()) => {
                add(master.start.clone());
                problem = Some(event_rule(rule));
            }
        }
    }
    master.also.iter().cloned().for_each(&mut add);
    let excepted = |when: &When| when.key_in(&master.start);
    for key in master.except.iter().filter_map(excepted) {
        found.remove(&key);
    }
    (found.into_values().collect(), problem)
}

fn event_rule(rule: &str) -> String {
    let rule: String = rule.chars().filter(|c| !c.is_control()).take(200).collect();
    format!(
        "`RRULE`: \u{201c}{rule}\u{201d} is no rule I can read, so only the first occurrence is shown."
    )
}

/// Rules count in local time, so they are evaluated without zones. The flag is true if these are all
/// occurrences.
fn by_rule(start: &When, rule: &str, until: Timestamp) -> Result<(Vec<When>, bool), ()> {
    // The library panics on characters that no rule contains.
    let fits = |c: char| c.is_ascii_alphanumeric() || "=;,+- ".contains(c);
    if rule.len() > LONGEST_RULE || !rule.chars().all(fits) {
        return Err(());
    }
    let upper = rule.to_ascii_uppercase();
    // Too frequent: every second of years would be evaluated.
    if upper.contains("FREQ=SECONDLY") || upper.contains("FREQ=MINUTELY") {
        return Ok((vec![start.clone()], false));
    }
    let mut last = start.zone.to_datetime(until);
    // The start of a day depends on the reader's zone.
    last = last.checked_add(2.days()).unwrap_or(DateTime::MAX);
    let mut parts: Vec<_> = upper
        .split(';')
        .map(str::trim)
        .filter(|p| !p.is_empty())
        .collect();
    if let Some(at) = parts.iter().position(|part| part.starts_with("UNTIL=")) {
        let said = parts.remove(at);
        last = last.min(end(start, &said["UNTIL=".len()..]).ok_or(())?);
    }
    let later = cycles(last);
    let set = unrolled(&parts.join(";"), start.local, later)?;
    let mut starts = Vec::new();
    for (counted, at) in set.into_iter().enumerate() {
        let Some(local) = local(&at, later).filter(|local| *local <= last) else {
            break;
        };
        if counted >= MOST {
            return Ok((starts, false));
        }
        starts.push(start.at(local));
    }
    Ok((starts, true))
}

/// First full year of the Gregorian calendar.
const FIRST_YEAR: i16 = 1_583;
/// Last year that the library supports.
const LAST_YEAR: i32 = 10_000;
/// Years after which dates fall on the same weekdays.
const CYCLE: i32 = 400;

/// Years by which a rule is shifted before evaluation. A rule without matching dates is tried up to the
/// library's last year, for minutes. The shift puts that year directly after the requested end.
fn cycles(last: DateTime) -> i32 {
    (LAST_YEAR - 1 - i32::from(last.year())) / CYCLE * CYCLE
}

fn unrolled(rule: &str, start: DateTime, later: i32) -> Result<RRuleSet, ()> {
    let rule: RRule<Unvalidated> = rule.parse().map_err(drop)?;
    let start = Some(start).filter(|start| start.year() >= FIRST_YEAR);
    let start = start.and_then(|start| as_utc(start, later)).ok_or(())?;
    rule.build(start).map(RRuleSet::limit).map_err(drop)
}

/// The last local time within `UNTIL`.
fn end(start: &When, until: &str) -> Option<DateTime> {
    let (date, time) = until.split_once('T').unwrap_or((until, ""));
    let date = Date::strptime("%Y%m%d", date).ok()?;
    if time.is_empty() || start.is_day() {
        return Some(date.to_datetime(Time::MAX));
    }
    let local = date.to_datetime(Time::strptime("%H%M%S", time.trim_end_matches('Z')).ok()?);
    if !time.ends_with('Z') {
        return Some(local);
    }
    let at = local.to_zoned(TimeZone::UTC).ok()?.timestamp();
    Some(start.zone.to_datetime(at))
}

fn as_utc(local: DateTime, later: i32) -> Option<ChronoDateTime<Tz>> {
    let local = local.checked_add(later.years()).ok()?;
    let at = local.to_zoned(TimeZone::UTC).ok()?.timestamp();
    let at = ChronoDateTime::from_timestamp(at.as_second(), 0)?;
    Some(at.with_timezone(&Tz::UTC))
}

fn local(at: &ChronoDateTime<Tz>, later: i32) -> Option<DateTime> {
    let at = Timestamp::from_second(at.timestamp()).ok()?;
    let local = TimeZone::UTC.to_datetime(at);
    local.checked_sub(later.years()).ok()
}
