//! When people are busy, asked for in as many parts as their provider wants.

use alfred_core::ports::{AccountError, Availability, Mailbox, Span};
use async_trait::async_trait;
use jiff::{Timestamp, ToSpan};
use std::collections::HashMap;

/// A provider that tells when people are busy.
#[async_trait]
pub(crate) trait FreeBusy: Send + Sync {
    /// Addresses of one call.
    const MOST: usize;
    /// Days of one call.
    const LONGEST_DAYS: i64;

    /// One answer for each address, `None` for whom it can't see: that is neither busy nor free. Without addresses it
    /// shows whether there is an account.
    async fn look(
        &self,
        addresses: &[&str],
        part: Span,
    ) -> Result<Vec<Option<Vec<Span>>>, AccountError>;
}

/// One answer for each address, in order.
pub(crate) async fn availability<F: FreeBusy>(
    of: &F,
    addresses: &[String],
    span: Span,
) -> Result<Vec<Availability>, AccountError> {
    let id = |address: &String| address.trim().to_lowercase();
    let asked: Vec<String> = addresses.iter().map(id).collect();
    let mut wanted: Vec<&str> = asked.iter().map(String::as_str).collect();
    wanted.retain(|address| Mailbox::new("", address).is_addressable());
    wanted.sort_unstable();
    wanted.dedup();
    let mut known: HashMap<&str, Option<Vec<Span>>> = HashMap::new();
    let mut from = span.start;
    // Also for nobody, and for no time: whether there is an account shows by asking.
    loop {
        let to = from.checked_add((F::LONGEST_DAYS * 24).hours());
        let part = Span {
            start: from,
            end: span.end.min(to.unwrap_or(Timestamp::MAX)),
        };
        let mut rest = wanted.as_slice();
        loop {
            let (now, later) = rest.split_at(rest.len().min(F::MOST));
            for (address, seen) in now.iter().zip(of.look(now, part).await?) {
                // Who can't be seen in a part of the time can't be seen.
                let so_far = known.entry(address).or_insert_with(|| Some(Vec::new()));
                *so_far = so_far.take().zip(seen).map(|(mut all, seen)| {
                    all.extend(seen);
                    all
                });
            }
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
    let answers = asked
        .iter()
        .map(|address| match known.get(address.as_str()) {
            Some(Some(busy)) => Availability::Busy(Span::merged(busy.clone(), &span)),
            Some(None) | None => Availability::Hidden,
        });
    Ok(answers.collect())
}
