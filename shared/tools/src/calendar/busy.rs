//! Busy times of people, from the calendars that can be seen.

use alfred_core::ports::{Availability, Event, Span};

use crate::prelude::*;

pub struct Busy {
    /// The person's own meetings.
    pub meetings: Vec<Span>,
    /// All other busy times.
    pub spans: Vec<Span>,
    /// Owners of calendars that can't be seen, and the number of unreadable own entries.
    pub unseen: Vec<String>,
}

impl Busy {
    /// An event that is `moving` doesn't count as busy time.
    pub async fn look(
        context: &ToolContext,
        addresses: &[String],
        span: Span,
        moving: Option<&Event>,
    ) -> Result<Self> {
        let (account, calendar) = (context.account(), &context.accounts.calendar);
        let page = calendar.events(&account, span).await.map_err(not_read)?;
        let zone = context.zone();
        let others = page.events.iter().filter(|event| event.busy);
        let others = others.filter(|event| moving.is_none_or(|moving| moving.id != event.id));
        let mut busy = Self {
            meetings: others.map(|event| event.time.span(&zone)).collect(),
            spans: Vec::new(),
            unseen: match page.unreadable.len() {
                0 => Vec::new(),
                1 => vec!["1 unreadable entry of your own".into()],
                more => vec![format!("{more} unreadable entries of your own")],
            },
        };
        let moved = moving.map(|event| event.time.span(&zone));
        if !addresses.is_empty() {
            let found = calendar.availability(&account, addresses, span).await;
            let found = found.map_err(not_read)?;
            for (address, known) in addresses.iter().zip(found) {
                match known {
                    Availability::Hidden => busy.unseen.push(address.clone()),
                    Availability::Busy(times) => {
                        let times = times.into_iter().flat_map(|one| beside(one, moved));
                        busy.spans.extend(times);
                    }
                }
            }
        }
        Ok(busy)
    }

    /// Whether another meeting of the person is closer than `buffer`.
    pub fn is_near_a_meeting(&self, span: &Span, buffer: SignedDuration) -> bool {
        let wide = Span {
            start: span.start.checked_sub(buffer).unwrap_or(span.start),
            end: span.end.checked_add(buffer).unwrap_or(span.end),
        };
        self.meetings.iter().any(|meeting| meeting.touches(&wide))
    }

    pub fn is_free(&self, span: &Span) -> bool {
        let mut busy = self.meetings.iter().chain(&self.spans);
        !busy.any(|busy| busy.touches(span))
    }
}

/// Removes the moved event's own time from a busy span, because others see that event as busy too.
fn beside(busy: Span, moved: Option<Span>) -> Vec<Span> {
    let Some(moved) = moved.filter(|moved| busy.touches(moved)) else {
        return vec![busy];
    };
    let (end, start) = (moved.start, moved.end);
    let mut left = vec![Span { end, ..busy }, Span { start, ..busy }];
    left.retain(|span| span.start < span.end);
    left
}
