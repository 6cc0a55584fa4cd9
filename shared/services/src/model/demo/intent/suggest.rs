//! What to do with the time there is.

use super::{Call, Reading, slot};
use crate::model::demo::dates::Now;
use crate::model::demo::lex::{Word, at, has};

pub(super) const TOOL: &str = "task_suggestForDuration";

/// `task_suggestForDuration`: a length of time and the question what to do with it, in one sentence or two.
pub(super) fn tasks(words: &[Word], _: &Now) -> Reading {
    let asks = has(
        words,
        &[
            "what should i work on",
            "what should i do",
            "what can i do",
            "what can i get done",
            "what could i get done",
            "what could i do",
            "what can i finish",
            "what fits",
            "what can i work on",
            "what would you suggest",
            "what do you suggest",
            "any quick wins",
            "quick win",
            "quick wins",
            "give me something",
            "give me tasks",
            "something to do",
            "to kill",
            "what shall i do",
            "what to do",
            "which tasks fit",
            "what tasks fit",
            "which task",
            "which tasks",
            "what can i tackle",
            "what should i tackle",
            "fits into",
        ],
    ) || at(words, 0, &["suggest"])
        || at(words, 0, &["recommend"]);
    let other = has(
        words,
        &[
            "block", "mail", "email", "emails", "inbox", "remind", "add", "show", "list",
            "meeting", "with", "estimate", "plan", "archive", "stop", "dont", "delete", "create",
            "move",
        ],
    );
    if !asks || other {
        return None;
    }
    let mut taken = vec![false; words.len()];
    let minutes = slot::take_length(words, &mut taken).or_else(|| super::gaps::counted(words))?;
    let call = Call::new(TOOL)
        .with("duration", minutes)
        .with("strategy", strategy(words));
    Some(Ok(vec![call]))
}

fn strategy(words: &[Word]) -> &'static str {
    if has(
        words,
        &[
            "quick",
            "quick wins",
            "small",
            "short",
            "easy",
            "as many",
            "many",
        ],
    ) {
        "quick_wins"
    } else if has(
        words,
        &[
            "important",
            "matters",
            "priority",
            "urgent",
            "pressing",
            "priorities",
        ],
    ) {
        "priority"
    } else {
        "mixed"
    }
}
