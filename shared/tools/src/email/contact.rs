//! Finds unregistered people in the person's mail: recipients of sent mails first, then senders. Senders choose
//! their displayed names, so the card shows each address that was found this way.

use alfred_core::User;
use alfred_core::ports::{MailQuery, MailStatus, MailSummary, Mailbox};
use std::cmp::Reverse;

use super::{doubt, line};
use crate::account::not_read;
use crate::fold::fold;
use crate::prelude::*;
use crate::user::matching;

/// Mails searched per direction, newest first.
const LOOKED_AT: usize = 50;
const LISTED: usize = 5;

#[derive(Clone, Debug)]
pub struct Contact {
    pub mailbox: Mailbox,
    /// Time of their newest mail with the person.
    last: Timestamp,
    written_to: bool,
}

impl Contact {
    /// Source of the address, for the card.
    pub fn origin(&self, context: &ToolContext) -> String {
        let day = self.day(context);
        if self.written_to {
            format!("{}: you wrote there on {day}", self.mailbox.address)
        } else {
            known_from_received(&self.mailbox.address, &day)
        }
    }

    fn day(&self, context: &ToolContext) -> String {
        let last = self.last.to_zoned(context.zone());
        last.strftime("%Y-%m-%d").to_string()
    }
}

fn known_from_received(address: &str, day: &str) -> String {
    format!(
        "{address}: they wrote to you on {day} under that name; I found no mail of yours to them"
    )
}

/// Finds the one contact that matches a name. Returns `None` for an address or an id, for the name of a
/// registered person, and if nobody matches. Fails if several match.
pub async fn find(
    context: &ToolContext,
    known: &[User],
    field: &str,
    text: &str,
) -> Result<Option<Contact>, ToolError> {
    let plain = matching::unlinked(text.trim());
    let is_name = !plain.contains(['@', '<']) && !matching::is_id(plain, ['U', 'W']);
    if !is_name || !matching::named(known, text).is_empty() {
        return Ok(None);
    }
    for sent in [true, false] {
        let found = among(context, known, plain, sent).await?;
        match found.as_slice() {
            [] => {}
            [one] => return Ok(Some(one.clone())),
            several => return Err(unclear(context, field, text, several)),
        }
    }
    Ok(None)
}

/// Searches for the longest word, as written and without accents. Providers match parts of names differently,
/// so [`fits`] then compares the whole name.
async fn among(
    context: &ToolContext,
    known: &[User],
    name: &str,
    sent: bool,
) -> Result<Vec<Contact>, ToolError> {
    let longest = name
        .split_whitespace()
        .max_by_key(|word| word.chars().count());
    let word = longest.unwrap_or_default().to_lowercase();
    let mut searched = vec![fold(&word), word];
    searched.dedup();
    let mut mails: Vec<MailSummary> = Vec::new();
    for word in searched.into_iter().filter(|word| !word.is_empty()) {
        mails.extend(with(context, word, sent).await?);
    }
    mails.sort_by_key(|mail| Reverse(mail.received_at));
    let mut found: Vec<Contact> = Vec::new();
    for mail in &mails {
        for mailbox in others(mail, sent) {
            // Senders choose any displayed name, so only received mails need this check.
            let pretends = !sent && (mail.automated || doubt::is_borrowed(mailbox, known));
            let is_listed = |one: &Contact| one.mailbox.address == mailbox.address;
            if fits(name, mailbox) && !pretends && !found.iter().any(is_listed) {
                found.push(Contact {
                    mailbox: Mailbox::new(line(&mailbox.name), &mailbox.address),
                    last: mail.received_at,
                    written_to: sent,
                });
            }
        }
    }
    Ok(found)
}

/// Lists the newest mails to (`sent`) or from people with this word in their name.
async fn with(
    context: &ToolContext,
    word: String,
    sent: bool,
) -> Result<Vec<MailSummary>, ToolError> {
    use MailStatus::{Archived, Backlog, Processed, Read, Unread};
    let query = MailQuery {
        status: vec![Unread, Read, Archived, Backlog, Processed],
        from: Some(word),
        sent,
        limit: LOOKED_AT,
        ..MailQuery::default()
    };
    let port = &context.accounts.mail;
    let page = port.list(&context.account(), &query).await;
    Ok(page.map_err(not_read)?.mails)
}

fn others(mail: &MailSummary, sent: bool) -> &[Mailbox] {
    match sent {
        true => &mail.to,
        false => std::slice::from_ref(&mail.from),
    }
}

/// Whether each word occurs in the name or in the local part of the address.
fn fits(name: &str, mailbox: &Mailbox) -> bool {
    let local = mailbox.address.split('@').next().unwrap_or_default();
    let there = fold(&format!("{} {local}", line(&mailbox.name)));
    let parts: Vec<&str> = there.split(|c: char| !c.is_alphanumeric()).collect();
    let wanted = fold(name);
    let mut wanted = wanted
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .peekable();
    mailbox.is_addressable() && wanted.peek().is_some() && wanted.all(|word| parts.contains(&word))
}

/// Lists the matches by address, because senders choose their displayed names.
fn unclear(context: &ToolContext, field: &str, text: &str, found: &[Contact]) -> ToolError {
    let shown = |one: &Contact| format!("{} (last on {})", one.mailbox.address, one.day(context));
    let listed: Vec<String> = found.iter().take(LISTED).map(shown).collect();
    let more = if found.len() > LISTED { ", …" } else { "" };
    let problem = format!(
        "is not clear, {} people of the mailbox match: {}{more}. Give the address.",
        found.len(),
        listed.join(", ")
    );
    let error = refused(field, text, problem).say(format!(
        "Several people in your mail are called “{text}”: {}. Which one do you mean?",
        (listed.join(", ") + more)
    ));
    error.offering(found.iter().map(|one| super::shown(&one.mailbox)))
}
