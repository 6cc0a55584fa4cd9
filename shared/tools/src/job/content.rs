//! What a job does, as it is said.

use alfred_agent::DirectCall;
use alfred_agent::schedule::{Does, Kind, Meetings};
use alfred_planner::InputError;

use crate::focus::make_room;
use crate::prelude::*;

const REVIEW_REQUEST: &str = "Review my day with me: which tasks were done, which are left, and what tomorrow begins with. Short.";

/// Characters of a name (annex 1).
const MAX_NAME: usize = 100;
/// Characters of a name that is made of what is done.
const SHORT_NAME: usize = 60;
/// Characters of what is said or asked.
const MAX_WORDS: usize = 2_000;

/// Words to say, or a request, if either is given.
///
/// # Errors
/// Both, or one that is empty or too long.
pub(super) fn does(say: Option<&str>, request: Option<&str>) -> Result<Option<Does>, InputError> {
    match (say, request) {
        (None, None) => Ok(None),
        (Some(say), None) => Ok(Some(Does::Say {
            text: words("say", say)?,
        })),
        (None, Some(request)) => Ok(Some(Does::Ask {
            request: words("request", request)?,
        })),
        (Some(_), Some(request)) => {
            let problem = "doesn't go with say: give the words to say, or what is to be done.";
            Err(InputError::new("request", request, problem))
        }
    }
}

fn words(field: &str, text: &str) -> Result<String, InputError> {
    let text = text_up_to(field, text, MAX_WORDS)?;
    match text.is_empty() {
        true => Err(InputError::new(field, "", "is empty.")),
        false => Ok(text),
    }
}

/// A name on one line.
///
/// # Errors
/// Empty or too long.
pub(super) fn name(text: &str) -> Result<String, InputError> {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text_up_to("name", &line, MAX_NAME)? {
        name if name.is_empty() => Err(InputError::new("name", text, "is empty.")),
        name => Ok(name),
    }
}

/// What a job is called that was given no name: how its words begin.
pub(super) fn name_of(does: &Does) -> String {
    let words = words_of(does).0;
    let line = words.split_whitespace().collect::<Vec<_>>().join(" ");
    alfred_agent::respond::head(&line, SHORT_NAME)
}

/// What one of a kind does each time.
pub(super) fn standard(kind: Kind, meetings: Meetings) -> Does {
    let ask = |request: &str| Does::Ask {
        request: request.into(),
    };
    match kind {
        Kind::Brief => ask(
            "Briefly show my meetings today, my tasks and my unread mail, the most pressing first.",
        ),
        Kind::Review => ask(REVIEW_REQUEST),
        Kind::MeetingReminder => Does::Meetings(meetings),
        Kind::FocusGuard => Does::Call(DirectCall {
            tool: make_room::NAME.into(),
            arguments: json!({}),
            consent: None,
            left: None,
            printed: false,
        }),
    }
}

/// What one of a kind is called.
pub(super) fn name_of_kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Brief => "Morning brief",
        Kind::Review => "Evening review",
        Kind::FocusGuard => "Focus guard",
        Kind::MeetingReminder => "Meeting reminders",
    }
}

/// Its words, and the argument they are.
pub(super) fn words_of(does: &Does) -> (&str, &'static str) {
    match does {
        Does::Say { text } => (text, "say"),
        Does::Ask { request } => (request, "request"),
        // The guard's, the only one there is.
        Does::Call(_) => (
            "Tell me when a meeting lands on one of my focus blocks, and offer to move the block.",
            "request",
        ),
        Does::Meetings(_) => (
            "What the meeting is, where, who comes, and what is known of it.",
            "tells",
        ),
    }
}

/// Whether it only says something.
pub(super) fn is_reminder(does: &Does) -> bool {
    matches!(does, Does::Say { .. })
}
