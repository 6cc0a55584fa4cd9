//! Messages, and the threads they are in.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE;
use mail_parser::MessageParser;
use serde_json::{Value, json};
use std::collections::BTreeSet;

use super::labels::{FIXED, searched};
use super::mailbox::{Mailbox, Stored, id, number};
use super::query::{Candidate, Term};
use super::shown::{Format, message};
use super::{body_of, mailbox_of, most, page_start, page_token};
use crate::error::ApiError;
use crate::exchange::{Given, Scene};

/// What Gmail says it estimates where there are more.
const ESTIMATE: usize = 201;

/// The number of an id that is a message's.
pub(super) fn known(mailbox: &Mailbox, id: &str) -> Result<u64, ApiError> {
    let number = number(id).ok_or_else(|| ApiError::invalid("Invalid id value"))?;
    match mailbox.messages.contains_key(&number) {
        true => Ok(number),
        false => Err(ApiError::not_found()),
    }
}

pub(super) fn list(scene: &mut Scene<'_>) -> Result<Given, ApiError> {
    let asked = scene.asked;
    let q = asked.query("q").unwrap_or_default();
    let term = Term::read(q, scene.now)?;
    let labels: Vec<&str> = asked.all("labelIds").collect();
    let hidden = asked.query("includeSpamTrash") == Some("true") || term.names_spam_or_trash();
    let listed = format!("messages {} {hidden} {labels:?} {q}", scene.email);
    let from = match asked.query("pageToken") {
        None => (i64::MAX, u64::MAX),
        Some(token) => position(&page_start(&listed, token)?)?,
    };
    let most = most(asked)?;
    let mailbox = mailbox_of(scene)?;
    if let Some(unknown) = labels.iter().find(|label| !mailbox.is_label(label)) {
        return Err(ApiError::invalid(format!("Invalid label: {unknown}")));
    }
    let fits = |stored: &Stored| {
        let has = |label: &str| stored.labels.contains(label);
        let shown = hidden || !(has("SPAM") || has("TRASH"));
        shown && labels.iter().all(|label| has(label)) && selects(&term, mailbox, stored)
    };
    let newest = mailbox.newest.range(..from).rev();
    let mut fit = newest.filter_map(|place| {
        let stored = mailbox.messages.get(&place.1)?;
        fits(stored).then_some((place, stored))
    });
    let page: Vec<_> = fit.by_ref().take(most).collect();
    let more = fit.next().is_some();
    let estimate = match more {
        true => ESTIMATE,
        false => page.len(),
    };
    let mut answer = json!({"resultSizeEstimate": estimate});
    if let Some((last, _)) = page.last() {
        let shown = |(place, stored): &(&(i64, u64), &Stored)| json!({"id": id(place.1), "threadId": id(stored.thread)});
        answer["messages"] = page.iter().map(shown).collect();
        if more {
            answer["nextPageToken"] = json!(page_token(&listed, &format!("{} {}", last.0, last.1)));
        }
    }
    Ok(answer.into())
}

fn position(text: &str) -> Result<(i64, u64), ApiError> {
    let parts = text.split_once(' ');
    let position = parts.and_then(|(at, number)| Some((at.parse().ok()?, number.parse().ok()?)));
    position.ok_or_else(|| ApiError::invalid("Invalid pageToken"))
}

pub(super) fn selects(term: &Term, mailbox: &Mailbox, stored: &Stored) -> bool {
    let has_label = |wanted: &str| {
        let is = |label: &String| {
            let name = mailbox.labels.get(label).map(|name| searched(name));
            label == wanted || name.as_deref() == Some(wanted)
        };
        stored.labels.iter().any(is)
    };
    term.fits(&Candidate {
        index: &stored.index,
        at_ms: stored.at_ms,
        has_label: &has_label,
    })
}

pub(super) fn get(scene: &mut Scene<'_>) -> Result<Given, ApiError> {
    let asked = scene.asked;
    let format = Format::read(asked)?;
    let mailbox = mailbox_of(scene)?;
    let number = known(mailbox, asked.param("id"))?;
    Ok(message(mailbox, number, &format).into())
}

pub(super) fn thread(scene: &mut Scene<'_>) -> Result<Given, ApiError> {
    let asked = scene.asked;
    let format = Format::read(asked)?;
    let mailbox = mailbox_of(scene)?;
    let thread = number(asked.param("id")).ok_or_else(|| ApiError::invalid("Invalid id value"))?;
    let of_it = mailbox
        .messages
        .iter()
        .filter(|(_, stored)| stored.thread == thread);
    let numbers: Vec<u64> = of_it.map(|(number, _)| *number).collect();
    let newest = numbers
        .iter()
        .filter_map(|number| mailbox.messages.get(number));
    let history = newest.map(|stored| stored.history).max();
    let history = history.ok_or_else(ApiError::not_found)?;
    let messages: Vec<Value> = numbers
        .iter()
        .map(|number| message(mailbox, *number, &format))
        .collect();
    Ok(json!({"id": id(thread), "historyId": history.to_string(), "messages": messages}).into())
}

/// Labels to add and to remove.
fn changes(mailbox: &Mailbox, body: &Value) -> Result<[BTreeSet<String>; 2], ApiError> {
    let read = |field: &str| {
        let labels = body[field]
            .as_array()
            .map(Vec::as_slice)
            .unwrap_or_default();
        let labels = labels.iter().filter_map(Value::as_str).map(str::to_owned);
        labels.collect::<BTreeSet<String>>()
    };
    let sets = ["addLabelIds", "removeLabelIds"].map(read);
    let mut all = sets.iter().flatten();
    let is_bad = |label: &&String| !mailbox.is_label(label) || FIXED.contains(&label.as_str());
    match all.find(is_bad) {
        Some(bad) => Err(ApiError::invalid(format!("Invalid label: {bad}"))),
        None if sets.iter().all(BTreeSet::is_empty) => {
            Err(ApiError::invalid("No label add or removes specified"))
        }
        None => Ok(sets),
    }
}

pub(super) fn modify(scene: &mut Scene<'_>) -> Result<Given, ApiError> {
    let (asked, body) = (scene.asked, body_of(scene)?);
    let mailbox = mailbox_of(scene)?;
    let number = known(mailbox, asked.param("id"))?;
    let [add, remove] = changes(mailbox, &body)?;
    mailbox.change(number, &add, &remove);
    let stored = mailbox
        .messages
        .get(&number)
        .ok_or_else(ApiError::not_found)?;
    Ok(json!({"id": id(number), "threadId": id(stored.thread), "labelIds": stored.labels}).into())
}

/// An id that is no message's is passed over.
pub(super) fn batch_modify(scene: &mut Scene<'_>) -> Result<Given, ApiError> {
    let body = body_of(scene)?;
    let ids = body["ids"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    if ids.is_empty() || ids.len() > 1_000 {
        return Err(ApiError::invalid("Between 1 and 1000 ids"));
    }
    let mailbox = mailbox_of(scene)?;
    let [add, remove] = changes(mailbox, &body)?;
    for id in ids.iter().filter_map(Value::as_str) {
        if let Ok(number) = known(mailbox, id) {
            mailbox.change(number, &add, &remove);
        }
    }
    Ok(Given::Nothing)
}

pub(super) fn attachment(scene: &mut Scene<'_>) -> Result<Given, ApiError> {
    let asked = scene.asked;
    let mailbox = mailbox_of(scene)?;
    let number = known(mailbox, asked.param("id"))?;
    let stored = mailbox
        .messages
        .get(&number)
        .ok_or_else(ApiError::not_found)?;
    let parsed = MessageParser::default()
        .parse(&stored.raw)
        .unwrap_or_default();
    let part = asked.param("part").strip_prefix("part-");
    let part = part.and_then(|at| parsed.parts.get(at.parse::<usize>().ok()?));
    let part = part.ok_or_else(|| ApiError::invalid("Invalid attachment token"))?;
    let contents = part.contents();
    Ok(json!({"size": contents.len(), "data": BASE64_URL_SAFE.encode(contents)}).into())
}
