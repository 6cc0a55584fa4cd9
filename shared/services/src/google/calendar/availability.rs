//! When people are busy (<https://developers.google.com/workspace/calendar/api/v3/reference/freebusy/query>).

use alfred_core::ports::{AccountError, AccountService, Availability, Mailbox, Span};
use jiff::{Timestamp, ToSpan};
use serde_json::json;
use std::collections::HashMap;

use super::wire::{Busy, FreeBusy, Seen};
use super::{Primary, SECONDS, shaped};
use crate::ask::Ask;

/// Calendars in one call.
const MOST_CALENDARS: usize = 50;
/// Longer spans are asked for in parts: Google refuses those of several months.
const LONGEST_DAYS: i64 = 60;

impl Primary<'_> {
    /// One answer for each address, in order.
    pub(super) async fn busy(
        &self,
        addresses: &[String],
        span: Span,
    ) -> Result<Vec<Availability>, AccountError> {
        let asked: Vec<String> = addresses.iter().map(|address| id(address)).collect();
        let mut wanted: Vec<&str> = asked.iter().map(String::as_str).collect();
        wanted.retain(|address| Mailbox::new("", address).is_addressable());
        wanted.sort_unstable();
        wanted.dedup();
        let mut known: HashMap<String, Option<Vec<Span>>> = HashMap::new();
        let mut from = span.start;
        // Also for nobody, and for no time: whether there is an account shows by asking.
        loop {
            let to = from.checked_add((LONGEST_DAYS * 24).hours());
            let part = Span {
                start: from,
                end: span.end.min(to.unwrap_or(Timestamp::MAX)),
            };
            let mut rest = wanted.as_slice();
            loop {
                let (now, later) = rest.split_at(rest.len().min(MOST_CALENDARS));
                self.look(now, part, &mut known).await?;
                rest = later;
                if rest.is_empty() {
                    break;
                }
            }
            from = part.end;
            if from >= span.end {
                break;
            }
        }
        let answers = asked.iter().map(|address| match known.get(address) {
            Some(Some(busy)) => Availability::Busy(Span::merged(busy.clone(), &span)),
            Some(None) | None => Availability::Hidden,
        });
        Ok(answers.collect())
    }

    /// Adds what one call tells; who can't be seen in a part of the time can't be seen.
    async fn look(
        &self,
        addresses: &[&str],
        part: Span,
        known: &mut HashMap<String, Option<Vec<Span>>>,
    ) -> Result<(), AccountError> {
        let items: Vec<_> = addresses.iter().map(|id| json!({"id": id})).collect();
        // Fractions of a second aren't counted there.
        let end = part
            .end
            .max(part.start.saturating_add(1.second()).unwrap_or(part.end));
        let body = json!({
            "timeMin": part.start.strftime(SECONDS).to_string(),
            "timeMax": end.strftime(SECONDS).to_string(),
            "items": items,
        });
        let url = format!(
            "{}/calendar/v3/freeBusy",
            self.google.api.endpoints.calendar
        );
        let ask = Ask::post(AccountService::Calendar, url, body).repeatable();
        let mut told: FreeBusy = shaped(self.call(&ask).await?)?;
        for address in addresses {
            let busy = told.calendars.remove(*address).and_then(seen);
            let so_far = known
                .entry((*address).to_owned())
                .or_insert_with(|| Some(Vec::new()));
            *so_far = so_far.take().zip(busy).map(|(mut all, busy)| {
                all.extend(busy);
                all
            });
        }
        Ok(())
    }
}

fn id(address: &str) -> String {
    address.trim().to_lowercase()
}

/// `None` for what couldn't be looked at: that is neither busy nor free.
fn seen(calendar: Seen) -> Option<Vec<Span>> {
    let span = |Busy { start, end }: Busy| Span { start, end };
    let seen = calendar.errors.is_empty();
    seen.then(|| calendar.busy.into_iter().map(span).collect())
}
