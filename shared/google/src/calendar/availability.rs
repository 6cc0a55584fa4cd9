//! Free/busy queries (<https://developers.google.com/workspace/calendar/api/v3/reference/freebusy/query>).

use alfred_core::ports::{AccountService, Span};
use async_trait::async_trait;
use jiff::ToSpan;
use serde_json::json;

use super::wire::{FreeBusy as Told, Seen};
use super::{Primary, SECONDS};
use crate::Result;
use alfred_accounts::ask::Ask;
use alfred_accounts::free_busy::FreeBusy;

#[async_trait]
impl FreeBusy for Primary<'_> {
    const MOST: usize = 50;
    /// Google refuses spans of several months.
    const LONGEST_DAYS: i64 = 60;

    async fn look(&self, addresses: &[&str], part: Span) -> Result<Vec<Option<Vec<Span>>>> {
        let items: Vec<_> = addresses.iter().map(|id| json!({"id": id})).collect();
        // Google ignores fractions of a second.
        let least = part.start.saturating_add(1.second()).unwrap_or(part.end);
        let end = part.end.max(least);
        let body = json!({
            "timeMin": part.start.strftime(SECONDS).to_string(),
            "timeMax": end.strftime(SECONDS).to_string(),
            "items": items,
        });
        let base = &self.google.api.endpoints.calendar;
        let url = format!("{base}/calendar/v3/freeBusy");
        let ask = Ask::post(AccountService::Calendar, url, body).reading();
        let mut told: Told = self.call(&ask).await?;
        let busy = |address: &&str| told.calendars.remove(*address).and_then(seen);
        Ok(addresses.iter().map(busy).collect())
    }
}

/// `None` if Google reports an error: that is neither busy nor free.
fn seen(calendar: Seen) -> Option<Vec<Span>> {
    calendar.errors.is_empty().then_some(calendar.busy)
}
