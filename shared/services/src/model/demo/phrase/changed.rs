//! What became of a block or task, in words.

use super::plan::task;
use super::{Outcome, long_date, spaced, text};
use serde_json::Value;

/// The sentence about a change. Its title is the tool's; the one it was found by, or the words it was named by, where the tool gives none.
pub(super) fn changed(outcome: &Outcome, found: Option<&str>) -> String {
    let data = &outcome.data;
    let title = |field: &str, id: &str| {
        let own = data[field]["title"].as_str();
        let named = outcome.arguments[id].as_str();
        own.or(found).or(named).unwrap_or_default().to_owned()
    };
    match outcome.tool.as_str() {
        "schedule_deleteTimeBlock" => format!(
            "**{}** is off your schedule{}.",
            title("deleted", "blockId"),
            released(data)
        ),
        "schedule_moveTimeBlock" => moved(outcome, &title("block", "blockId")),
        "task_deleteTask" => format!("The task **{}** is deleted.", title("deleted", "taskId")),
        "task_completeTask" => format!("**{}** is done.", title("task", "taskId")),
        _ => updated(data, &title("task", "taskId")),
    }
}

/// Tasks that went back to the backlog.
fn released(data: &Value) -> String {
    match data["releasedTasks"].as_array().map_or(0, Vec::len) {
        0 => String::new(),
        1 => "; its task is back in your backlog".into(),
        tasks => format!("; its {tasks} tasks are back in your backlog"),
    }
}

fn moved(outcome: &Outcome, title: &str) -> String {
    let asked = |name: &str| outcome.arguments[name].as_str();
    let start = outcome.data["block"]["startTime"]
        .as_str()
        .or(asked("newStartTime"))
        .unwrap_or_default();
    let day = asked("newDate").map(|asked| outcome.data["date"].as_str().unwrap_or(asked));
    match day {
        Some(day) => format!("**{title}** starts at {start} on {} now.", long_date(day)),
        None => format!("**{title}** starts at {start} now."),
    }
}

fn updated(data: &Value, title: &str) -> String {
    let changed: Vec<String> = super::list(data, "changed")
        .iter()
        .filter_map(Value::as_str)
        .map(spaced)
        .collect();
    if text(&data["task"], "title").is_empty() {
        return format!("**{title}** is changed.");
    }
    match changed.is_empty() {
        true => format!("Changed: {}.", task(&data["task"])),
        false => format!(
            "Changed the {}: {}.",
            changed.join(" and "),
            task(&data["task"])
        ),
    }
}
