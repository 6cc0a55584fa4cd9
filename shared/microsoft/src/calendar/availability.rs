//! Free/busy queries (<https://learn.microsoft.com/graph/api/calendar-getschedule>).

use alfred_core::ports::Span;
use async_trait::async_trait;
use jiff::{Timestamp, ToSpan};
use serde_json::json;

use super::create::CLOCK;
use super::wire::{Schedule, ScheduleItem};
use super::{OutlookCalendar, SERVICE};
use crate::{Page, Result};
use alfred_accounts::ask::Ask;
use alfred_accounts::free_busy::FreeBusy;

#[async_trait]
impl FreeBusy for OutlookCalendar<'_> {
    const MOST: usize = 20;
    /// Graph accepts fewer than 62 days, formerly 42.
    const LONGEST_DAYS: i64 = 40;

    async fn look(&self, addresses: &[&str], part: Span) -> Result<Vec<Option<Vec<Span>>>> {
        if addresses.is_empty() {
            self.graph.owner(self.account, SERVICE).await?;
            return Ok(Vec::new());
        }
        // Fractions of a second are dropped, and Graph refuses a span without length.
        let end = part.end.max(part.start).saturating_add(1.second());
        let time =
            |at: Timestamp| json!({"dateTime": at.strftime(CLOCK).to_string(), "timeZone": "UTC"});
        let body = json!({
            "schedules": addresses,
            "startTime": time(part.start),
            "endTime": time(end.unwrap_or(part.end)),
        });
        let ask = Ask::post(SERVICE, self.url("getSchedule"), body).reading();
        let told: Page<Schedule> = self.call(&ask).await?;
        let of = |address: &&str| {
            let mut all = told.value.iter();
            all.find(|one| one.schedule_id.eq_ignore_ascii_case(address))
        };
        Ok(addresses.iter().map(|one| of(one).and_then(seen)).collect())
    }
}

/// `None` if the schedule has an error or can't be parsed: that is neither busy nor free.
fn seen(schedule: &Schedule) -> Option<Vec<Span>> {
    if schedule.error.is_some() {
        return None;
    }
    let free = |item: &&ScheduleItem| {
        let status = item.status.to_ascii_lowercase();
        status == "free" || status == "workingelsewhere"
    };
    let taken = schedule.schedule_items.iter().filter(|item| !free(item));
    let span = |item: &ScheduleItem| {
        let (start, end) = (item.start.at()?, item.end.at()?);
        Some(Span { start, end })
    };
    taken.map(span).collect()
}
