//! Finds an event by id or by words. Also its people, and changes of them.

use alfred_core::id::EventId;
use alfred_core::ports::{Event, EventChange, EventTime, Mailbox, Span};
use std::collections::HashMap;

use super::with_people;
use crate::email::line;
use crate::fields::{LISTED, MAX_WORDS, NOTHING_WOULD_CHANGE, refused_found, unclear, words_up_to};
use crate::fold::every_word;
use crate::prelude::*;

const FIELD: &str = "eventId";
/// How far ahead the search by words looks.
const AHEAD: SignedDuration = SignedDuration::from_hours(31 * 24);
/// How far back it looks first: events that began today can still be moved.
const BACK: SignedDuration = SignedDuration::from_hours(24);

/// Finds the event with this id, or the only one from yesterday to next month with these words in its title, people or
/// description; of a series, the next date. Fails if none or several match, or one that was in the month before; errors
/// have no text of the events.
pub async fn one(context: &ToolContext, named: &str) -> Result<Event> {
    let empty = "is empty. Give the event's id, or words of its title or people.";
    let named = words_up_to(FIELD, named, MAX_WORDS, empty)?;
    let (account, calendar) = (context.account(), &context.accounts.calendar);
    let found = calendar.event(&account, &EventId(named.clone())).await;
    if let Some(event) = found.map_err(not_read)? {
        return Ok(event);
    }
    let at = |from_now| context.began.saturating_add(from_now).map_err(Failure::bug);
    let words = fold(&named);
    let mut fitting: Vec<Event> = Vec::new();
    for (from, to) in [(-BACK, AHEAD), (-AHEAD, -BACK)] {
        let (start, end) = (at(from)?, at(to)?);
        let page = calendar.events(&account, Span { start, end }).await;
        fitting = page.map_err(not_read)?.events;
        fitting.retain(|event| fits(event, &words));
        keep_next_dates(context, &mut fitting);
        match fitting.as_slice() {
            [] => {}
            [event] if to < AHEAD => ahead(context, event)?,
            _ => break,
        }
    }
    match fitting.len() {
        0 => {
            let error = refused(FIELD, &named, "isn't in the calendar within a month.");
            Err(error.hint("Give its id or its words."))
        }
        1 => Ok(fitting.remove(0)),
        _ => Err(ambiguous(context, &named, &fitting)),
    }
}

/// Whether all folded words are in its title, people or description.
pub fn fits(event: &Event, words: &str) -> bool {
    let mut text = format!("{} {}", event.title, event.description);
    for one in people(event).chain(&event.organizer) {
        text += &format!(" {} {}", one.name, one.address);
    }
    every_word(words, &text, |part, word| part.contains(word))
}

/// Drops the dates of a series beside the next one that isn't over, if there is one.
fn keep_next_dates(context: &ToolContext, events: &mut Vec<Event>) {
    let mut next: HashMap<EventId, EventId> = HashMap::new();
    for event in events.iter() {
        if let Some(series) = &event.series
            && event.time.span(&context.zone()).end > context.now
        {
            next.entry(series.clone()).or_insert(event.id.clone());
        }
    }
    let of_series = |event: &Event| next.get(event.series.as_ref()?);
    events.retain(|event| of_series(event).is_none_or(|id| *id == event.id));
}

fn ambiguous(context: &ToolContext, named: &str, events: &[Event]) -> ToolError {
    let zone = context.zone();
    let shown = |event: &Event| {
        let start = event.time.span(&zone).start;
        (short_moment(start, &zone), event.id.to_string())
    };
    let things: Vec<_> = events.iter().take(LISTED).map(shown).collect();
    unclear(FIELD, named, &things, events.len())
}

/// What must be as it was left for an undo.
pub fn state(context: &ToolContext, event: &Event) -> Value {
    let start = event.time.span(&context.zone()).start;
    json!({"start": start, "place": event.location, "invited": invited(event)})
}

pub fn people(event: &Event) -> impl Iterator<Item = &Mailbox> {
    event.attendees.iter().map(|one| &one.mailbox)
}

pub fn addresses<'a>(people: impl IntoIterator<Item = &'a Mailbox>) -> Vec<String> {
    people.into_iter().map(|one| one.address.clone()).collect()
}

/// These names, with the address instead where only one attendee's name has the words.
pub fn addressed<'a>(event: &Event, names: impl Iterator<Item = &'a String>) -> Vec<String> {
    let addressed = |named: &String| {
        let words = fold(named);
        let is = |one: &&Mailbox| every_word(&words, &one.name, |part, word| part == word);
        let mut called = people(event).filter(is);
        let only = called.next().filter(|_| called.next().is_none());
        only.map_or_else(|| named.clone(), |one| one.address.clone())
    };
    names.map(addressed).collect()
}

/// The part of a receipt that says what a change changed.
pub fn changed(change: &EventChange) -> String {
    let place = match change.location.as_deref() {
        None => String::new(),
        Some("") => ", without a place".to_owned(),
        Some(place) => format!(", at {place}"),
    };
    let added = with_people("invited", &addresses(&change.add));
    place + &added + &with_people("removed", &change.remove)
}

/// Fails if the change adds somebody who is invited, removes somebody who isn't, or changes nothing.
pub fn check(change: &EventChange, event: &Event) -> Result<()> {
    let invited = invited(event);
    if let Some(there) = change.add.iter().find(|one| invited.contains(&one.address)) {
        return Err(refused("add", &there.address, "is invited already."));
    }
    if let Some(other) = change.remove.iter().find(|one| !invited.contains(one)) {
        return Err(refused("remove", other, "isn't invited."));
    }
    if change.is_made(event) {
        return Err(ToolError::failed(NOTHING_WOULD_CHANGE));
    }
    Ok(())
}

/// Addresses of the invited people, without the organizer.
pub fn invited(event: &Event) -> Vec<String> {
    let organizer = event.organizer.as_ref().map(|one| &one.address);
    addresses(people(event).filter(|one| Some(&one.address) != organizer))
}

/// Fails if the event is over. A series never counts as over.
pub fn ahead(context: &ToolContext, event: &Event) -> Result<()> {
    let (zone, span) = (context.zone(), event.time.span(&context.zone()));
    if span.end > context.now || event.is_series() {
        return Ok(());
    }
    let problem = format!("is over: it was on {}.", super::brief(&span, &zone));
    Err(wrong(event, &problem))
}

/// Fails if the person doesn't organise the event, with what they can do `instead`. The error names the organiser,
/// which is other people's text.
pub fn ensure_own(event: &Event, change: &str, instead: &str) -> Result<()> {
    if event.own {
        return Ok(());
    }
    let problem =
        format!("is somebody else's event; only its organiser can {change} it. {instead}");
    let organizer = match &event.organizer {
        None => "Somebody else".to_owned(),
        Some(one) if one.name.is_empty() => one.address.clone(),
        Some(one) => line(&one.name),
    };
    let say = format!("{organizer} organises that, so I can't {change} it. {instead}");
    Err(wrong(event, &problem).say(say).bringing(Flow::UNKNOWN))
}

/// Fails for a whole series.
pub fn ensure_date(event: &Event, done: &str) -> Result<()> {
    if !event.is_series() {
        return Ok(());
    }
    let problem =
        format!("is a whole series, which can't be {done}; one date of it can, by its eventId.");
    Err(wrong(event, &problem))
}

pub fn wrong(event: &Event, problem: &str) -> ToolError {
    refused_found(FIELD, ("event", event.id.as_str()), problem)
}

/// Returns the event's time. Fails for an all-day event and for a whole series.
pub fn timed(event: &Event) -> Result<Span> {
    ensure_date(event, "moved")?;
    match event.time {
        EventTime::Timed { start, end } => Ok(Span { start, end }),
        EventTime::AllDay { .. } => {
            let problem = "lasts whole days; move it in the calendar itself.";
            Err(wrong(event, problem))
        }
    }
}
