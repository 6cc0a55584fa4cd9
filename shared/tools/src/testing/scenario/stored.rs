//! Commands that put things into the planner:
//!
//! - `task 5 low Call Ana` and `block monday work 09:00-10:00 Focus` create a task and a block.
//! - `event 2026-11-23T15:00:00Z 2026-11-23T16:00:00Z Ana` puts a meeting into the calendar, `free` one that takes no
//!   time, `holiday 2026-11-20 2026-11-21 Trip` whole days that do, `birthday` whole days that don't.
//! - `proposal apr_1 {"status": "approved"}` stores the proposal of a plan, `approval apr_1 {} | title` any other
//!   approval, and `executed run_1 {} | workflow_schedule` a finished workflow, each with these fields replaced.
//! - `run run_2 workflow_schedule 2026-11-21T11:50:00Z {"is": "ready"}` stores a run in the middle of a call of this
//!   tool, with the time of its last change and its state.
//! - `exchange Call Ana` stores an answered request of this conversation.
//! - `waiting apr_1` stores an index entry, by which the person finds this approval.
//! - `newer workflows` stores a row that this release can't read; also `feedback` and `tasks`.

use super::json::split;
use super::world::World;
use crate::testing::*;
use alfred_agent::model::{Before, Exchange, Progress, Session};
use alfred_core::Taint;
use alfred_core::ports::{Event, Key};
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
            "approval" | "proposal" | "executed" => {
                let [id, rest] = words(rest);
                let (fields, about) = split(rest);
                let about = about.unwrap_or_default();
                match name {
                    "approval" => harness.ask(id, about, |one| replace(one, fields)).await,
                    "proposal" => harness.propose(id, |one| replace(one, fields)).await,
                    _ => harness.executed(about, id, |it| replace(it, fields)).await,
                }
            }
            "run" => run(harness, words(rest)).await,
            "exchange" => exchange(harness, rest).await,
            "waiting" => {
                let (team, user) = (&harness.context.team, harness.context.user_id());
                let index = keys::pending(team, user, &rest.into());
                harness.put(Write::put(index, None, json!({}))).await;
            }
            "newer" => {
                let partition = match rest {
                    "feedback" => keys::feedback,
                    "workflows" => keys::workflows,
                    _ => keys::task_events,
                };
                let (context, user) = (&harness.context, harness.context.user_id());
                let partition = partition(&context.team, user, context.now);
                let key = Key::state(partition, format!("{}#run_9", context.now));
                let body = json!({"type": "ovation", "secret": "words of a person"});
                harness.put(Write::put(key, None, body)).await;
            }
            kind => {
                let event = calendar_event(kind, rest, self.events.len() + 1);
                self.events.push(event);
                self.harness = harness.clone().events(self.events.clone());
            }
        }
    }
}

async fn exchange(harness: &ToolHarness, request: &str) {
    let context = &harness.context;
    let (team, user) = (&context.team, context.user_id());
    let session = Session::load(&*context.store, team, user, &context.session).await;
    let mut session = session.unwrap();
    session.memory.push(Exchange {
        request: request.into(),
        answer: "Done.".into(),
        taint: Taint::default(),
        quotes: false,
        run: None,
    });
    for write in session.write(team, user, &context.session).unwrap() {
        harness.put(write).await;
    }
}

async fn run(harness: &ToolHarness, [id, tool, moved, state]: [&str; 4]) {
    let (team, user) = (&harness.context.team, harness.context.user_id());
    let row = json!({
        "v": 1, "id": id, "team": team, "user": user, "session": "T1/U1/D1",
        "trace_id": "0123456789abcdef0123456789abcdef",
        "input": {
            "contract": "worker", "task_prompt": "go",
            "user_context": {"slack_user_id": user, "email": "", "name": "P", "timezone": "UTC", "role": "member"},
            "slack_context": {"channel_id": "D1", "thread_ts": null, "response_type": "dm"},
            "session_id": "T1/U1/D1",
        },
        "state": split(state).0, "before": Before::default(), "progress": Progress::default(),
        "watch_at": moved, "created_at": moved, "updated_at": moved, "work": {"by": "agent"},
        "taint": Taint::default(),
    });
    let step = json!({"v": 1, "seq": 1, "at": moved, "ms": 0, "frame": [], "did": {
        "step": "turn", "text": "", "tool_calls": [{"id": "c1", "name": tool, "arguments": "{}"}],
        "finish": "tool_calls", "model": "m",
        "usage": {"input_tokens": 0, "output_tokens": 0, "cost_micros": null},
    }});
    let (id, at) = (id.into(), moved.parse().unwrap());
    for (key, body) in [
        (keys::run(team, &id), row),
        (keys::step(team, &id, 1), step),
        (keys::user_run(team, user, at, &id), json!({})),
    ] {
        harness.put(Write::create(key, body)).await;
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
