//! What was read, as the call of a tool.

use alfred_planner::ClockTime;
use jiff::civil::Date;
use serde_json::{Map, Value, json};

use crate::matching::Reading;
use crate::words::capitalised;

/// Minutes of a block of which only the start was said.
const BLOCK_MINUTES: u64 = 60;
/// Starts that are tried on a day of which no time was said, in the morning and behind noon.
const STARTS: [&[&str]; 3] = [
    &["09:00", "10:00", "11:00", "14:00", "15:00"],
    &["09:00", "09:30", "10:00", "10:30", "11:00"],
    &["13:00", "14:00", "15:00", "15:30", "16:00"],
];

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
        if let Some(name) = self.phrased() {
            arguments.entry(name).or_insert(self.said.as_str().into());
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
}

impl Reading {
    fn said(&self) -> Map<String, Value> {
        let mut said = Value::Object(Map::new());
        for (path, value) in self.filled.iter().filter(|(path, _)| !path.is_empty()) {
            put(&mut said, path, value.clone());
        }
        said.as_object().cloned().unwrap_or_default()
    }

    /// The argument that takes the person's own words.
    fn phrased(&self) -> Option<&'static str> {
        match self.leads.tool {
            "system_provideFeedback" => Some("message"),
            "system_modifyProposal" => Some("feedback"),
            _ => None,
        }
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

/// Puts a value where its path says: `a.b`, `a[]` for one more of a list, `a[-]` for its last, `a/b` for two at once.
fn put(into: &mut Value, path: &str, value: Value) {
    if let (Some((first, second)), Value::Array(both)) = (path.rsplit_once('/'), &value)
        && let [one, other] = both.as_slice()
    {
        let stem = first.rsplit_once('.').map_or("", |(stem, _)| stem);
        let stem = stem.replace("[]", "[-]");
        put(into, first, one.clone());
        let second = if stem.is_empty() {
            second.to_owned()
        } else {
            format!("{stem}.{second}")
        };
        return put(into, &second, other.clone());
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
    let part = part.as_ref().map_or(STARTS[0], |part| {
        STARTS[if *part == "morning" { 1 } else { 2 }]
    });
    Some(match time {
        Some(time) => json!([at(&shown(&time))]),
        None => part.iter().map(|time| at(time)).collect(),
    })
}

fn shown(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

impl Call {
    /// The changes in words, for a workflow that takes no others.
    pub(crate) fn in_words(&mut self) {
        let changes = self.arguments.remove("changes").unwrap_or_default();
        let changes = changes.as_object().into_iter().flatten();
        let words: Vec<String> = changes
            .flat_map(|(name, value)| words(name, value))
            .collect();
        let phrased = ["message", "feedback"]
            .iter()
            .any(|name| self.arguments.contains_key(*name));
        if !(words.is_empty() || phrased) {
            self.arguments
                .insert("feedback".into(), words.join(", ").into());
        }
    }
}

fn words(name: &str, value: &Value) -> Vec<String> {
    let each = |shown: &dyn Fn(&Value) -> String| {
        value.as_array().into_iter().flatten().map(shown).collect()
    };
    let said = shown(value);
    vec![match name {
        "lunchAt" => format!("lunch at {said}"),
        "lunchMinutes" => format!("lunch {said} minutes"),
        "noLunch" => "no lunch".into(),
        "noMeetingsBefore" => format!("no meetings before {said}"),
        "noMeetingsAfter" => format!("no meetings after {said}"),
        "noFocusBefore" => format!("no focus before {said}"),
        "noFocusAfter" => format!("no focus after {said}"),
        "focusMinutes" => format!("focus blocks of {said} minutes"),
        "focusAtMost" => format!("at most {said} minutes of focus work"),
        "startAt" => format!("start at {said}"),
        "endAt" => format!("end at {said}"),
        "breakEvery" => format!("a break every {said} minutes"),
        "breakMinutes" => format!("breaks of {said} minutes"),
        "noBreaks" => "no breaks".into(),
        "emailAt" => format!("email at {said}"),
        "emailMinutes" => format!("email {said} minutes"),
        "noEmail" => "no email".into(),
        "keepFree" => {
            return each(&|one| {
                format!("keep {} to {} free", shown(&one["from"]), shown(&one["to"]))
            });
        }
        "drop" => return each(&|one| format!("without {}", shown(one))),
        "move" => {
            return each(&|one| format!("move {} to {}", shown(&one["title"]), shown(&one["to"])));
        }
        "first" => return each(&|one| format!("{} first", shown(one))),
        "keep" => return each(&|one| format!("keep {}", shown(one))),
        "archive" => return each(&|one| format!("archive {}", shown(one))),
        _ => return Vec::new(),
    }]
}
