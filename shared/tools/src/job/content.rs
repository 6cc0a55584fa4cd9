//! The text, request or call that a job carries out, and its name.

use alfred_agent::DirectCall;
use alfred_core::text::one_line;
use alfred_schedule::{Does, Kind, Meetings};

use crate::focus::make_room;
use crate::prelude::*;

const REVIEW_REQUEST: &str = "Review my day with me: which tasks were done, which are left, and what tomorrow begins with. Short.";

/// In characters, for a name made from the job's words.
const SHORT_NAME: usize = 60;
/// The words of a reminder or a request, of at most 2,000 characters.
pub(super) type Said = Words<2_000>;
/// At most 100 characters.
pub(super) type Name = Words<100>;

/// The text of a reminder or a request, if given. Refuses both together.
pub(super) fn does(say: Option<Said>, request: Option<Said>) -> Result<Option<Does>> {
    let words = |said: Said| said.value;
    match (say.map(words), request.map(words)) {
        (None, None) => Ok(None),
        (Some(text), None) => Ok(Some(Does::Say { text })),
        (None, Some(request)) => Ok(Some(Does::Ask { request })),
        (Some(_), Some(request)) => {
            let problem = "doesn't go with say: give the words to say, or what is to be done.";
            Err(refused("request", &request, problem))
        }
    }
}

/// The default name of a job: the beginning of its words, on one line.
pub(super) fn name_of(does: &Does) -> String {
    alfred_agent::slack::respond::head(&one_line(words_of(does).0), SHORT_NAME)
}

/// What a standard job of this kind does each time.
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

pub(super) fn name_of_kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Brief => "Morning brief",
        Kind::Review => "Evening review",
        Kind::FocusGuard => "Focus guard",
        Kind::MeetingReminder => "Meeting reminders",
    }
}

pub(super) fn words_of(does: &Does) -> (&str, &'static str) {
    match does {
        Does::Say { text } => (text, "say"),
        Does::Ask { request } => (request, "request"),
        // The focus guard is the only job with a call.
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
