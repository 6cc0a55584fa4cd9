//! Commands that put things into the planner:
//!
//! - `task 5 low Call Ana` and `block monday work 09:00-10:00 Focus` create a task and a block.
//! - `event 2026-11-23T15:00:00Z 2026-11-23T16:00:00Z Ana` puts a meeting into the calendar, `free` one that takes no
//!   time, `holiday 2026-11-20 2026-11-21 Trip` whole days that do, `birthday` whole days that don't.
//! - `calendar away` lets the calendar fail; also `none` and `refused`.
//! - `proposal apr_1 {"status": "approved"}` stores the proposal of a plan, `approval apr_1 {} | title` any other
//!   approval, and `executed run_1 {} | workflow_schedule` a finished workflow, each with these fields replaced.

use super::json::split;
use super::world::World;
use crate::testing::*;
use alfred_core::ports::{AccountService, Event};
use serde::Serialize;
use serde::de::DeserializeOwned;

impl World {
    pub(super) async fn store(&mut self, name: &str, rest: &str) {
        let harness = &self.harness;
        match name {
            "task" => {
                let [minutes, priority, title] = words(rest);
                let minutes = minutes.parse().unwrap();
                harness.task(title, minutes, priority).await;
            }
            "block" => {
                let [date, block] = words(rest);
                harness.block(date, block).await;
            }
            "calendar" => {
                let fails = match rest {
                    "away" => || AccountError::NotReached {
                        detail: "503".into(),
                        retry_after: None,
                    },
                    "none" => || AccountError::NotConnected(AccountService::Calendar),
                    _ => || AccountError::refused("Access was withdrawn."),
                };
                self.harness = harness.clone().calendar_fails(fails);
            }
            "approval" | "proposal" | "executed" => {
                let [id, rest] = words(rest);
                let (fields, about) = split(rest);
                let about = about.unwrap_or_default();
                match name {
                    "approval" => harness.ask(id, about, |one| replace(one, fields)).await,
                    "proposal" => harness.propose(id, |one| replace(one, fields)).await,
                    _ => {
                        harness
                            .executed(about, id, |one| replace(one, fields))
                            .await
                    }
                }
            }
            kind => {
                let event = calendar_event(kind, rest, self.events.len() + 1);
                self.events.push(event);
                self.harness = harness.clone().events(self.events.clone());
            }
        }
    }
}

fn calendar_event(kind: &str, text: &str, number: usize) -> Event {
    let [start, end, title] = words(text);
    let id = format!("e{number}");
    let busy = matches!(kind, "event" | "holiday");
    if matches!(kind, "event" | "free") {
        let event = event(&id, title, start, end);
        return Event { busy, ..event };
    }
    let [first, last] = [start, end].map(|day| day.parse().unwrap());
    Event {
        time: EventTime::AllDay { first, last },
        busy,
        ..event(&id, title, "2026-11-20T00:00:00Z", "2026-11-20T01:00:00Z")
    }
}

fn replace<T: Serialize + DeserializeOwned>(thing: &mut T, fields: Value) {
    let mut value = json!(thing);
    let whole = value.as_object_mut().unwrap();
    whole.extend(fields.as_object().unwrap().clone());
    *thing = serde_json::from_value(value).unwrap();
}

fn words<const N: usize>(text: &str) -> [&str; N] {
    let words: Vec<&str> = text.splitn(N, ' ').collect();
    words.try_into().unwrap()
}
