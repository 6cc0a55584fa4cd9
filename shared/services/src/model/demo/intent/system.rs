//! Proposals, what was done, habits, and what is forgotten.

use super::{Call, Reading};
use crate::model::demo::dates::Now;
use crate::model::demo::lex::{Word, at, has};

/// The workflows by words for what they work on.
const WORKFLOWS: [(&[&str], &str); 3] = [
    (
        &[
            "triage", "triages", "mail", "inbox", "email", "mails", "emails",
        ],
        "workflow_fillEmailBlock",
    ),
    (
        &["work block", "block", "filling"],
        "workflow_fillWorkBlock",
    ),
    (
        &[
            "day plan",
            "day plans",
            "my day",
            "the day",
            "my plan",
            "planning",
            "schedule",
        ],
        "workflow_schedule",
    ),
];
fn workflow(words: &[Word]) -> Option<&'static str> {
    let found = WORKFLOWS.iter().find(|(named, _)| has(words, named));
    found.map(|(_, tool)| *tool)
}

fn looks(words: &[Word]) -> bool {
    let verbs = [
        "show", "list", "see", "view", "display", "give", "let", "what", "whats", "which", "any",
        "do", "are", "could", "have",
    ];
    words
        .first()
        .is_some_and(|word| verbs.contains(&word.low.as_str()))
}

/// `system_showWorkflowHistory`: "what were the last 5 workflows you ran".
pub(super) fn history(words: &[Word], _: &Now) -> Reading {
    let history = has(
        words,
        &[
            "workflow history",
            "history of my plans",
            "history of plans",
            "history of my triages",
            "history of workflows",
            "history of triages",
            "planning history",
            "triage history",
        ],
    );
    let things = has(words, &["workflows", "triages", "day plans", "plans"]);
    let done = has(
        words,
        &[
            "you ran",
            "have you run",
            "you did",
            "you carried out",
            "you made",
            "youve made",
            "youve run",
            "you have run",
            "did you run",
            "were run",
        ],
    );
    if !(history || things && done && looks(words)) {
        return None;
    }
    let mut call = Call::new("system_showWorkflowHistory");
    let named = words
        .iter()
        .find(|word| ["triages", "triage"].contains(&word.low.as_str()));
    if named.is_some() {
        call = call.with("workflowType", "workflow_fillEmailBlock");
    } else if has(words, &["day plans"]) {
        call = call.with("workflowType", "workflow_schedule");
    }
    if let Some(limit) = words.iter().find_map(number) {
        call = call.with("limit", limit);
    }
    if has(words, &["details", "detail", "detailed"]) {
        call = call.with("includeDetails", true);
    }
    Some(Ok(vec![call]))
}

fn number(word: &Word) -> Option<u32> {
    const WORDS: [&str; 10] = [
        "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    ];
    let place = WORDS.iter().position(|one| *one == word.low);
    let written = place.and_then(|place| u32::try_from(place + 1).ok());
    let number = written.or_else(|| word.low.parse().ok());
    number.filter(|number| (1..=100).contains(number))
}

/// `system_showPatterns`: "what patterns do you see this month", "what did I say about lunch".
pub(super) fn patterns(words: &[Word], _: &Now) -> Reading {
    let said = [
        "what did i say about",
        "what did i tell you about",
        "what have i said about",
        "what have i told you about",
    ];
    if said
        .iter()
        .any(|opening| at(words, 0, &opening.split(' ').collect::<Vec<_>>()))
    {
        let call = Call::new("system_showPatterns").with("timeframe", "all_time");
        return Some(Ok(vec![call.with("about", vec!["feedback"])]));
    }
    if !(has(words, &["patterns", "habits"]) && looks(words)) {
        return None;
    }
    let mut call = Call::new("system_showPatterns");
    if has(words, &["month", "30 days", "four weeks"]) {
        call = call.with("timeframe", "month");
    } else if has(words, &["all time", "ever", "year", "overall", "so far"]) {
        call = call.with("timeframe", "all_time");
    } else if has(words, &["week", "7 days"]) {
        call = call.with("timeframe", "week");
    }
    let about: &[(&[&str], &[&str])] = &[
        (
            &["mail", "email", "inbox", "triage"],
            &["mail", "proposals"],
        ),
        (&["meeting", "meetings"], &["meetings"]),
        (&["task", "tasks"], &["tasks"]),
        (&["feedback"], &["feedback"]),
    ];
    if let Some((_, about)) = about.iter().find(|(named, _)| has(words, named)) {
        call = call.with("about", about.to_vec());
    }
    Some(Ok(vec![call]))
}

/// `approval_list`: "what proposals are waiting".
pub(super) fn waiting(words: &[Word], _: &Now) -> Reading {
    let things = has(words, &["proposals", "approvals", "proposal"])
        && has(words, &["waiting", "pending", "open", "wait", "undecided"]);
    let mine = has(
        words,
        &[
            "waiting for my approval",
            "waiting for me",
            "waiting on me",
            "waits for my approval",
            "needs my approval",
            "wait for my approval",
        ],
    );
    if !(looks(words) && (things || mine)) {
        return None;
    }
    Some(Ok(vec![Call::new("approval_list")]))
}

/// `system_presentProposal` and `system_awaitConfirmation`: "show that proposal again", "did I approve it".
pub(super) fn proposal(words: &[Word], _: &Now) -> Reading {
    let proposal = has(
        words,
        &[
            "proposal",
            "you proposed",
            "did you propose",
            "your proposal",
        ],
    );
    if !proposal {
        return None;
    }
    let asks = [&["did", "i"][..], &["have", "i"], &["is"], &["was"]];
    let decided = has(
        words,
        &[
            "approve",
            "approved",
            "confirm",
            "confirmed",
            "decided",
            "decide",
            "accepted",
            "accept",
        ],
    );
    if decided && asks.iter().any(|opening| at(words, 0, opening)) {
        return Some(Ok(vec![Call::new("system_awaitConfirmation")]));
    }
    let shows = looks(words) && !has(words, &["proposals"]);
    (shows && !decided).then(|| Ok(vec![Call::new("system_presentProposal")]))
}

/// `system_clearContext`: "forget our conversation", "clear the proposals".
pub(super) fn forget(words: &[Word], _: &Now) -> Reading {
    let forgets = [
        "forget", "clear", "reset", "wipe", "erase", "discard", "drop", "dismiss", "cancel",
    ];
    let verb = words.first()?.low.as_str();
    if !forgets.contains(&verb) || words.len() > 9 {
        return None;
    }
    let conversation = [
        "conversation",
        "chat",
        "we talked about",
        "we discussed",
        "i said",
        "we said",
    ];
    let scope = if has(words, &["proposals", "all proposals"]) {
        "proposals"
    } else if has(words, &["workflow state", "workflows"]) {
        "workflow_state"
    } else if ["drop", "dismiss", "cancel", "discard"].contains(&verb) {
        return None;
    } else if has(words, &conversation) {
        "conversation"
    } else if has(words, &["context", "everything"]) && verb != "forget"
        || at(words, 0, &["forget", "everything"]) && words.len() == 2
    {
        "all"
    } else {
        return None;
    };
    Some(Ok(vec![
        Call::new("system_clearContext").with("scope", scope),
    ]))
}

/// `system_resumeWorkflow`: "go on with my triage", "pick up where you left off".
pub(super) fn resume(words: &[Word], _: &Now) -> Reading {
    const OPENINGS: [&[&str]; 9] = [
        &["go", "on", "with"],
        &["carry", "on", "with"],
        &["keep", "going", "with"],
        &["continue", "with"],
        &["continue"],
        &["resume"],
        &["finish"],
        &["get", "on", "with"],
        &["pick", "up"],
    ];
    let opening = OPENINGS.iter().find(|opening| at(words, 0, opening))?;
    let rest = &words[opening.len()..];
    let left_off = has(
        words,
        &[
            "where you left off",
            "where we left off",
            "where it stopped",
            "where you stopped",
        ],
    );
    let named = workflow(rest);
    let mine = has(rest, &["my", "the", "that", "our"]);
    let yours = has(
        rest,
        &["you started", "you began", "workflow", "triage", "plan"],
    ) || opening.len() == 3;
    if rest.len() > 8
        || !(left_off || has(rest, &["workflow", "workflows"]) || named.is_some() && mine && yours)
    {
        return None;
    }
    let call = Call::new("system_resumeWorkflow");
    Some(Ok(vec![match named {
        Some(workflow) => call.with("workflowType", workflow),
        None => call,
    }]))
}
