//! A page of mails from the inbox, the archive, or both merged.

use alfred_core::ports::{AccountService, MailPage, MailQuery, MailStatus, MailSummary, Total};
use std::collections::VecDeque;

use super::read::summary;
use super::search::{filter, search};
use super::status::Place;
use super::wire::{ENVELOPE, Message};
use super::{CURSORS, Outlook};
use crate::{Page, Result};
use alfred_accounts::api::CallError;
use alfred_accounts::ask::Ask;
use alfred_accounts::position::Position;

/// Mails in one answer, with headers of about 10 KB each.
const LISTED: usize = 100;
/// Mails read for one page. After that the page ends, and the next one continues there.
const LOOKED_AT: usize = 5_000;

/// A folder's mails, newest first, loaded so far.
struct Shelf {
    place: Place,
    here: VecDeque<Message>,
    next: Option<Ask>,
    /// Number of all mails in the folder, where Graph counts them.
    count: usize,
}

impl Shelf {
    fn is_done(&self) -> bool {
        self.here.is_empty() && self.next.is_none()
    }
}

fn at_ms(message: &Message) -> i64 {
    let at = message.received_date_time.unwrap_or_default();
    at.as_millisecond()
}

impl Outlook<'_> {
    pub(super) async fn page(&self, query: &MailQuery) -> Result<MailPage> {
        let read = |cursor| Position::read(cursor, &CURSORS);
        let from = query.cursor.as_deref().map(read).transpose()?;
        let shelves = places(query).map(|(name, place)| Shelf {
            place,
            here: VecDeque::new(),
            next: Some(self.first(query, from.as_ref(), name)),
            count: 0,
        });
        let mut shelves: Vec<Shelf> = shelves.collect();
        let (mut mails, mut end): (Vec<MailSummary>, Option<Position>) = (Vec::new(), None);
        let (mut looked_at, mut complete) = (0, false);
        while mails.len() < query.page() && looked_at < LOOKED_AT {
            let Some((message, place)) = self.newest(&mut shelves).await? else {
                complete = true;
                break;
            };
            looked_at += 1;
            let mail = summary(&message, place);
            let at_ms = at_ms(&message);
            let given = |from: &Position| from.is_behind(at_ms, &mail.id);
            if from.as_ref().is_some_and(given) {
                continue;
            }
            let last = end.as_ref().or(from.as_ref());
            end = Some(Position::after(last, at_ms, &mail.id));
            if query.fits(&mail, mail.status) {
                mails.push(mail);
            }
        }
        let complete = complete || shelves.iter().all(Shelf::is_done);
        let counted = shelves.iter().map(|shelf| shelf.count).sum();
        let total = total(from.as_ref(), complete, mails.len(), counted);
        let next = end.filter(|_| !complete);
        Ok(MailPage {
            mails,
            total,
            next: next.map(|end| end.write(total, &CURSORS)),
            unreadable: Vec::new(),
        })
    }

    /// The first request of a folder's list. A search accepts no filter or order, and returns the newest first.
    fn first(&self, query: &MailQuery, from: Option<&Position>, folder: &str) -> Ask {
        let url = self.graph.url(&format!("me/mailFolders/{folder}/messages"));
        let most = query.page().clamp(10, LISTED);
        let ask = Ask::get(AccountService::Mail, url)
            .query("$select", ENVELOPE)
            .query("$top", most);
        if let Some(search) = search(query) {
            return ask.query("$search", search);
        }
        ask.query("$orderby", "receivedDateTime desc")
            .query("$count", true)
            .query_some("$filter", filter(query, from))
    }

    /// The newest remaining mail of all folders.
    async fn newest(&self, shelves: &mut [Shelf]) -> Result<Option<(Message, Place)>> {
        for shelf in &mut *shelves {
            while shelf.here.is_empty()
                && let Some(ask) = shelf.next.take()
            {
                let page: Page<Message> = match self.graph.call(self.account, &ask).await {
                    // Not every mailbox has an archive.
                    Err(CallError::Status { code: 404, .. }) => Page::default(),
                    other => other?,
                };
                let following = |link| self.graph.following(AccountService::Mail, link);
                shelf.next = page.next_link.map(following).transpose()?;
                shelf.count = shelf.count.max(page.count);
                shelf.here = page.value.into();
            }
        }
        let first = |shelf: &&mut Shelf| shelf.here.front().map(at_ms);
        let newest = shelves.iter_mut().max_by_key(first);
        let message = newest.and_then(|shelf| Some((shelf.here.pop_front()?, shelf.place)));
        Ok(message)
    }
}

/// The folders in which a query may find something.
fn places(query: &MailQuery) -> impl Iterator<Item = (&'static str, Place)> {
    // Sent mails have no state, so the status filter doesn't apply.
    let sent = query.sent.then_some(("sentitems", Place::Inbox));
    let archived = !query.sent && query.status.contains(&MailStatus::Archived);
    let others = query.status.is_empty() || query.status.iter().any(|s| *s != MailStatus::Archived);
    let inbox = (others && !query.sent).then_some(("inbox", Place::Inbox));
    let archive = archived.then_some(("archive", Place::Archive));
    inbox.into_iter().chain(archive).chain(sent)
}

/// The total is the first page's: later pages only list the rest.
fn total(from: Option<&Position>, complete: bool, found: usize, counted: usize) -> Total {
    match from {
        Some(from) => Total::About(from.total),
        None if complete => Total::Exact(found),
        None => Total::About(counted.max(found + 1)),
    }
}
