//! What was read, as the call of a tool.

use alfred_planner::ClockTime;
use jiff::civil::Date;
use serde_json::{Map, Value, json};

use crate::matching::Reading;
use crate::words::capitalised;

/// Minutes of a block of which only the start was said.
const BLOCK_MINUTES: u64 = 60;
/// Starts that are tried on a day of which no time was said.
const STARTS: [&str; 6] = ["09:00", "10:00", "11:00", "14:00", "15:00", "16:00"];
/// Starts that a call takes.
const MOST_STARTS: usize = 5;

/// A call of a tool.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Call {
    pub(crate) tool: &'static str,
    pub(crate) arguments: Map<String, Value>,
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
    /// The call that is meant, and the arguments of the look before it.
    pub(crate) fn calls(&self, asking: &Asking) -> (Call, Option<Call>) {
        let mut arguments = self.said();
        let look = arguments.remove("look");
        let look = look.and_then(|look| look.as_object().cloned());
        let tool = self.leads.tool;
        finish(tool, &mut arguments, asking);
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
        let via = self.leads.via.map(|via| {
            let mut arguments = look.unwrap_or_default();
            finish(via, &mut arguments, asking);
            Call {
                tool: via,
                arguments,
            }
        });
        (Call { tool, arguments }, via)
    }

    fn said(&self) -> Map<String, Value> {
        let mut said = Value::Object(Map::new());
        for (path, value) in self.filled.iter().filter(|(path, _)| !path.is_empty()) {
            put(&mut said, path, value.clone());
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
        aside
    }
}

/// Puts a value where its path says: `a.b`, `a[]` for one more of a list, `a[-]` for its last, `a/b` for two values.
fn put(into: &mut Value, path: &str, value: Value) {
    if let (Some((first, second)), Value::Array(both)) = (path.split_once('/'), &value) {
        for (path, one) in [first, second].into_iter().zip(both) {
            put(into, path, one.clone());
        }
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
    for value in arguments.values_mut().filter(|value| *value == "here") {
        *value = asking.zone.as_str().into();
    }
    match tool {
        "schedule_findGaps" => {
            arguments.entry("minDuration").or_insert(30.into());
            today(arguments, asking);
        }
        "schedule_analyzeUtilization" => today(arguments, asking),
        "schedule_createTimeBlock" => {
            today(arguments, asking);
            if let Some(Value::String(title)) = arguments.get_mut("title") {
                *title = capitalised(title);
            }
            let minutes = arguments
                .remove("minutes")
                .and_then(|minutes| minutes.as_u64());
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
            let day = arguments.remove("day");
            if let (Some(day), Some(time)) = (day, arguments.get("newTime")) {
                let moment = format!("{}T{}", shown(&day), shown(time));
                arguments.insert("newTime".into(), moment.into());
            }
        }
        "task_viewTasks" => {
            if let Some(day) = arguments.get("dueFrom").cloned() {
                arguments.entry("dueUntil").or_insert(day);
            }
        }
        _ => {}
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

fn starts(arguments: &mut Map<String, Value>, asking: &Asking) -> Option<Value> {
    let day = arguments.remove("day");
    let part = arguments.remove("part");
    let time = arguments.remove("time");
    if day.is_none() && part.is_none() && time.is_none() {
        return None;
    }
    let day = day.map_or_else(|| asking.today.to_string(), |day| shown(&day));
    let at = |time: &str| Value::from(format!("{day} {time}"));
    let fits = |start: &&str| match part.as_ref().and_then(Value::as_str) {
        Some("morning") => *start < "12:00",
        Some(_) => *start > "12:00",
        None => true,
    };
    Some(match time {
        Some(time) => json!([at(&shown(&time))]),
        None => STARTS
            .into_iter()
            .filter(fits)
            .take(MOST_STARTS)
            .map(at)
            .collect(),
    })
}

fn shown(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}
