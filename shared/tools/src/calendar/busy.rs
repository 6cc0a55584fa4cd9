//! When people have time, as far as their calendars can be seen.

use alfred_core::id::EventId;
use alfred_core::ports::{Availability, Span};

use crate::account::not_read;
use crate::prelude::*;

/// What is known of a span.
pub struct Busy {
    /// When somebody is busy.
    spans: Vec<Span>,
    /// Of these: what the person meets at.
    meetings: Vec<Span>,
    /// Whose calendar, or what of the person's own, can't be seen.
    pub unseen: Vec<String>,
}

/// An event that is to be moved: it is in nobody's way.
pub struct Moving<'a> {
    pub id: &'a EventId,
    /// When it is now.
    pub span: Span,
}

impl Busy {
    /// Looks at the person's calendar and at those of these addresses.
    ///
    /// # Errors
    /// What the calendar says.
    pub async fn look(
        context: &ToolContext,
        addresses: &[String],
        span: Span,
        moving: Option<&Moving<'_>>,
    ) -> Result<Self, ToolError> {
        let (account, calendar) = (context.account(), &context.accounts.calendar);
        let page = calendar.events(&account, span).await;
        let page = page.map_err(not_read)?;
        let zone = context.zone();
        let others = page.events.iter().filter(|event| event.busy);
        let others = others.filter(|event| moving.is_none_or(|moving| *moving.id != event.id));
        let meetings: Vec<Span> = others.map(|event| event.time.span(&zone)).collect();
        let mut spans = meetings.clone();
        let mut unseen = Vec::new();
        if !page.unreadable.is_empty() {
            unseen.push(own_entries(page.unreadable.len()));
        }
        if !addresses.is_empty() {
            let found = calendar.availability(&account, addresses, span).await;
            let found = found.map_err(not_read)?;
            for (address, known) in addresses.iter().zip(found) {
                match known {
                    Availability::Hidden => unseen.push(address.clone()),
                    Availability::Busy(busy) => {
                        spans.extend(busy.into_iter().flat_map(|one| beside(one, moving)));
                    }
                }
            }
        }
        Ok(Self {
            spans,
            meetings,
            unseen,
        })
    }

    /// The same, with more that is taken.
    pub fn also(&mut self, spans: impl IntoIterator<Item = Span>) {
        self.spans.extend(spans);
    }

    /// The same, with more meetings of the person's.
    pub fn also_meetings(&mut self, spans: impl IntoIterator<Item = Span>) {
        let from = self.spans.len();
        self.spans.extend(spans);
        self.meetings.extend_from_slice(&self.spans[from..]);
    }

    /// Whether another meeting of the person's is less than this away.
    pub fn is_near_a_meeting(&self, span: &Span, buffer: SignedDuration) -> bool {
        let wide = Span {
            start: span.start.checked_sub(buffer).unwrap_or(span.start),
            end: span.end.checked_add(buffer).unwrap_or(span.end),
        };
        self.meetings.iter().any(|meeting| meeting.touches(&wide))
    }

    /// Whether nobody is known to be busy then.
    pub fn is_free(&self, span: &Span) -> bool {
        !self.spans.iter().any(|busy| busy.touches(span))
    }
}

fn own_entries(count: usize) -> String {
    match count {
        1 => "1 unreadable entry of your own".into(),
        more => format!("{more} unreadable entries of your own"),
    }
}

/// What is left of a busy span beside the event that is to be moved, which others see as busy too.
fn beside(busy: Span, moving: Option<&Moving<'_>>) -> Vec<Span> {
    let Some(moved) = moving.map(|moving| moving.span) else {
        return vec![busy];
    };
    if !busy.touches(&moved) {
        return vec![busy];
    }
    let before = Span {
        start: busy.start,
        end: moved.start.min(busy.end),
    };
    let after = Span {
        start: moved.end.max(busy.start),
        end: busy.end,
    };
    [before, after]
        .into_iter()
        .filter(|left| left.start < left.end)
        .collect()
}
