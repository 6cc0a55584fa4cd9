use alfred_agent::Ports;
use alfred_agent::store::timer::{Timer, arm};
use alfred_core::ports::{Condition, Item, Key, Write};
use alfred_core::{Failure, Result, keys};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

const FIRST_POSTPONED: SignedDuration = SignedDuration::from_secs(5);
const LONGEST_POSTPONED: SignedDuration = SignedDuration::from_hours(1);

/// Moves a timer without writing the run, so that its worker isn't disturbed.
pub async fn look_again(ports: &Ports, at: Timestamp, timer: &Timer, item: &Item) -> Result<()> {
    let mut timer = timer.clone();
    timer.tries = 0;
    replace(ports, item, Some(arm(at, &timer)?)).await
}

/// After a failure.
pub async fn postpone(ports: &Ports, timer: &Timer, item: &Item) -> Result<()> {
    let wait = LONGEST_POSTPONED.min(FIRST_POSTPONED * (1 << timer.tries.min(20)));
    let at = ports.clock.now().saturating_add(wait);
    let mut timer = timer.clone();
    timer.tries += 1;
    replace(ports, item, Some(arm(at.map_err(Failure::bug)?, &timer)?)).await
}

/// Moves an item to a separate partition, where it blocks nothing.
pub async fn set_aside(ports: &Ports, item: &Item, why: &str) -> Result<()> {
    let key = Key::state(keys::timers_set_aside(), &item.key.range);
    let kept = json!({ "timer": item.body, "why": why });
    replace(ports, item, Some(Write::put(key, None, kept))).await
}

pub async fn served(ports: &Ports, item: &Item) -> Result<()> {
    replace(ports, item, None).await
}

/// Does nothing if the item changed meanwhile.
async fn replace(ports: &Ports, item: &Item, with: Option<Write>) -> Result<()> {
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
