//! Drafts, and sending them.

use alfred_core::ports::Mailbox as Person;
use mail_parser::{Address, MessageParser};
use serde_json::{Value, json};
use std::collections::BTreeSet;

use super::mailbox::{Mailbox, id, number};
use super::query::Term;
use super::shown::{Format, message};
use super::{body_of, mailbox_of};
use crate::error::ApiError;
use crate::exchange::{Given, Scene};

fn is(label: &str) -> BTreeSet<String> {
    BTreeSet::from([label.to_owned()])
}

/// A draft's number and that of its message.
fn known(mailbox: &Mailbox, named: &str) -> Result<(u64, u64), ApiError> {
    let draft = named.strip_prefix('r').and_then(number);
    let draft = draft.ok_or_else(ApiError::not_found)?;
    let message = mailbox.drafts.get(&draft).ok_or_else(ApiError::not_found)?;
    Ok((draft, *message))
}

fn named(draft: u64) -> String {
    format!("r{}", id(draft))
}

pub(super) fn create(scene: &mut Scene<'_>) -> Result<Given, ApiError> {
    let (body, now) = (body_of(scene)?, scene.now);
    let raw = scene.asked.upload.as_ref().filter(|raw| !raw.is_empty());
    let missing = || ApiError::invalid("'raw' RFC822 payload message string required");
    let raw = raw.ok_or_else(missing)?;
    let mailbox = mailbox_of(scene)?;
    let thread = body["message"]["threadId"].as_str().and_then(number);
    let message = mailbox.add(raw.to_vec(), is("DRAFT"), now, thread);
    let draft = mailbox.next();
    mailbox.drafts.insert(draft, message);
    let shown = json!({"id": id(message), "labelIds": ["DRAFT"]});
    Ok(json!({"id": named(draft), "message": shown}).into())
}

pub(super) fn get(scene: &mut Scene<'_>) -> Result<Given, ApiError> {
    let asked = scene.asked;
    let format = Format::read(asked)?;
    let mailbox = mailbox_of(scene)?;
    let (draft, number) = known(mailbox, asked.param("id"))?;
    Ok(json!({"id": named(draft), "message": message(mailbox, number, &format)}).into())
}

pub(super) fn list(scene: &mut Scene<'_>) -> Result<Given, ApiError> {
    let term = Term::read(scene.asked.query("q").unwrap_or_default())?;
    let mailbox = mailbox_of(scene)?;
    let mut drafts: Vec<Value> = Vec::new();
    for (draft, number) in &mailbox.drafts {
        let stored = mailbox.messages.get(number);
        if let Some(stored) = stored.filter(|stored| term.fits(stored, mailbox)) {
            let message = json!({"id": id(*number), "threadId": id(stored.thread)});
            drafts.push(json!({"id": named(*draft), "message": message}));
        }
    }
    Ok(json!({"resultSizeEstimate": drafts.len(), "drafts": drafts}).into())
}

pub(super) fn delete(scene: &mut Scene<'_>) -> Result<Given, ApiError> {
    let asked = scene.asked;
    let mailbox = mailbox_of(scene)?;
    let (draft, message) = known(mailbox, asked.param("id"))?;
    mailbox.drafts.remove(&draft);
    mailbox.remove(message);
    Ok(Given::Nothing)
}

pub(super) fn send(scene: &mut Scene<'_>) -> Result<Given, ApiError> {
    let (body, now, email) = (body_of(scene)?, scene.now, scene.email.clone());
    let mailbox = mailbox_of(scene)?;
    let (draft, message) = known(mailbox, body["id"].as_str().unwrap_or_default())?;
    let stored = mailbox.messages.get(&message);
    let stored = stored.ok_or_else(ApiError::not_found)?;
    let (thread, mut raw) = (stored.thread, stored.raw.clone());
    let to = recipients(&raw);
    if to.is_empty() {
        return Err(ApiError::invalid("Recipient address required"));
    }
    mailbox.drafts.remove(&draft);
    mailbox.remove(message);
    if mailbox.replaces_message_id {
        let new = format!("CA+{:x}@mail.gmail.com", mailbox.next());
        raw = with_message_id(&raw, &new);
    }
    let mut labels = is("SENT");
    if to.contains(&email) {
        labels.extend(["INBOX", "UNREAD"].map(str::to_owned));
    }
    let sent = mailbox.add(raw.clone(), labels, now, Some(thread));
    let stored = mailbox.messages.get(&sent);
    let stored = stored.ok_or_else(ApiError::not_found)?;
    let answer = json!({"id": id(sent), "threadId": id(stored.thread), "labelIds": stored.labels});
    for address in to.iter().filter(|address| **address != email) {
        if let Some(account) = scene.state.accounts.get_mut(address) {
            account.mailbox.deliver(&raw, &["INBOX", "UNREAD"], now);
        }
    }
    Ok(answer.into())
}

fn recipients(raw: &[u8]) -> BTreeSet<String> {
    let parsed = MessageParser::default().parse(raw).unwrap_or_default();
    let lists = [parsed.to(), parsed.cc(), parsed.bcc()];
    let all = lists.into_iter().flatten().flat_map(Address::iter);
    let all = all.filter_map(|one| one.address());
    all.map(|it| Person::new("", it).address).collect()
}

/// The same mail with another `Message-ID`.
fn with_message_id(raw: &[u8], new: &str) -> Vec<u8> {
    let parsed = MessageParser::default().parse(raw).unwrap_or_default();
    let mut headers = parsed.headers().iter();
    let header = headers.find(|it| it.name().eq_ignore_ascii_case("message-id"));
    let Some(header) = header else {
        return [format!("Message-ID: <{new}>\r\n").as_bytes(), raw].concat();
    };
    let (start, end) = (header.offset_start() as usize, header.offset_end() as usize);
    let new = format!(" <{new}>\r\n");
    [&raw[..start], new.as_bytes(), &raw[end..]].concat()
}
