//! What becomes of a timer that was due: served, looked at again, postponed or set aside.

use alfred_core::ports::{Commit, Condition, Item, Key, StoreError, Write};
use alfred_core::{Failure, keys};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use std::time::Duration;

use super::{Timer, arm};
use crate::ports::Ports;

/// Before a timer that couldn't be served is tried again; doubled each time.
const FIRST_POSTPONED: Duration = Duration::from_secs(5);
const LONGEST_POSTPONED: Duration = Duration::from_secs(3_600);

/// Lets a watchdog look again at another time. The run isn't written, so who works on it isn't
/// disturbed, and its `watch_at` stays behind: a look that comes too late finds the run over.
///
/// # Errors
/// When the store doesn't answer.
pub async fn look_again(
    ports: &Ports,
    at: Timestamp,
    timer: &Timer,
    item: &Item,
) -> Result<(), Failure> {
    let timer = Timer {
        tries: 0,
        ..timer.clone()
    };
    replace(ports, item, Some(arm(at, &timer)?)).await
}

/// Moves a timer that couldn't be served, the later the more often that was so.
///
/// # Errors
/// When the store doesn't answer.
pub async fn postpone(ports: &Ports, timer: &Timer, item: &Item) -> Result<(), Failure> {
    let wait = FIRST_POSTPONED
        .saturating_mul(1 << timer.tries.min(20))
        .min(LONGEST_POSTPONED);
    let wait = SignedDuration::try_from(wait).unwrap_or(SignedDuration::MAX);
    let at = ports
        .clock
        .now()
        .saturating_add(wait)
        .map_err(Failure::bug)?;
    let later = Timer {
        tries: timer.tries + 1,
        ..timer.clone()
    };
    replace(ports, item, Some(arm(at, &later)?)).await
}

/// Takes an item that can't be served out of its bucket, and keeps it where it holds up nothing.
///
/// # Errors
/// When the store doesn't answer.
pub async fn set_aside(ports: &Ports, item: &Item, why: &str) -> Result<(), Failure> {
    let key = Key::state(keys::timers_set_aside(), &item.key.range);
    let kept = json!({ "timer": item.body, "why": why });
    replace(ports, item, Some(Write::put(key, None, kept))).await
}

/// Deletes a timer that was served, unless it was set anew meanwhile.
///
/// # Errors
/// When the store doesn't answer.
pub async fn served(ports: &Ports, item: &Item) -> Result<(), Failure> {
    replace(ports, item, None).await
}

/// Deletes an item and writes another in its stead; neither if it changed meanwhile.
async fn replace(ports: &Ports, item: &Item, with: Option<Write>) -> Result<(), Failure> {
    let condition = Some(Condition::Version(item.version));
    let writes = match with {
        // Served before its time, it goes back to where it was.
        Some(same) if same.key == item.key => vec![Write { condition, ..same }],
        with => {
            let gone = Write::delete(item.key.clone(), condition);
            with.into_iter().chain([gone]).collect()
        }
    };
    let commit = Commit::new(&*ports.ids, writes);
    match ports.store.commit(&commit).await {
        Ok(()) | Err(StoreError::Conflict { .. }) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
