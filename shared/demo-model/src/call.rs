//! Turns a reading into tool calls.

use alfred_planner::ClockTime;
use jiff::ToSpan;
use jiff::civil::Date;
use minijinja::context;
use minijinja::value::{Serde, merge_maps};
use serde_json::{Map, Value, json};

use crate::matching::Reading;
use crate::pattern::Phrasings;
use crate::times;

/// Arguments that are days.
const DAYS: [&str; 7] = [
    "dueDate", "dueFrom", "dueUntil", "date", "since", "from", "until",
];

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

    /// Whether it would begin at a time that is over.
    pub(crate) fn is_over(&self, asking: &Asking) -> bool {
        let argument = |name: &str| self.arguments.get(name).unwrap_or(&Value::Null);
        let moments = [
            format!("{}T{}", text(argument("date")), text(argument("startTime"))),
            text(argument("newTime")).to_owned(),
            text(&argument("preferredTimes")[0]).replace(' ', "T"),
        ];
        let now = format!("{}T{}", asking.today, asking.now);
        let is_over = |moment: &String| moment.len() == now.len() && *moment < now;
        moments.iter().any(is_over)
    }
}

/// A call and its result.
pub(crate) struct Outcome {
    pub(crate) call: Call,
    pub(crate) data: Value,
}

impl Outcome {
    pub(crate) fn succeeded(&self) -> bool {
        self.data["success"] == true
    }
}

/// Today, the time and the time zone of the person, from the prompt.
#[derive(Clone, Debug)]
pub(crate) struct Asking {
    pub(crate) today: Date,
    /// `14:05`.
    pub(crate) now: String,
    pub(crate) zone: String,
}

impl Reading {
    /// The calls, and the call before them. There is a call for each person or place.
    pub(crate) fn calls(
        &self,
        asking: &Asking,
        phrasings: &Phrasings,
    ) -> (Vec<Call>, Option<Call>) {
        let mut arguments = self.said();
        let look = arguments.remove("look").unwrap_or_default();
        let call = |tool, arguments| {
            let arguments = self.finish(tool, arguments, asking, phrasings);
            Call::new(tool, arguments)
        };
        let look = look.as_object().cloned().unwrap_or_default();
        let via = self.leads.via.map(|via| call(via, look));
        let lists = ["to", "timezone"].into_iter();
        let mut lists = lists.filter_map(|name| Some((name, arguments.get(name)?.as_array()?)));
        let Some((name, values)) = lists.next() else {
            return (vec![call(self.leads.tool, arguments)], via);
        };
        let calls = values.iter().map(|value| {
            let mut arguments = arguments.clone();
            arguments.insert(name.into(), value.clone());
            call(self.leads.tool, arguments)
        });
        (calls.collect(), via)
    }

    /// Resolves days, and computes the arguments of `with` lines.
    fn finish(
        &self,
        tool: &str,
        mut arguments: Map<String, Value>,
        asking: &Asking,
        phrasings: &Phrasings,
    ) -> Map<String, Value> {
        for name in DAYS {
            let said = arguments.get(name).map(text);
            if let Some(day) = said.and_then(|day| times::day(day, asking.today)) {
                // Mail since monday is mail since the last one.
                let weeks = i64::from(name == "since" && day > asking.today);
                let day = day.saturating_sub(weeks.weeks()).to_string();
                arguments.insert(name.into(), day.into());
            }
        }
        let (today, zone) = (asking.today.to_string(), asking.zone.as_str());
        let more = context! { today, zone, words => self.request.as_str() };
        for (name, expression) in phrasings.with(tool) {
            let said = minijinja::Value::from(Serde(&arguments));
            let value = phrasings.answers.compile_expression(expression);
            let value = value.and_then(|value| value.eval(merge_maps([said, more.clone()])));
            // The tool names an argument that can't be computed.
            match serde_json::to_value(value.unwrap_or_default()) {
                Ok(Value::Null) | Err(_) => drop(arguments.remove(*name)),
                Ok(value) => drop(arguments.insert((*name).to_owned(), value)),
            }
        }
        arguments
    }

    fn said(&self) -> Map<String, Value> {
        let mut said = json!({});
        for (path, value) in self.arguments.iter().filter(|(path, _)| !path.is_empty()) {
            put(&mut said, path, Value::clone(value));
        }
        said.as_object().cloned().unwrap_or_default()
    }

    /// The arguments of the look, and the time: answer templates refer to them as `said`.
    pub(crate) fn aside(&self, asking: &Asking) -> Value {
        let mut aside = self.said().remove("look").unwrap_or_default();
        aside["now"] = asking.now.as_str().into();
        aside
    }
}

/// Puts a value where its path says: `a.b` for a field, `a[]` for a new item of a list, `a[-]` for its last, `a/b`
/// for the two values of a range, and `a+` for the end of a text.
fn put(into: &mut Value, path: &str, value: Value) {
    if let Some((first, second)) = path.split_once('/') {
        let both = [&value[0], &value[1]].map(|one| if one.is_null() { &value } else { one });
        put(into, first, both[0].clone());
        return put(into, second, both[1].clone());
    }
    if let Some(path) = path.strip_suffix('+') {
        let longer = format!("{}{}", text(&into[path]), text(&value));
        into[path] = longer.into();
        return;
    }
    let (head, rest) = path.split_once('.').unwrap_or((path, ""));
    let name = head.trim_end_matches("[]").trim_end_matches("[-]");
    let mut slot = &mut into[name];
    if head != name {
        let mut list = slot.as_array().cloned().unwrap_or_default();
        if head.ends_with("[]") || list.is_empty() {
            list.push(Value::Null);
        }
        let last = list.len() - 1;
        *slot = list.into();
        slot = &mut slot[last];
    }
    if rest.is_empty() {
        *slot = value;
    } else {
        put(slot, rest, value);
    }
}

/// The time so many minutes later, at most midnight.
pub(crate) fn plus(start: &str, minutes: u32) -> Option<String> {
    let start = ClockTime::parse("startTime", start).ok()?;
    Some(start.plus(minutes).to_string())
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
