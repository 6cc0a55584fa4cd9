//! Resolves the people that a call names: registered people, contacts of the person's mail, and addresses. An
//! unclear name is an error, never a guess.

use alfred_core::ports::{AccountError, MailQuery, MailSummary, Mailbox};
use alfred_core::{User, UserId};
use std::cmp::Reverse;

use super::{active, matching};
use crate::account;
use crate::email::{ANY_STATUS, doubt, line, shown};
use crate::fields::{LISTED, short_date};
use crate::prelude::*;
use crate::schedule::meetings::is_unconnected;
use crate::slack::not_read;

const MAX_NAMED: usize = 200;
/// Mails searched per direction, newest first.
const LOOKED_AT: usize = 50;
/// People per call who may be found in the mail; each search lists mails.
const MOST_CONTACTS: usize = 10;
/// The label of the sources of addresses on a card.
pub const FROM_MAIL: &str = "⚠️ From your mail";

/// The registered people, and those whom a call has found in the mail.
pub struct People {
    pub known: Vec<User>,
    contacts: Vec<Contact>,
    /// A mail can't be written without a mailbox. Other calls then find only registered people.
    needs_mailbox: bool,
}

/// A person of the mailbox. Senders choose their displayed names, so cards show the source of each address.
#[derive(Clone)]
pub struct Contact {
    pub mailbox: Mailbox,
    /// The day of their newest mail with the person.
    last: Date,
    written_to: bool,
}

impl Contact {
    pub fn origin(&self) -> String {
        let (address, day) = (&self.mailbox.address, self.last.strftime("%-d %b %Y"));
        if self.written_to {
            format!("{address}: you wrote there on {day}")
        } else {
            format!(
                "{address}: they wrote to you on {day} under that name; I found no mail of yours to them"
            )
        }
    }
}

impl People {
    pub async fn load(context: &ToolContext) -> Result<Self> {
        Ok(Self {
            known: active(context).await?,
            contacts: Vec::new(),
            needs_mailbox: false,
        })
    }

    /// For a call that writes a mail.
    pub async fn load_for_mail(context: &ToolContext) -> Result<Self> {
        let mut people = Self::load(context).await?;
        people.needs_mailbox = true;
        Ok(people)
    }

    pub fn own_address<'a>(&'a self, context: &'a ToolContext) -> &'a str {
        let mut known = self.known.iter();
        let own = known.find(|user| user.slack_user_id == *context.user_id());
        own.map_or(&context.user.email, |user| &user.email)
    }

    /// Resolves a list without duplicates and without these others.
    pub async fn all(
        &mut self,
        context: &ToolContext,
        field: &str,
        given: &[String],
        others: &[Mailbox],
    ) -> Result<Vec<Mailbox>> {
        let mut found: Vec<Mailbox> = Vec::new();
        for text in given {
            let mailbox = self.one(context, field, text).await?;
            let mut there = others.iter().chain(&found);
            if there.all(|known| known.address != mailbox.address) {
                found.push(mailbox);
            }
        }
        Ok(found)
    }

    /// Resolves one person. Fails if nobody or several match, or if the person has no address.
    pub async fn one(&mut self, context: &ToolContext, field: &str, text: &str) -> Result<Mailbox> {
        let text = text_up_to(field, text, MAX_NAMED).map_err(invalid)?;
        let plain = matching::unlinked(&text);
        let bare_id = || matching::is_id(plain, ['U', 'W']).then_some(plain);
        if let Some(id) = matching::mentioned(plain).or_else(bare_id) {
            let mut known = self.known.iter();
            return match known.find(|user| user.slack_user_id.as_str() == id) {
                Some(user) => mailbox(field, &text, &user.name, &user.email),
                None => unregistered(context, field, &text, id).await,
            };
        }
        if !plain.starts_with('@') && plain.contains('@') {
            let mut known = self.known.iter();
            let known = known.find(|user| user.email.eq_ignore_ascii_case(plain));
            return mailbox(field, &text, known.map_or("", |user| &user.name), plain);
        }
        match matching::named(&self.known, &text).as_slice() {
            [] => match self.contact(context, field, &text).await? {
                Some(contact) => Ok(contact.mailbox),
                None => Err(nobody(field, &text)),
            },
            [user] => mailbox(field, &text, &user.name, &user.email),
            several => Err(matching::several(field, &text, several)),
        }
    }

    /// Names the recipients for the approval gate: contacts by address, because their names could later match
    /// somebody else, and others as they are named.
    pub async fn recipients(
        &mut self,
        context: &ToolContext,
        field: &str,
        given: &[impl AsRef<str>],
    ) -> Result<Vec<String>> {
        let mut recipients = Vec::with_capacity(given.len());
        for text in given {
            let contact = self.contact(context, field, text.as_ref()).await?;
            recipients
                .push(contact.map_or_else(|| text.as_ref().to_owned(), |one| one.mailbox.address));
        }
        Ok(recipients)
    }

    /// The sources of the addresses that were found in the mail, for the card.
    pub fn origins(&self) -> String {
        let origins: Vec<String> = self.contacts.iter().map(Contact::origin).collect();
        origins.join("\n")
    }

    /// Finds the only contact with a name: recipients of sent mails first, then senders. `None` for an address
    /// or an id, for the name of a registered person, and if nobody matches. Fails if several match.
    pub async fn contact(
        &mut self,
        context: &ToolContext,
        field: &str,
        text: &str,
    ) -> Result<Option<Contact>> {
        let name = matching::unlinked(text.trim());
        let is_name = !name.contains(['@', '<']) && !matching::is_id(name, ['U', 'W']);
        let is_known = || !matching::named(&self.known, text).is_empty();
        if !is_name || is_known() || self.contacts.len() >= MOST_CONTACTS {
            return Ok(None);
        }
        for sent in [true, false] {
            let found = match contacts(context, &self.known, name, sent).await {
                Err(error) if !self.needs_mailbox && is_unconnected(&error) => return Ok(None),
                found => found.map_err(account::not_read)?,
            };
            match found.as_slice() {
                [] => {}
                [one] => {
                    let address = &one.mailbox.address;
                    let mut known = self.contacts.iter();
                    if known.all(|known| known.mailbox.address != *address) {
                        self.contacts.push(one.clone());
                    }
                    return Ok(Some(one.clone()));
                }
                several => return Err(unclear(field, text, several)),
            }
        }
        Ok(None)
    }
}

/// Searches for the longest word, as written and without accents. Providers match parts of names differently,
/// so [`fits`] then compares the whole name.
async fn contacts(
    context: &ToolContext,
    known: &[User],
    name: &str,
    sent: bool,
) -> Result<Vec<Contact>, AccountError> {
    let words = name.split_whitespace();
    let longest = words.max_by_key(|word| word.chars().count());
    let word = longest.unwrap_or_default().to_lowercase();
    let mut searched = vec![fold(&word), word];
    searched.dedup();
    let mut mails: Vec<MailSummary> = Vec::new();
    for word in searched.into_iter().filter(|word| !word.is_empty()) {
        let query = MailQuery {
            status: ANY_STATUS.to_vec(),
            from: Some(word),
            sent,
            limit: LOOKED_AT,
            ..MailQuery::default()
        };
        let mail = &context.accounts.mail;
        mails.extend(mail.list(&context.account(), &query).await?.mails);
    }
    mails.sort_by_key(|mail| Reverse(mail.received_at));
    let mut found: Vec<Contact> = Vec::new();
    for mail in &mails {
        let from = std::slice::from_ref(&mail.from);
        let others = if sent { mail.to.as_slice() } else { from };
        for mailbox in others {
            // Senders choose any displayed name, so only received mails need this check.
            let pretends = !sent && (mail.automated || doubt::is_borrowed(mailbox, known));
            let is_listed = |one: &Contact| one.mailbox.address == mailbox.address;
            if fits(name, mailbox) && !pretends && !found.iter().any(is_listed) {
                found.push(Contact {
                    mailbox: Mailbox::new(line(&mailbox.name), &mailbox.address),
                    last: mail.received_at.to_zoned(context.zone()).date(),
                    written_to: sent,
                });
            }
        }
    }
    Ok(found)
}

/// Whether each word occurs in the name or in the local part of the address.
fn fits(name: &str, mailbox: &Mailbox) -> bool {
    let local = mailbox.address.split('@').next().unwrap_or_default();
    let there = fold(&format!("{} {local}", line(&mailbox.name))).replace('+', " ");
    let parts: Vec<&str> = there.split(' ').collect();
    let wanted = fold(name).replace('+', " ");
    let mut wanted = wanted.split_whitespace().peekable();
    mailbox.is_addressable() && wanted.peek().is_some() && wanted.all(|word| parts.contains(&word))
}

/// Lists the matches by address, because senders choose their displayed names.
fn unclear(field: &str, text: &str, found: &[Contact]) -> ToolError {
    let dated = |it: &Contact| format!("{} (last on {})", it.mailbox.address, short_date(it.last));
    let listed: Vec<String> = found.iter().take(LISTED).map(dated).collect();
    let more = if found.len() > LISTED { ", …" } else { "" };
    let listed = listed.join(", ") + more;
    let count = found.len();
    let problem =
        format!("is not clear, {count} people of the mailbox match: {listed}. Give the address.");
    let error = refused(field, text, problem).say(format!(
        "Several people in your mail are called “{text}”: {listed}. Which one do you mean?"
    ));
    error.offering(found.iter().map(|one| shown(&one.mailbox)))
}

async fn unregistered(context: &ToolContext, field: &str, text: &str, id: &str) -> Result<Mailbox> {
    let found = context.chat.user(&UserId::from(id)).await;
    match found.map_err(not_read)? {
        Some(user) if user.is_person => mailbox(field, text, &user.name, &user.email),
        Some(_) | None => Err(nobody(field, text)),
    }
}

fn mailbox(field: &str, text: &str, name: &str, address: &str) -> Result<Mailbox> {
    let mailbox = Mailbox::new(name, address);
    let domain = mailbox.address.rsplit('@').next().unwrap_or_default();
    let problem = if address.is_empty() {
        "has no e-mail address in Slack. Ask for it."
    } else if !mailbox.is_addressable() || !domain.contains('.') {
        "is no full e-mail address, such as ana@example.com."
    } else {
        return Ok(mailbox);
    };
    Err(refused(field, text, problem))
}

fn nobody(field: &str, text: &str) -> ToolError {
    let problem = "isn't anyone I know. Please give an e-mail address or an @handle.";
    refused(field, text, problem).hint("user_lookup finds people.")
}
