//! Proposals, history, habits and what waits, in words.

use serde_json::Value;

use super::{Outcome, bullets, list, number, text};

/// The workflows that a resumed one may lead to.
const WORKFLOWS: [&str; 3] = [
    "workflow_schedule",
    "workflow_fillWorkBlock",
    "workflow_fillEmailBlock",
];

/// The calls that what was resumed leads to, exactly as they were given.
pub(super) fn next(outcome: &Outcome) -> Vec<(&'static str, Value)> {
    if outcome.tool != "system_resumeWorkflow" || !outcome.succeeded() {
        return Vec::new();
    }
    let all = list(&outcome.data, "workflows").iter();
    let calls = all.flat_map(|one| list(one, "next"));
    let call = |call: &Value| {
        let tool = WORKFLOWS.iter().find(|tool| **tool == text(call, "tool"))?;
        Some((*tool, call["arguments"].clone()))
    };
    calls.filter_map(call).collect()
}

/// `system_showWorkflowHistory`.
pub(super) fn history(data: &Value) -> String {
    let line = |one: &Value| {
        let when = text(one, "executedAt").get(..10).unwrap_or_default();
        let status = match text(one, "status") {
            "completed" => String::new(),
            status => format!(" ({status})"),
        };
        format!(
            "{when} {}{status}: {}",
            named(text(one, "type")),
            text(one, "outcome")
        )
    };
    match list(data, "workflows") {
        [] => "Nothing was carried out yet.".into(),
        all => format!(
            "Carried out, the newest first:{}",
            bullets(all.iter().map(line))
        ),
    }
}

fn named(workflow: &str) -> &str {
    match workflow {
        "workflow_schedule" => "plan of a day",
        "workflow_fillWorkBlock" => "filled work block",
        "workflow_fillEmailBlock" => "triage",
        other => other,
    }
}

/// `system_showPatterns`.
pub(super) fn patterns(data: &Value) -> String {
    let line = |one: &Value| {
        let percent = (number(one, "confidence").unwrap_or_default() * 100.0).round();
        let examples: Vec<&str> = list(one, "examples")
            .iter()
            .filter_map(Value::as_str)
            .collect();
        format!(
            "{} ({percent} % sure; {})",
            text(one, "pattern"),
            examples.join("; ")
        )
    };
    match list(data, "patterns") {
        [] => "I see no pattern yet: each needs three observations that agree.".into(),
        all => format!("This is what I see:{}", bullets(all.iter().map(line))),
    }
}

/// `system_presentProposal`.
pub(super) fn proposal(data: &Value) -> String {
    let state = match text(data, "status") {
        "" | "pending" => "It waits for you on its card.".to_owned(),
        status => format!("It is {status}."),
    };
    format!("{}\n{state}", text(data, "text"))
}

/// `system_awaitConfirmation`.
pub(super) fn state(data: &Value) -> String {
    let proposal = &data["proposal"];
    match text(proposal, "status") {
        "pending" => format!("**{}** still waits for you.", text(proposal, "title")),
        status => format!("**{}** is {status}.", text(proposal, "title")),
    }
}

/// `approval_list`.
pub(super) fn waiting(data: &Value) -> String {
    match list(data, "approvals") {
        [] => "Nothing waits for you.".into(),
        all => {
            let line = |one: &Value| format!("**{}**", text(one, "title"));
            format!(
                "This waits for your decision:{}",
                bullets(all.iter().map(line))
            )
        }
    }
}

/// `system_clearContext`.
pub(super) fn forgotten(data: &Value) -> String {
    let count = |name: &str| number(data, name).unwrap_or_default();
    format!(
        "Forgotten: {} exchanges of this conversation; called off: {} proposals.",
        count("exchangesForgotten"),
        count("proposalsCalledOff")
    )
}

/// `system_resumeWorkflow`.
pub(super) fn resumed(data: &Value) -> String {
    let line = |one: &Value| format!("{}: {}", named(text(one, "type")), text(one, "message"));
    match list(data, "workflows") {
        [] => text(data, "message").to_owned(),
        all => bullets(all.iter().map(line)).trim_start().to_owned(),
    }
}

/// `schedule_viewWeek`: a line a day, with its blocks.
pub(super) fn week(data: &Value) -> String {
    let line = |day: &Value| {
        let blocks = list(day, "blocks").iter();
        let blocks: Vec<String> = blocks
            .map(|block| {
                format!(
                    "{}–{} {}",
                    text(block, "startTime"),
                    text(block, "endTime"),
                    text(block, "title")
                )
            })
            .collect();
        let what = if blocks.is_empty() {
            "nothing".to_owned()
        } else {
            blocks.join(", ")
        };
        format!("{}: {what}", super::long_date(text(day, "date")))
    };
    match list(data, "days") {
        [] => super::plain(data),
        days => format!("Your week:{}", bullets(days.iter().map(line))),
    }
}
