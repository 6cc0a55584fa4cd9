//! What the prompt says of the person and the moment.

use alfred_agent::turn::conversation;
use alfred_core::Role;
use alfred_core::ports::Message;
use jiff::civil::{Date, date};

use crate::call::Asking;

/// The lines of the system prompt that begin so.
fn lines<'a>(messages: &'a [Message], name: &'a str) -> impl Iterator<Item = &'a str> {
    let texts = messages.iter().filter_map(|message| match message {
        Message::System { text } => Some(text.as_ref()),
        _ => None,
    });
    texts
        .flat_map(str::lines)
        .filter_map(move |line| line.strip_prefix(name))
}

/// Who asks, and on what day: `Now: 2026-11-21 Saturday 14:05, time zone Europe/Berlin`.
pub(crate) fn asking(messages: &[Message]) -> Asking {
    let line = lines(messages, "Now: ").last().unwrap_or_default();
    let today: Option<Date> = line.get(..10).and_then(|day| day.parse().ok());
    Asking {
        // Only a prompt that isn't Alfred's has no moment.
        today: today.unwrap_or(date(1970, 1, 1)),
        now: line.split([' ', ',']).nth(2).unwrap_or("00:00").to_owned(),
        zone: line
            .split("time zone ")
            .nth(1)
            .unwrap_or("UTC")
            .trim()
            .to_owned(),
    }
}

pub(crate) fn role(messages: &[Message]) -> Option<Role> {
    let line = lines(messages, "Role: ").next()?;
    serde_json::from_value(line.split_whitespace().next()?.into()).ok()
}

/// The proposal in whose form the request was written.
pub(crate) fn proposal(messages: &[Message]) -> Option<&str> {
    let waits = messages.iter().find_map(|message| match message {
        Message::User { text } => text.strip_suffix(conversation::IN_ITS_FORM),
        _ => None,
    })?;
    waits.split_once("\n- ")?.1.split(' ').next()
}

/// What the person asked last: its place among the messages, and its words. A yes to a
/// spelling that was offered is the request in that spelling.
pub(crate) fn asked(messages: &[Message]) -> Option<(usize, String)> {
    let (at, words) = conversation::request(messages)?;
    let yes = ["yes", "y", "yep", "yeah", "yes please", "ok", "sure"];
    let said = words.trim().trim_end_matches(['.', '!']).to_lowercase();
    // Notes, such as the list of what waits for approval, may stand between the answer and the "yes".
    let answer = messages[..at]
        .iter()
        .rev()
        .find_map(|message| match message {
            Message::Assistant { text, .. } => Some(text),
            _ => None,
        });
    let offered = answer.and_then(|answer| crate::decline::offered(answer));
    let request = offered.filter(|_| yes.contains(&said.as_str()));
    Some((at, request.unwrap_or(words).to_owned()))
}
