//! The commands of scenarios. A word with an underscore is a call of that tool, each under its own key.

use super::json::{parse, short, split};
use super::outcome::{in_short, of_call, of_error, of_gate, of_look};
use super::setup::GivenWeb;
use crate::testing::*;
use alfred_agent::model::Approval;
use alfred_agent::tool::{Resolution, UndoCall};
use alfred_core::ports::Event;
use alfred_testkit::MemoryCalendar;
use serde::de::DeserializeOwned;

#[derive(Default)]
pub(super) struct World {
    pub(super) harness: ToolHarness,
    pub(super) mail: Option<Arc<MemoryMail>>,
    pub(super) calendar: Option<Arc<MemoryCalendar>>,
    pub(super) web: Option<Arc<GivenWeb>>,
    pub(super) events: Vec<Event>,
    calls: usize,
    /// The last call, and which part of its data is shown.
    last: Option<(String, Value, Option<String>)>,
    undo: Vec<UndoCall>,
}

pub(super) fn given<T: DeserializeOwned>(text: &str) -> T {
    serde_json::from_value(parse(text)).unwrap_or_else(|error| panic!("{error}: {text}"))
}

impl Default for ToolHarness {
    fn default() -> Self {
        Self::at("2026-11-21T12:00:00Z")
    }
}

impl World {
    /// Runs a command, and returns what it shows. Of `3 times task 5 low t«n»`, which creates t0, t1 and t2, it
    /// returns what the last one shows.
    pub(super) async fn run(&mut self, command: &str) -> String {
        let Some((times, command)) = command.split_once(" times ") else {
            return self.once(command).await;
        };
        let mut shown = String::new();
        for n in 0..times.parse::<u32>().unwrap() {
            shown = self.once(&command.replace("«n»", &n.to_string())).await;
        }
        shown
    }

    async fn once(&mut self, command: &str) -> String {
        let (name, rest) = command.split_once(' ').unwrap_or((command, ""));
        let mut other = self.harness.clone();
        match name {
            "tainted" if !rest.is_empty() => other = other.tainted(),
            "hand" => other.context.call.by_hand = true,
            person => match person.split_once('/') {
                Some((team, user)) => other = other.asked_by(team, user),
                None => return self.act(name, rest.trim()).await,
            },
        }
        let own = std::mem::replace(&mut self.harness, other);
        let (name, rest) = rest.split_once(' ').unwrap();
        let shown = self.act(name, rest).await;
        self.harness = own;
        shown
    }

    async fn act(&mut self, name: &str, rest: &str) -> String {
        if name.contains('_') {
            let (arguments, selected) = split(rest);
            self.last = Some((name.to_owned(), arguments, selected.map(str::to_owned)));
            self.calls += 1;
            return self.call().await;
        }
        if ["card", "approve", "gate", "to", "look"].contains(&name) {
            let (tool, arguments) = rest.split_once(' ').unwrap();
            return self.ask(name, tool, &parse(arguments)).await;
        }
        match name {
            "again" => self.call().await,
            "propose" => self.propose(rest).await,
            "undo" => self.undo(rest).await,
            "show" => self.show(rest).await,
            _ => {
                self.give(name, rest).await;
                String::new()
            }
        }
    }

    fn key(&mut self) {
        self.harness.context.call.key = format!("run_1:call_{}", self.calls);
    }

    async fn call(&mut self) -> String {
        self.key();
        let (name, arguments, selected) = self.last.clone().unwrap();
        let outcome = self.harness.run(&name, arguments.clone()).await;
        if let Ok(output) = &outcome {
            self.harness.check_output(&name, &arguments, output).await;
            if let Some(receipt) = &output.receipt {
                self.undo = receipt.undo.clone();
            }
        }
        match selected {
            Some(selected) => in_short(&outcome, &selected),
            None => of_call(&outcome),
        }
    }

    async fn undo(&mut self, rest: &str) -> String {
        let selected = rest.strip_prefix('|').map(str::to_owned);
        let mut shown = Vec::new();
        for undo in std::mem::take(&mut self.undo) {
            self.calls += 1;
            self.harness.context.call.left = undo.left;
            self.last = Some((undo.tool, undo.arguments, selected.clone()));
            shown.push(self.call().await);
        }
        self.harness.context.call.left = None;
        if shown.is_empty() {
            return "Has no undo.".to_owned();
        }
        shown.join("\n")
    }

    /// Lets a workflow propose. Shows its card and stores the proposal, or shows its answer.
    async fn propose(&mut self, rest: &str) -> String {
        let (name, rest) = rest.split_once(' ').unwrap();
        let (wish, without) = split(rest);
        self.calls += 1;
        let (tool, context) = (crate::tool(name).unwrap(), &self.harness.context);
        let mut payload = match tool.resolve(context, wish).await {
            Ok(Resolution::Call(payload)) => payload,
            Ok(Resolution::Nothing(output)) => return of_call(&Ok(*output)),
            Err(error) => return of_error(&error),
        };
        let preview = tool.preview(context, &payload).await.unwrap();
        let shown = preview.as_text();
        payload["without"] = Vec::from_iter(without).into();
        let change = |approval: &mut Approval| {
            approval.action_type = name.to_owned();
            (approval.payload, approval.preview) = (payload, preview);
        };
        let id = format!("apr_{}", self.calls);
        self.harness.ask(&id, "", change).await;
        shown
    }

    async fn ask(&mut self, what: &str, name: &str, arguments: &Value) -> String {
        let tool = crate::tool(name).unwrap();
        self.key();
        let context = &self.harness.context;
        match what {
            "gate" => of_gate(&self.harness.required(name, arguments)),
            "to" => match tool.recipients(context, arguments).await {
                Ok(named) => named.join(", "),
                Err(error) => of_error(&error),
            },
            "look" => of_look(&tool.settle(context, arguments).await),
            _ => match tool.preview(context, arguments).await {
                Ok(preview) if what == "approve" => {
                    self.harness.context.call.shown = preview.digest().ok();
                    String::new()
                }
                Ok(preview) => short(&preview.as_text()),
                Err(error) => of_error(&error),
            },
        }
    }
}
