//! What there is to do.

use super::{Call, Reading, Wanted};
use crate::model::demo::dates::{self, Now};
use crate::model::demo::lex::{Word, has};

/// `task_viewTasks`.
pub(super) fn view(words: &[Word], now: &Now) -> Reading {
    let overdue = has(
        words,
        &[
            "overdue",
            "past due",
            "past their due date",
            "tasks are late",
            "late tasks",
            "behind schedule",
        ],
    );
    let noun = has(
        words,
        &[
            "tasks",
            "task",
            "todos",
            "todo",
            "to-dos",
            "to-do",
            "to do list",
            "backlog",
            "my list",
        ],
    );
    let asks = has(
        words,
        &[
            "show",
            "open",
            "list",
            "what",
            "whats",
            "which",
            "any",
            "how many",
            "view",
            "see",
            "display",
            "give",
            "my",
            "get",
            "are",
            "do i have",
        ],
    );
    let alone = words.iter().all(|word| {
        [
            "my", "the", "tasks", "todos", "to-dos", "backlog", "todo", "list",
        ]
        .contains(&word.low.as_str())
    });
    let question = has(
        words,
        &[
            "what should i do",
            "what should i work on",
            "whats most important",
            "whats left to do",
            "what is left to do",
            "what do i have to do",
            "what do i need to do",
            "anything to do",
            "things to do",
            "work to do",
        ],
    );
    let finished = has(
        words,
        &[
            "i finished",
            "i completed",
            "ive finished",
            "ive done",
            "ive completed",
            "i have done",
        ],
    ) && has(words, &["show", "list", "what", "everything"]);
    let important = has(words, &["to do"]) && has(words, &["important", "urgent", "anything"]);
    let changes = has(
        words,
        &[
            "delete", "remove", "complete", "finish", "move", "assign", "close",
        ],
    );
    let late = overdue && (asks || words.len() <= 3);
    let due = (noun || asks) && has(words, &["due"]);
    if !(noun && (asks || alone) || question || finished || important || late || due) || changes {
        return None;
    }
    let mut call = Call::new("task_viewTasks");
    if finished || has(words, &["completed", "done", "finished"]) {
        call = call.with("status", "completed");
    } else if has(words, &["backlog", "unscheduled"]) {
        call = call.with("status", "backlog");
    } else if has(words, &["scheduled", "planned"]) {
        call = call.with("status", "scheduled");
    }
    if has(
        words,
        &[
            "high",
            "high-priority",
            "urgent",
            "important",
            "top",
            "critical",
        ],
    ) {
        call = call.with("priority", "high");
    } else if has(words, &["medium", "medium-priority", "normal"]) {
        call = call.with("priority", "medium");
    } else if has(words, &["low", "low-priority"]) {
        call = call.with("priority", "low");
    }
    let score = words
        .iter()
        .position(|word| word.low == "score" || word.low == "scores");
    let least = score.and_then(|place| {
        words[place..]
            .iter()
            .find_map(|word| word.low.parse::<i64>().ok())
    });
    if let Some(least) = least {
        call = call.with("minScore", least);
    }
    Some(Ok(vec![match due_days(words, overdue, now) {
        Some(due) => due.of(call),
        None => call,
    }]))
}

/// The days on which tasks are due that were asked about, both included.
struct Due {
    from: Option<String>,
    until: Option<String>,
    /// "You have two tasks that are …".
    said: String,
}

impl Due {
    fn of(self, mut call: Call) -> Call {
        if let Some(from) = self.from {
            call = call.with("dueFrom", from);
        }
        if let Some(until) = self.until {
            call = call.with("dueUntil", until);
        }
        call.wanting(Wanted::Due(self.said))
    }
}

/// "overdue", "due this week", "due today", "due by Friday".
fn due_days(words: &[Word], overdue: bool, now: &Now) -> Option<Due> {
    if overdue {
        let yesterday = now.date.and_then(|today| today.yesterday().ok());
        return Some(Due {
            from: None,
            until: Some(yesterday.map_or_else(|| "yesterday".into(), |day| day.to_string())),
            said: "overdue".into(),
        });
    }
    let due = words.iter().position(|word| word.low == "due")?;
    for place in due + 1..words.len() {
        let Some((day, _)) = dates::day(words, place, now) else {
            continue;
        };
        let up_to = matches!(
            words[place - 1].low.as_str(),
            "by" | "until" | "before" | "till"
        );
        return Some(Due {
            said: format!("due {}{}", if up_to { "by " } else { "on " }, day),
            from: (!up_to).then(|| day.clone()),
            until: Some(day),
        });
    }
    let (from, until) = dates::whole_week(&words[due..], now)?;
    Some(Due {
        said: format!("due from {from} to {until}"),
        from: Some(from),
        until: Some(until),
    })
}
