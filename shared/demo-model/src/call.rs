//! What was read, as the call of a tool.

use alfred_planner::ClockTime;
use jiff::ToSpan;
use jiff::civil::Date;
use serde_json::{Map, Value, json};

use crate::matching::Reading;
use crate::times;
use crate::words::capitalised;

/// Minutes of a block of which only the start was said.
const BLOCK_MINUTES: u64 = 60;
/// Starts that are tried on a day of which no time was said.
const STARTS: [&str; 8] = [
    "09:00", "10:00", "11:00", "14:00", "15:00", "16:00", "12:30", "18:30",
];
/// Starts that a call takes.
const MOST_STARTS: usize = 5;

/// A call of a tool.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Call {
    pub(crate) tool: String,
    pub(crate) arguments: Map<String, Value>,
}

impl Call {
    pub(crate) fn new(tool: &str, arguments: Map<String, Value>) -> Self {
        let tool = tool.to_owned();
        Self { tool, arguments }
    }
}

/// A call that was answered.
pub(crate) struct Outcome {
    pub(crate) call: Call,
    pub(crate) data: Value,
}

impl Outcome {
    pub(crate) fn succeeded(&self) -> bool {
        self.data["success"] == true
    }
}

/// Who asks, as the prompt says it.
#[derive(Clone, Debug)]
pub(crate) struct Asking {
    pub(crate) today: Date,
    /// `14:05`.
    pub(crate) now: String,
    pub(crate) zone: String,
}

impl Reading {
    /// The calls that are meant, and the look before them. Where one day or person was
    /// to be named and several were, there is a call for each.
    pub(crate) fn calls(&self, asking: &Asking) -> (Vec<Call>, Option<Call>) {
        let mut arguments = self.said();
        let look = arguments.remove("look");
        let tool = self.leads.tool;
        // Where a tool takes the person's own words, it has them.
        let words: Value = self.said.as_str().into();
        match tool {
            "system_provideFeedback" => drop(arguments.insert("message".into(), words)),
            "system_modifyProposal" => {
                arguments.remove("changes");
                arguments.insert("feedback".into(), words);
            }
            _ => {}
        }
        let call = |tool, mut arguments| {
            finish(tool, &mut arguments, asking);
            Call::new(tool, arguments)
        };
        let look = look.and_then(|look| look.as_object().cloned());
        let via = self
            .leads
            .via
            .map(|via| call(via, look.unwrap_or_default()));
        let several = ["date", "to"]
            .into_iter()
            .find(|name| arguments.get(*name).is_some_and(Value::is_array));
        let calls = match several.and_then(|name| Some((name, arguments.remove(name)?))) {
            None => vec![call(tool, arguments)],
            Some((name, values)) => {
                let one = |value: &Value| {
                    let mut arguments = arguments.clone();
                    arguments.insert(name.into(), value.clone());
                    call(tool, arguments)
                };
                values.as_array().into_iter().flatten().map(one).collect()
            }
        };
        (calls, via)
    }

    fn said(&self) -> Map<String, Value> {
        let mut said = Value::Object(Map::new());
        for (path, value) in self.filled.iter().filter(|(path, _)| !path.is_empty()) {
            put(&mut said, path, Value::clone(value));
        }
        said.as_object().cloned().unwrap_or_default()
    }

    /// What of a proposal of this tool is wanted otherwise, in its fields.
    pub(crate) fn changes(&self, tool: &str) -> Option<Value> {
        let mut said = self.said();
        (said.remove("for")? == tool).then(|| said.remove("changes"))?
    }

    /// What was said beside the arguments, and the time.
    pub(crate) fn aside(&self, asking: &Asking) -> Value {
        let mut aside = self.said().remove("look").unwrap_or_default();
        aside["now"] = asking.now.as_str().into();
        if aside["at"] == "now" {
            aside["at"] = aside["now"].clone();
        }
        aside
    }
}

/// Puts a value where its path says: `a.b`, `a[]` for one more of a list, `a[-]` for its last, `a/b` for two values
/// or for one twice, `a+` for the end of a text.
fn put(into: &mut Value, path: &str, value: Value) {
    if let Some((first, second)) = path.split_once('/') {
        let both = [&value[0], &value[1]].map(|one| if one.is_null() { &value } else { one });
        put(into, first, both[0].clone());
        return put(into, second, both[1].clone());
    }
    if let Some(path) = path.strip_suffix('+') {
        let said = format!("{}{}", text(&into[path]), text(&value));
        into[path] = said.into();
        return;
    }
    let (head, rest) = path.split_once('.').unwrap_or((path, ""));
    let name = head.trim_end_matches("[]").trim_end_matches("[-]");
    let mut slot = &mut into[name];
    if head != name {
        if slot.is_null() {
            *slot = json!([]);
        }
        let Some(list) = slot.as_array_mut() else {
            return;
        };
        if head.ends_with("[]") || list.is_empty() {
            list.push(Value::Null);
        }
        let Some(last) = list.last_mut() else { return };
        slot = last;
    }
    match rest {
        "" => *slot = value,
        rest => put(slot, rest, value),
    }
}

/// What a tool needs beside what was said.
fn finish(tool: &str, arguments: &mut Map<String, Value>, asking: &Asking) {
    for (name, value) in arguments.iter_mut() {
        if value == "here" {
            *value = asking.zone.as_str().into();
        }
        if name == "title" {
            *value = capitalised(text(value)).into();
        }
        let day = name.starts_with("due") || name == "date" || name == "since";
        let day = value.as_str().filter(|_| day);
        if let Some(day) = day.and_then(|day| times::day(day, asking.today)) {
            // Nothing came in since a monday that is to come.
            let past = name == "since" && day > asking.today;
            *value = day
                .saturating_sub(i64::from(past).weeks())
                .to_string()
                .into();
        }
    }
    match tool {
        "schedule_findGaps" => {
            arguments.entry("minDuration").or_insert(30.into());
            if let Some(between) = arguments.get_mut("between").and_then(Value::as_object_mut) {
                awake(between, "start", "end");
            }
            today(arguments, asking);
        }
        "schedule_analyzeUtilization" => today(arguments, asking),
        "schedule_createTimeBlock" => {
            today(arguments, asking);
            awake(arguments, "startTime", "endTime");
            let minutes = arguments.remove("minutes").and_then(|it| it.as_u64());
            if arguments.contains_key("startTime") {
                ending(arguments, minutes.unwrap_or(BLOCK_MINUTES));
            }
        }
        "calendar_scheduleMeeting" => {
            if let Some(starts) = starts(arguments, asking) {
                arguments.insert("preferredTimes".into(), starts);
            }
        }
        "calendar_rescheduleMeeting" => {
            if arguments.contains_key("newTime") {
                moment(arguments, "newTime", "newTime");
            } else {
                arguments.remove("day");
            }
        }
        "calendar_viewMeetings" => moment(arguments, "time", "from"),
        _ => {}
    }
}

/// A day and a time that were said, as one argument.
fn moment(arguments: &mut Map<String, Value>, time: &str, into: &str) {
    let said = [arguments.remove("day"), arguments.remove(time)];
    let said: Vec<&str> = said.iter().flatten().map(text).collect();
    if !said.is_empty() {
        arguments.insert(into.into(), said.join("T").into());
    }
}

/// A part of a day is where people are awake, but for a night that they name.
fn awake(arguments: &mut Map<String, Value>, start: &str, end: &str) {
    let begins = arguments.get(start).and_then(Value::as_str);
    let at_night = begins.is_some_and(|begins| begins >= "20:00");
    for name in [start, end] {
        let said = arguments.get(name).and_then(Value::as_str);
        match said {
            Some("00:00" | "05:00") => drop(arguments.insert(name.into(), "08:00".into())),
            Some("24:00") if !at_night => drop(arguments.insert(name.into(), "22:00".into())),
            _ => {}
        }
    }
}

fn today(arguments: &mut Map<String, Value>, asking: &Asking) {
    let today = asking.today.to_string();
    arguments.entry("date").or_insert(today.into());
}

/// Ends what starts so many minutes later, at midnight at the latest.
pub(crate) fn ending(arguments: &mut Map<String, Value>, minutes: u64) {
    let start = arguments.get("startTime").and_then(Value::as_str);
    let start = start.and_then(|start| ClockTime::parse("startTime", start).ok());
    let end = start.map(|start| (u64::from(start.minutes()) + minutes).min(1_440));
    let end = end.and_then(|end| ClockTime::from_minutes(u16::try_from(end).ok()?));
    if let Some(end) = end {
        arguments.entry("endTime").or_insert(end.to_string().into());
    }
}

/// The starts of a meeting: at the time, else where the part of the day allows; of several days one each.
fn starts(arguments: &mut Map<String, Value>, asking: &Asking) -> Option<Value> {
    let said = ["day", "part", "time"].map(|name| arguments.remove(name));
    if said.iter().all(Option::is_none) {
        return None;
    }
    let [day, part, time] = said.map(Option::unwrap_or_default);
    let days = match day {
        Value::Array(days) => days,
        Value::Null => vec![asking.today.to_string().into()],
        day => vec![day],
    };
    let fits = |start: &&str| part.is_null() || (text(&part[0])..text(&part[1])).contains(start);
    let each = if days.len() > 1 { 1 } else { MOST_STARTS };
    let times: Vec<&str> = match time.as_str() {
        Some(time) => vec![time],
        None => STARTS.into_iter().filter(fits).take(each).collect(),
    };
    let starts = |day: &Value| {
        times
            .iter()
            .map(|time| format!("{} {time}", text(day)))
            .collect()
    };
    let starts: Vec<Vec<String>> = days.iter().map(starts).collect();
    Some(starts.concat().into_iter().take(MOST_STARTS).collect())
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
