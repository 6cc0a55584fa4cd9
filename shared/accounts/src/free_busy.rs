//! Free/busy queries, split into parts that the provider accepts.

use crate::Result;
use alfred_core::ports::{Availability, Mailbox, Span};
use async_trait::async_trait;
use jiff::{Timestamp, ToSpan};
use std::collections::HashMap;

#[async_trait]
pub trait FreeBusy: Send + Sync {
    /// Most addresses in one call.
    const MOST: usize;
    /// Longest span of one call, in days.
    const LONGEST_DAYS: i64;

    /// One answer for each address. `None` if the calendar is not visible, which is neither busy nor free.
    /// Without addresses the call only checks that an account is connected.
    async fn look(&self, addresses: &[&str], part: Span) -> Result<Vec<Option<Vec<Span>>>>;
}

pub async fn availability<F: FreeBusy>(
    of: &F,
    addresses: &[String],
    span: Span,
) -> Result<Vec<Availability>> {
    let id = |address: &String| address.trim().to_lowercase();
    let asked: Vec<String> = addresses.iter().map(id).collect();
    let mut wanted: Vec<&str> = asked.iter().map(String::as_str).collect();
    wanted.retain(|address| Mailbox::new("", address).is_addressable());
    wanted.sort_unstable();
    wanted.dedup();
    let mut known: HashMap<&str, Option<Vec<Span>>> = HashMap::new();
    // At least one call, even without addresses or time: it shows whether an account is connected.
    let mut lists: Vec<&[&str]> = wanted.chunks(F::MOST).collect();
    if lists.is_empty() {
        lists.push(&[]);
    }
    let mut from = span.start;
    loop {
        let to = from.checked_add((F::LONGEST_DAYS * 24).hours());
        let part = Span {
            start: from,
            end: span.end.min(to.unwrap_or(Timestamp::MAX)),
        };
        for list in &lists {
            for (address, seen) in list.iter().zip(of.look(list, part).await?) {
                // An address that isn't visible in one part counts as not visible.
                let so_far = known.entry(address).or_insert_with(|| Some(Vec::new()));
                *so_far = so_far.take().zip(seen).map(|(mut all, seen)| {
                    all.extend(seen);
                    all
                });
            }
        }
        from = part.end;
        if from >= span.end {
            break;
        }
    }
    let answer = |address: &String| match known.get(address.as_str()) {
        Some(Some(busy)) => Availability::Busy(Span::merged(busy.clone(), &span)),
        Some(None) | None => Availability::Hidden,
    };
    Ok(asked.iter().map(answer).collect())
}
