//! Finishes timers that were due: deletes, moves or sets them aside.

use alfred_agent::Ports;
use alfred_agent::store::timer::{Timer, arm};
use alfred_core::ports::{Condition, Item, Key, Write};
use alfred_core::{Failure, keys};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use std::time::Duration;

/// Delay before a failed timer is tried again; doubled at each failure.
const FIRST_POSTPONED: Duration = Duration::from_secs(5);
const LONGEST_POSTPONED: Duration = Duration::from_secs(3_600);

/// Moves a timer to another time, without writing the run, so that its worker isn't disturbed. The run's
/// `watch_at` becomes outdated, which is harmless: a late check finds the run ended.
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

/// Moves a timer that couldn't be served, with a delay that doubles at each failure.
pub async fn postpone(ports: &Ports, timer: &Timer, item: &Item) -> Result<(), Failure> {
    let wait = FIRST_POSTPONED
        .saturating_mul(1 << timer.tries.min(20))
        .min(LONGEST_POSTPONED);
    let wait = SignedDuration::try_from(wait).unwrap_or(SignedDuration::MAX);
    let at = ports.clock.now().saturating_add(wait);
    let later = Timer {
        tries: timer.tries + 1,
        ..timer.clone()
    };
    replace(ports, item, Some(arm(at.map_err(Failure::bug)?, &later)?)).await
}

/// Moves an item that can't be served to a separate partition, where it blocks nothing.
pub async fn set_aside(ports: &Ports, item: &Item, why: &str) -> Result<(), Failure> {
    let key = Key::state(keys::timers_set_aside(), &item.key.range);
    let kept = json!({ "timer": item.body, "why": why });
    replace(ports, item, Some(Write::put(key, None, kept))).await
}

/// Deletes a served timer, unless it was set again meanwhile.
pub async fn served(ports: &Ports, item: &Item) -> Result<(), Failure> {
    replace(ports, item, None).await
}

/// Deletes an item and writes a replacement; does neither if the item changed meanwhile.
async fn replace(ports: &Ports, item: &Item, with: Option<Write>) -> Result<(), Failure> {
    let condition = Some(Condition::Version(item.version));
    let writes = match with {
        // Same key: the timer stays where it is.
        Some(same) if same.key == item.key => vec![Write { condition, ..same }],
        with => {
            let gone = Write::delete(item.key.clone(), condition);
            with.into_iter().chain([gone]).collect()
        }
    };
    ports.commit_once(writes).await
}
