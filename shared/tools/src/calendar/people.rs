//! Resolves the people to invite. An unclear name is an error, never a guess.

use alfred_core::ports::Mailbox;
use alfred_core::{User, UserId};

use crate::prelude::*;
use crate::slack::not_read;
use crate::user::matching;

/// Most attendees, without the organizer.
const MOST: usize = 20;
const MAX_NAMED: usize = 200;
const FIELD: &str = "attendees";

/// Resolves the attendees, without duplicates and without the asking person. `people` are the registered users.
pub async fn named(
    context: &ToolContext,
    people: &[User],
    given: &[String],
) -> Result<Vec<Mailbox>, ToolError> {
    if given.is_empty() || given.len() > MOST {
        let count = format!("{} people", given.len());
        let problem = format!("is out of range: 1 to {MOST} attendees.");
        return Err(refused(FIELD, &count, problem));
    }
    let own = people
        .iter()
        .find(|user| user.slack_user_id == *context.user_id());
    let own = own.map_or(context.user.email.as_str(), |user| user.email.as_str());
    let mut found: Vec<Mailbox> = Vec::new();
    for text in given {
        let one = one(context, people, FIELD, text).await?;
        let is_own = one.address.eq_ignore_ascii_case(own);
        if !is_own && found.iter().all(|known| known.address != one.address) {
            found.push(one);
        }
    }
    if found.is_empty() {
        let error = refused(FIELD, &given.join(", "), "names nobody else.");
        return Err(error.hint("Use schedule_createTimeBlock for time alone."));
    }
    Ok(found)
}

/// Resolves one person. Fails if nobody or several match, or if the person has no address.
pub async fn one(
    context: &ToolContext,
    people: &[User],
    field: &str,
    text: &str,
) -> Result<Mailbox, ToolError> {
    let text = text_up_to(field, text, MAX_NAMED).map_err(invalid)?;
    let plain = matching::unlinked(&text);
    let bare_id = || matching::is_id(plain, ['U', 'W']).then_some(plain);
    if let Some(id) = matching::mentioned(plain).or_else(bare_id) {
        return match people.iter().find(|user| user.slack_user_id.as_str() == id) {
            Some(user) => mailbox(field, &text, &user.name, &user.email),
            None => unregistered(context, field, &text, id).await,
        };
    }
    if !plain.starts_with('@') && plain.contains('@') {
        let known = people
            .iter()
            .find(|user| user.email.eq_ignore_ascii_case(plain));
        return mailbox(field, &text, known.map_or("", |user| &user.name), plain);
    }
    match matching::named(people, &text).as_slice() {
        [] => Err(nobody(field, &text)),
        [user] => mailbox(field, &text, &user.name, &user.email),
        several => Err(matching::several(field, &text, several)),
    }
}

/// Resolves a Slack user who isn't registered here.
async fn unregistered(
    context: &ToolContext,
    field: &str,
    text: &str,
    id: &str,
) -> Result<Mailbox, ToolError> {
    let found = context.chat.user(&UserId::from(id)).await;
    match found.map_err(not_read)? {
        Some(user) if user.is_person => mailbox(field, text, &user.name, &user.email),
        Some(_) | None => Err(nobody(field, text)),
    }
}

fn mailbox(field: &str, text: &str, name: &str, address: &str) -> Result<Mailbox, ToolError> {
    let mailbox = Mailbox::new(name, address);
    if address.is_empty() {
        let problem = "has no e-mail address in Slack. Ask for it.";
        return Err(refused(field, text, problem));
    }
    if !mailbox.is_addressable() {
        return Err(refused(field, text, "is no e-mail address."));
    }
    Ok(mailbox)
}

fn nobody(field: &str, text: &str) -> ToolError {
    let problem = "is nobody Alfred knows. An e-mail address or an @handle would do.";
    refused(field, text, problem).hint("user_lookup finds people.")
}
