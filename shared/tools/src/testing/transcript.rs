//! Replays a text of tool calls. The lines below a call that are indented by two spaces are its results:
//!
//! - `== title @ 2026-11-20T08:00:00Z Europe/Berlin` begins in a new world; the zone is UTC when left out.
//! - `task 5 low Call Ana` and `block monday work 09:00-10:00 Focus` create a task and a block.
//! - `event 2026-11-23T15:00:00Z 2026-11-23T16:00:00Z Ana` puts a meeting into the calendar, `free` one that takes no time,
//!   `holiday 2026-11-20 2026-11-21 Trip` whole days that do, `birthday` whole days that don't.
//! - `calendar away` lets the calendar fail; also `none` and `refused`.
//! - `later 2026-11-21T08:00:00Z` sets the clock.
//! - `task_viewTasks {} | tasks: title score | total` makes a call. Its receipt with the place is shown, `taints` if other
//!   people's words are in the result, then the fields of each task, then the total. `*` shows the whole result, and
//!   `decided` the proposal that a decision makes.
//! - `card task_deleteTask {"taskId": "call"}` shows the card of a call.
//! - A refused call shows the error for the model, then the text for the person if it differs. "x*201" stands for 201 times x.
//! - `undo` makes the undo calls of the last receipt.
//! - `proposal apr_1 {"status": "approved"}` stores the proposal of a plan, `approval apr_1 {} | title` any other approval, and
//!   `executed run_1 {} | workflow_schedule` a finished workflow, each with these fields replaced.
//! - `tainted` before a call makes it in a run that has read other people's words, `hand` without a model, and `T1/U2` as
//!   another person.

use alfred_agent::tool::UndoCall;
use alfred_core::ports::{AccountError, AccountService, Event, EventTime};
use alfred_testkit::wording::is_for_people;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{Flow, ToolError, ToolHarness, assert_reviewed, event};

#[derive(Default)]
struct Replay {
    harness: Option<ToolHarness>,
    events: Vec<Event>,
    undo: Vec<UndoCall>,
    lines: Vec<String>,
}

/// `file` is a path in `src`. `INSTA_UPDATE=always` accepts the results.
pub(crate) async fn replay(file: &str) {
    let path = format!("{}/src/{file}", env!("CARGO_MANIFEST_DIR"));
    let mut replay = Replay::default();
    for line in std::fs::read_to_string(path).unwrap().lines() {
        if !line.starts_with("  ") {
            replay.lines.push(line.to_owned());
            replay.line(line).await;
        }
    }
    assert_reviewed(file, &replay.lines);
}

impl Replay {
    async fn line(&mut self, line: &str) {
        let Some(now) = self.harness.clone() else {
            return self.setting(line).await;
        };
        match line.split_once(' ') {
            Some(("tainted", rest)) => self.act(&now.tainted(), rest).await,
            Some(("hand", rest)) => {
                let mut harness = now;
                harness.context.call.by_hand = true;
                self.act(&harness, rest).await;
            }
            Some((person, rest)) if person.contains('/') => {
                let (team, user) = person.split_once('/').unwrap();
                self.act(&now.asked_by(team, user), rest).await;
            }
            _ => self.setting(line).await,
        }
    }

    /// Changes the world, or makes a call as its owner.
    async fn setting(&mut self, line: &str) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "" | "#" => {}
            "==" => {
                let (_, world) = rest.split_once(" @ ").unwrap();
                let (now, zone) = world.split_once(' ').unwrap_or((world, "UTC"));
                let harness = ToolHarness::at(now).zone(zone);
                harness.register("U1", |_| ()).await;
                self.events.clear();
                self.harness = Some(harness);
            }
            "later" => self.harness = Some(self.harness().later(rest)),
            "event" | "free" | "holiday" | "birthday" => {
                self.events
                    .push(calendar_event(word, rest, self.events.len()));
                self.harness = Some(self.harness().events(self.events.clone()));
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
                self.harness = Some(self.harness().calendar_fails(fails));
            }
            "undo" => {
                for undo in std::mem::take(&mut self.undo) {
                    let mut harness = self.harness();
                    harness.context.call.key.push_str(":undo");
                    harness.context.call.left = undo.left;
                    self.make(&harness, &undo.tool, undo.arguments, "").await;
                }
            }
            _ => self.act(&self.harness(), line).await,
        }
    }

    /// Stores something of a person, or makes their call.
    async fn act(&mut self, harness: &ToolHarness, line: &str) {
        let (word, rest) = line.split_once(' ').unwrap();
        match word {
            "task" => {
                let [minutes, priority, title]: [&str; 3] = words(rest);
                harness
                    .task(title, minutes.parse().unwrap(), priority)
                    .await;
            }
            "block" => {
                let (date, block) = rest.split_once(' ').unwrap();
                harness.block(date, block).await;
            }
            "approval" => {
                let (id, changes, title) = call(rest);
                harness
                    .ask(id, title, |approval| merge(approval, changes))
                    .await;
            }
            "proposal" => {
                let (id, changes, _) = call(rest);
                harness
                    .propose(id, |approval| merge(approval, changes))
                    .await;
            }
            "executed" => {
                let (id, changes, kind) = call(rest);
                harness.executed(kind, id, |one| merge(one, changes)).await;
            }
            "card" => {
                let (name, args, _) = call(rest);
                let card = match harness.preview(name, args).await {
                    Ok(preview) => preview.as_text(),
                    Err(error) => format!("error: {error}"),
                };
                self.tell(&card);
            }
            _ => {
                let (name, args, shown) = call(line);
                self.make(harness, name, args, shown).await;
            }
        }
    }

    fn harness(&self) -> ToolHarness {
        self.harness.clone().unwrap()
    }

    fn tell(&mut self, text: &str) {
        self.lines
            .extend(text.lines().map(|line| format!("  {line}")));
    }

    /// Makes a call, commits it and writes down what it gave.
    async fn make(&mut self, harness: &ToolHarness, name: &str, args: Value, shown: &str) {
        let output = match harness.run(name, args).await {
            Ok(output) => output,
            Err(ToolError::Failed(why)) => {
                self.tell(&format!("error: {}", why.message));
                let person = why.clone().said();
                is_for_people(&person);
                if person != why.message {
                    self.tell(&format!("person: {person}"));
                }
                return;
            }
            Err(other) => panic!("{name}: {other}"),
        };
        if !output.writes.is_empty() {
            harness.commit(&output).await.unwrap();
        }
        let taints = output.flow == Some(Flow::UNKNOWN);
        if let Some(receipt) = output.receipt {
            let undo = if receipt.undo.is_empty() {
                ", no undo"
            } else {
                ""
            };
            self.tell(&format!("✓ {} ({}){undo}", receipt.what, receipt.place));
            self.undo = receipt.undo;
        }
        if taints {
            self.tell("taints");
        }
        for choice in &output.choices {
            let (id, revision, verdict) = (&choice.approval, choice.revision, choice.verdict);
            self.tell(&format!("decides {id}, revision {revision}: {verdict:?}"));
        }
        let mut data = Value::Object(output.data);
        if let Some(choice) = output.choices.first() {
            data["decided"] = json!(choice.arguments);
        }
        for part in shown.split(" | ").filter(|part| !part.is_empty()) {
            self.show(&data, part);
        }
    }

    fn show(&mut self, data: &Value, part: &str) {
        let (path, fields) = part.split_once(": ").unwrap_or((part, ""));
        let found = match path {
            "*" => data,
            path => data.pointer(&format!("/{path}")).unwrap_or(&Value::Null),
        };
        let field = |item: &Value, field: &str| match item.pointer(&format!("/{field}")) {
            Some(Value::String(text)) => text.clone(),
            Some(value) => value.to_string(),
            None => "-".to_owned(),
        };
        let row = |item: &Value| {
            let fields = fields.split(' ').map(|name| field(item, name));
            fields.collect::<Vec<_>>().join(" ")
        };
        match found {
            Value::Array(items) if !fields.is_empty() => {
                let rows = items.iter().map(row).collect::<Vec<_>>().join("\n");
                self.tell(if rows.is_empty() { "none" } else { &rows });
            }
            item if !fields.is_empty() => self.tell(&row(item)),
            Value::String(text) => self.tell(&format!("{path}: {text}")),
            other => self.tell(&format!("{path}: {other}")),
        }
    }
}

fn calendar_event(kind: &str, text: &str, before: usize) -> Event {
    let [start, end, title]: [&str; 3] = words(text);
    let id = format!("e{}", before + 1);
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

/// Writes out "x*201".
fn written_out(value: Value) -> Value {
    match value {
        Value::String(text) => match text.strip_prefix("x*").map(str::parse) {
            Some(Ok(times)) => "x".repeat(times).into(),
            _ => text.into(),
        },
        Value::Object(fields) => {
            let fields = fields.into_iter();
            fields
                .map(|(name, value)| (name, written_out(value)))
                .collect()
        }
        other => other,
    }
}

/// Replaces fields of a stored thing.
fn merge<T: Serialize + DeserializeOwned>(thing: &mut T, changes: Value) {
    let mut value = json!(thing);
    for (field, change) in changes.as_object().unwrap() {
        value[field] = change.clone();
    }
    *thing = serde_json::from_value(value).unwrap();
}

fn words<const N: usize>(text: &str) -> [&str; N] {
    let words: Vec<&str> = text.splitn(N, ' ').collect();
    words.try_into().unwrap()
}

/// A tool, its arguments and what to show of the result.
fn call(text: &str) -> (&str, Value, &str) {
    let (name, rest) = text.split_once(' ').unwrap();
    let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
    let args = written_out(values.next().unwrap().unwrap());
    let shown = &rest[values.byte_offset()..];
    (name, args, shown.strip_prefix(" | ").unwrap_or_default())
}
