//! Reads the person's request and moment from the messages.

use alfred_agent::turn::conversation;
use alfred_core::Role;
use alfred_core::ports::Message;
use jiff::civil::{Date, date};

use crate::call::Asking;

/// The rest of the system prompt's lines that begin like this.
fn lines<'a>(messages: &'a [Message], name: &'a str) -> impl Iterator<Item = &'a str> {
    let texts = messages.iter().filter_map(|message| match message {
        Message::System { text } => Some(text.as_ref()),
        _ => None,
    });
    let lines = texts.flat_map(str::lines);
    lines.filter_map(move |line| line.strip_prefix(name))
}

/// From the line `Now: 2026-11-21 Saturday 14:05, time zone Europe/Berlin`.
pub(crate) fn asking(messages: &[Message]) -> Asking {
    let line = lines(messages, "Now: ").last().unwrap_or_default();
    let today: Option<Date> = line.get(..10).and_then(|day| day.parse().ok());
    let zone = line.split_once("time zone ").map(|(_, zone)| zone.trim());
    Asking {
        // Only a prompt that isn't Alfred's has no moment.
        today: today.unwrap_or(date(1970, 1, 1)),
        now: line.split([' ', ',']).nth(2).unwrap_or("00:00").to_owned(),
        zone: zone.unwrap_or("UTC").to_owned(),
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
