use serde_json::{Value, json};
use std::collections::BTreeSet;

use super::labels::FIXED;
use super::mailbox::{Mailbox, Stored, id, number};
use super::query::Term;
use super::shown::{Format, message};
use super::{body_of, mailbox_of, most};
use crate::error::ApiError;
use crate::exchange::{Given, Scene};

/// Gmail's estimate if there are more.
const ESTIMATE: usize = 201;

pub(super) fn known(mailbox: &Mailbox, id: &str) -> Result<u64, ApiError> {
    let number = number(id).ok_or_else(|| ApiError::invalid("Invalid id value"))?;
    let there = Some(number).filter(|number| mailbox.messages.contains_key(number));
    there.ok_or_else(ApiError::not_found)
}

/// Newest first. A page token is the place of the last message. Spam and the bin are left out.
pub(super) fn list(scene: &mut Scene<'_>) -> Result<Given, ApiError> {
    let asked = scene.asked;
    let term = Term::read(asked.query("q").unwrap_or_default())?;
    let from = match asked.query("pageToken") {
        None => (i64::MAX, u64::MAX),
        Some(token) => {
            let place = token.split_once('-');
            let place =
                place.and_then(|(at, number)| Some((at.parse().ok()?, number.parse().ok()?)));
            place.ok_or_else(|| ApiError::invalid("Invalid pageToken"))?
        }
    };
    let most = most(asked)?;
    let mailbox = mailbox_of(scene)?;
    let newest = mailbox.newest.range(..from).rev();
    let mut fit = newest.filter_map(|place| {
        let stored = mailbox.messages.get(&place.1)?;
        let mut bins = ["SPAM", "TRASH"].iter();
        let hidden = bins.any(|label| stored.labels.contains(*label));
        (!hidden && term.fits(stored, mailbox)).then_some((place, stored))
    });
    let page: Vec<_> = fit.by_ref().take(most).collect();
    let more = fit.next().is_some();
    let estimate = if more { ESTIMATE } else { page.len() };
    let mut answer = json!({"resultSizeEstimate": estimate});
    if let Some(((at, number), _)) = page.last() {
        let shown = |(place, stored): &(&(i64, u64), &Stored)| json!({"id": id(place.1), "threadId": id(stored.thread)});
        answer["messages"] = page.iter().map(shown).collect();
        if more {
            answer["nextPageToken"] = json!(format!("{at}-{number}"));
        }
    }
    Ok(answer.into())
}

pub(super) fn get(scene: &mut Scene<'_>) -> Result<Given, ApiError> {
    let asked = scene.asked;
    let format = Format::read(asked)?;
    let mailbox = mailbox_of(scene)?;
    let number = known(mailbox, asked.param("id"))?;
    Ok(message(mailbox, number, &format).into())
}

/// Labels to add and to remove.
fn changes(mailbox: &Mailbox, body: &Value) -> Result<[BTreeSet<String>; 2], ApiError> {
    let read = |field: &str| {
        let labels = body[field].as_array().into_iter().flatten();
        let labels = labels.filter_map(Value::as_str).map(str::to_owned);
        labels.collect::<BTreeSet<String>>()
    };
    let sets = ["addLabelIds", "removeLabelIds"].map(read);
    let mut all = sets.iter().flatten();
    let is_bad = |label: &&String| !mailbox.is_label(label) || FIXED.contains(&label.as_str());
    match all.find(is_bad) {
        Some(bad) => Err(ApiError::invalid(format!("Invalid label: {bad}"))),
        None => Ok(sets),
    }
}

/// Skips unknown ids.
pub(super) fn batch_modify(scene: &mut Scene<'_>) -> Result<Given, ApiError> {
    let body = body_of(scene)?;
    let ids = body["ids"].as_array();
    let ids = ids.map(Vec::as_slice).unwrap_or_default();
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
