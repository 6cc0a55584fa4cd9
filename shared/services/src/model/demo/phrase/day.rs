//! Free time, the use of a day and proposals in words.

use serde_json::Value;

use super::plan::{block, minutes, task};
use super::{bullets, day, list, number, text, with_note};

/// `schedule_findGaps`.
pub(super) fn gaps(data: &Value) -> String {
    let gaps = list(data, "gaps");
    let gap = |gap: &Value| {
        let (start, end) = (text(gap, "startTime"), text(gap, "endTime"));
        format!(
            "{start}–{end} ({})",
            minutes(number(gap, "duration").unwrap_or_default())
        )
    };
    let answer = match gaps {
        [] => format!("There is no free time of that length on {}.", day(data)),
        gaps => {
            let total = number(data, "totalAvailableMinutes").unwrap_or_default();
            let listed = bullets(gaps.iter().map(gap));
            format!("Free on {}, {} in all:{listed}", day(data), minutes(total))
        }
    };
    noted(answer, data)
}

/// `schedule_analyzeUtilization`.
pub(super) fn utilization(data: &Value) -> String {
    let minutes_of = |name: &str| minutes(number(data, name).unwrap_or_default());
    let mut answer = format!(
        "{} is {} % planned, with {} of focus and {} lost in short gaps.",
        day(data),
        number(data, "utilization").unwrap_or_default(),
        minutes_of("focusTime"),
        minutes_of("fragmentedTime"),
    );
    let suggestions = list(data, "suggestions").iter().filter_map(Value::as_str);
    answer.push_str(&bullets(suggestions.map(str::to_owned)));
    noted(answer, data)
}

fn noted(answer: String, data: &Value) -> String {
    match list(data, "gaps").is_empty() && list(data, "suggestions").is_empty() {
        true => with_note(answer, data.get("note")),
        false => match text(data, "note") {
            "" => answer,
            note => with_note(format!("{answer}\n"), Some(&Value::String(note.into()))),
        },
    }
}

/// `task_suggestForDuration`.
pub(super) fn suggestions(data: &Value) -> String {
    let one = |(n, suggestion): (usize, &Value)| {
        let tasks = list(suggestion, "combination").iter().map(task);
        let length = minutes(number(suggestion, "totalMinutes").unwrap_or_default());
        format!("*{}.* {length}:{}", n + 1, bullets(tasks))
    };
    let all: Vec<String> = list(data, "suggestions")
        .iter()
        .enumerate()
        .map(one)
        .collect();
    match all.as_slice() {
        [] => "None of the tasks in your backlog fits into that time.".into(),
        [only] => format!("This fits. {}", only.trim_start_matches("*1.* ")),
        several => format!(
            "These fit; each number is one way to use the time.\n{}",
            several.join("\n")
        ),
    }
}

/// What a workflow came to, or why there is nothing to propose.
pub(super) fn workflow(data: &Value) -> String {
    let mut parts: Vec<String> = match text(data, "phase") {
        "cancelled" => vec!["All right, I changed nothing.".into()],
        "completed" => vec![text(data, "summary").to_owned()],
        _ => vec![text(data, "message").to_owned()],
    };
    parts.push(text(data, "problem").to_owned());
    // A triage names what failed by ids, which mean nothing to the person: its summary counts them.
    let is_triage = data.get("archived").is_some();
    for (field, head) in [
        ("blocks", "On your schedule:"),
        ("conflicts", "Not created:"),
        ("failed", "Did not work:"),
        ("notes", "Good to know:"),
    ] {
        if is_triage && field == "failed" {
            continue;
        }
        let lines: Vec<String> = list(data, field)
            .iter()
            .map(line)
            .filter(|line| !line.is_empty())
            .collect();
        if !lines.is_empty() {
            parts.push(format!("{head}{}", bullets(lines.into_iter())));
        }
    }
    let said: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    match said.is_empty() {
        true => "There was nothing to propose.".into(),
        false => said.join("\n"),
    }
}

/// A part of a workflow's result: a sentence, a block, or something with the reason why it was left.
fn line(value: &Value) -> String {
    let reason = text(value, "reason");
    match value {
        Value::String(text) => text.clone(),
        value if value.get("block").is_some() => {
            let wanted = &value["block"];
            let (start, end) = (text(wanted, "startTime"), text(wanted, "endTime"));
            format!("{start}–{end} **{}**: {reason}", text(wanted, "title"))
        }
        value if reason.is_empty() => block(value),
        _ => reason.to_owned(),
    }
}
