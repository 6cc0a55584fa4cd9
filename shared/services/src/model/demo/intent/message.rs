//! Messages to others.

use super::{Call, Reading, punctuated};
use crate::model::demo::dates::{self, Now};
use crate::model::demo::lex::{Word, at};

/// "tell Ben that I'm late", "message #general: lunch is here": `slack_sendMessage`.
pub(super) fn send(words: &[Word], _: &Now) -> Reading {
    const OPENINGS: [&[&str]; 8] = [
        &["send", "a", "message", "to"],
        &["write", "a", "message", "to"],
        &["send", "a", "dm", "to"],
        &["message"],
        &["tell"],
        &["dm"],
        &["let"],
        &["inform"],
    ];
    let opening = OPENINGS.iter().find(|opening| at(words, 0, opening))?;
    let rest = &words[opening.len()..];
    let end = rest.iter().take(4).position(|word| {
        matches!(word.low.as_str(), "that" | "know" | "saying") || word.end == Some(':')
    })?;
    let colon = rest[end].end == Some(':');
    let to = &rest[..end + usize::from(colon)];
    let mut said = &rest[end + 1..];
    while let [first, behind @ ..] = said
        && !colon
        && matches!(first.low.as_str(), "that" | "know")
    {
        said = behind;
    }
    let me = matches!(to, [one] if ["me", "us", "myself"].contains(&one.low.as_str()));
    if to.is_empty() || said.is_empty() || me {
        return None;
    }
    let call = Call::new("slack_sendMessage")
        .with("to", super::written(to))
        .with("text", dates::capitalised(&punctuated(said)));
    Some(Ok(vec![call]))
}
