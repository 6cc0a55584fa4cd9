use alfred_core::id::MailId;
use alfred_core::ports::{AccountError, MailPage, MailQuery, MailStatus, MailSummary, Total};
use futures_util::{StreamExt, stream};
use std::collections::HashMap;

use super::known::{Envelope, Synced};
use super::status::status;
use super::wire::{HEADERS, Listing, Message};
use super::{CURSORS, Gmail, search};
use crate::{Result, found, is_id};
use alfred_accounts::position::Position;

/// Most ids in one answer. They cost as much as one.
const LISTED: usize = 500;
/// Concurrent fetches: fast, but within the quota of a person.
const AT_ONCE: usize = 8;

/// A page being filled.
struct Filling<'q> {
    query: &'q MailQuery,
    from: Option<Position>,
    mails: Vec<MailSummary>,
    /// The position after the last mail.
    end: Option<Position>,
    /// Listed mails that don't belong on this page: on other pages, or not in the state that Gmail's search assumed.
    left_out: usize,
    /// How many mails Gmail finds from this page on.
    listed: Total,
}

impl Gmail<'_> {
    /// If the quota is reached, the page ends early and the next one continues there.
    pub(super) async fn page(&self, query: &MailQuery) -> Result<MailPage> {
        let read = |cursor| Position::read(cursor, &CURSORS);
        let from = query.cursor.as_deref().map(read).transpose()?;
        let synced = self.synced().await?;
        let q = search::q(query, from.as_ref());
        let mut listing = self.listed(&q, None).await?;
        let mut page = Filling {
            query,
            from,
            mails: Vec::new(),
            end: None,
            left_out: 0,
            listed: total(&listing),
        };
        loop {
            let ids = listing.messages.into_iter();
            let mut ids: Vec<MailId> = ids.map(|named| named.id.into()).collect();
            while page.wants() > 0 && !ids.is_empty() {
                let next: Vec<MailId> = ids.drain(..page.wants().min(ids.len())).collect();
                let wanted = |status| query.wants(status);
                let (found, stopped) = self.resolved(&synced, &next, wanted).await?;
                page.take(&synced, found);
                if let Some(error) = stopped {
                    if page.mails.is_empty() {
                        return Err(error);
                    }
                    tracing::info!(%error, "a page of mails ends early");
                    return Ok(page.done(true));
                }
            }
            let more = !ids.is_empty() || listing.next_page_token.is_some();
            match listing.next_page_token.filter(|_| page.wants() > 0) {
                Some(token) => listing = self.listed(&q, Some(&token)).await?,
                None => return Ok(page.done(more)),
            }
        }
    }

    /// Known envelopes cost nothing.
    pub(super) async fn envelopes(&self, ids: &[MailId]) -> Result<Vec<Option<MailSummary>>> {
        let synced = self.synced().await?;
        let (found, stopped) = self.resolved(&synced, ids, |_| true).await?;
        if let Some(error) = stopped {
            return Err(error);
        }
        let found = found.into_iter().map(|one| one.summary(&synced.labels));
        let found = found.map(|mail| (mail.id.clone(), mail));
        let found: HashMap<MailId, MailSummary> = found.collect();
        Ok(ids.iter().map(|id| found.get(id).cloned()).collect())
    }

    async fn listed(&self, q: &str, token: Option<&str>) -> Result<Listing> {
        let ask = self.get("messages").query("q", q);
        let ask = ask.query("maxResults", LISTED);
        Ok(self.call(&ask.query_some("pageToken", token)).await?)
    }

    /// The envelopes of these mails in order, without deleted ones. A known one whose state isn't `wanted` is
    /// outdated and fetched again. They end at the first temporary failure, which is returned too.
    pub(super) async fn resolved(
        &self,
        synced: &Synced,
        ids: &[MailId],
        wanted: impl Fn(MailStatus) -> bool,
    ) -> Result<(Vec<Envelope>, Option<AccountError>)> {
        let fits = |known: &&Envelope| wanted(status(&known.labels, &synced.labels));
        let ids = ids.iter().filter(|id| is_id(id.as_str()));
        let each: Vec<_> = self.known(|known| {
            let each = ids.map(|id| (id, known.envelopes.get(id).filter(fits).cloned()));
            let each = each.map(|(id, known)| {
                Box::pin(async move {
                    match known {
                        Some(known) => Ok((Some(known), false)),
                        None => Ok((self.fetch(id).await?, true)),
                    }
                })
            });
            each.collect()
        });
        let mut each = stream::iter(each).buffered(AT_ONCE);
        let mut resolved = Vec::new();
        while let Some(envelope) = each.next().await {
            match envelope {
                Ok((envelope, is_fresh)) => {
                    if let Some(envelope) = envelope.as_ref().filter(|_| is_fresh) {
                        self.remember(synced, envelope);
                    }
                    resolved.extend(envelope);
                }
                Err(error @ AccountError::NotReached { .. }) => return Ok((resolved, Some(error))),
                Err(error) => return Err(error),
            }
        }
        Ok((resolved, None))
    }

    /// The envelope of a mail. `None` if it was deleted.
    pub(super) async fn fetch(&self, id: &MailId) -> Result<Option<Envelope>> {
        let ask = self
            .get(&format!("messages/{id}"))
            .query("format", "metadata");
        let ask = HEADERS
            .into_iter()
            .fold(ask, |ask, header| ask.query("metadataHeaders", header));
        let message: Option<Message> = found(self.call(&ask).await, &[400, 404])?;
        Ok(message.map(|message| Envelope {
            summary: message.summary(),
            labels: message.label_ids,
        }))
    }
}

/// Google's estimate is often lower than what the first page lists.
fn total(first: &Listing) -> Total {
    let listed = first.messages.len();
    if first.next_page_token.is_none() {
        Total::Exact(listed)
    } else {
        Total::About(first.result_size_estimate.max(listed + 1))
    }
}

impl Filling<'_> {
    fn wants(&self) -> usize {
        self.query.page() - self.mails.len()
    }

    fn take(&mut self, synced: &Synced, found: Vec<Envelope>) {
        for envelope in found {
            let mail = envelope.summary(&synced.labels);
            let at_ms = mail.received_at.as_millisecond();
            let before = self.from.as_ref();
            let given = before.is_some_and(|from| from.is_behind(at_ms, &mail.id));
            let since = self.query.since;
            let early = since.is_some_and(|since| mail.received_at < since);
            if given || early || !self.query.wants(mail.status) {
                self.left_out += 1;
                continue;
            }
            let last = self.end.as_ref().or(before);
            self.end = Some(Position::after(last, at_ms, &mail.id));
            self.mails.push(mail);
        }
    }

    /// The total is the first page's: later pages only list the rest.
    fn done(self, more: bool) -> MailPage {
        let total = match (&self.from, self.listed) {
            (Some(from), _) => Total::About(from.total),
            (None, _) if !more => Total::Exact(self.mails.len()),
            (None, Total::Exact(listed)) if self.query.since.is_none() => {
                Total::Exact(listed.saturating_sub(self.left_out))
            }
            (None, other) => Total::About(other.number()),
        };
        let next = self.end.filter(|_| more);
        MailPage {
            mails: self.mails,
            total,
            next: next.map(|end| end.write(total, &CURSORS)),
            unreadable: Vec::new(),
        }
    }
}
