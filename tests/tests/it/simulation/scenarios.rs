//! The stories: people's acts, the model's answers, and the expected result.

use alfred_agent::slack::card::action;
use alfred_core::ports::{Message, Output, Turn, TurnRequest};
use alfred_testkit::{When, calls, says};
use std::ops::RangeInclusive;

use crate::simulation::person::Act;
use crate::simulation::ports::Script;

mod workers;

pub use workers::chat_with;

#[derive(Clone)]
pub struct Scenario {
    pub name: &'static str,
    pub model: Script,
    pub acts: &'static [Act],
    pub lost_posts: &'static [When],
    pub unreadable: bool,
    /// Messages to others, fewer if a fault allows it.
    pub sends: RangeInclusive<usize>,
    pub tasks: usize,
    pub files: usize,
    /// Requests, each with one reply.
    pub requests: usize,
    /// Requests that must be forgotten.
    pub forgotten: &'static [&'static str],
    /// Users of tools, as the audit names them.
    pub by: &'static [(&'static str, &'static str)],
    /// Uses the embedded teams instead of one with a tool that asks.
    pub embedded_teams: bool,
}

fn story(name: &'static str, model: Script, acts: &'static [Act]) -> Scenario {
    Scenario {
        name,
        model,
        acts,
        lost_posts: &[],
        unreadable: false,
        sends: 0..=0,
        tasks: 0,
        files: 0,
        requests: 1,
        forgotten: &[],
        by: &[],
        embedded_teams: false,
    }
}

/// A story in which one message to others is sent.
fn sending(name: &'static str, model: Script, acts: &'static [Act]) -> Scenario {
    Scenario {
        sends: 1..=1,
        ..story(name, model, acts)
    }
}

pub const ASK: Act = Act::Say("Ask Ben for lunch");
pub const YES: Act = Act::Press(action::APPROVE);
const ASK_ON: Act = Act::SayAnd("Ask Ben for lunch");
const REASON: Act = Act::Reason("he is on holiday");
const UNDO: Act = Act::Press("effect_undo_0");
const EDIT: Act = Act::Edit("Lunch at one?");
const LEAVE: Act = Act::Press(action::LEAVE);
const REPEAT: Act = Act::Press(action::REPEAT);
const REMIND: Act = Act::Say("Remind me to call Ana");

pub fn all() -> Vec<Scenario> {
    let mut all = alone();
    all.extend(workers::all());
    all
}

fn alone() -> Vec<Scenario> {
    vec![
        story("simple answer", answers, &[Act::Say("Hello")]),
        sending("one approval", one_message, &[ASK, YES]),
        Scenario {
            sends: 2..=2,
            ..story("two approvals", two_messages, &[ASK, YES, YES])
        },
        sending("edited", one_message, &[ASK, EDIT, YES]),
        story("rejected", one_message, &[ASK, REASON]),
        story("expired", one_message, &[ASK, Act::Wait(61)]),
        sending("a team's approval", team_message, &[ASK, YES]),
        story("stopped at work", one_message, &[ASK_ON, Act::Stop]),
        story("stop while it asks", one_message, &[ASK, Act::Stop, YES]),
        Scenario {
            requests: 2,
            ..story("undone", one_task, &[REMIND, UNDO])
        },
        Scenario {
            lost_posts: &[When::After],
            ..sending("answer lost, found", one_message, &[ASK, YES])
        },
        Scenario {
            lost_posts: &[When::Before],
            ..sending("post lost, repeated", one_message, &[ASK, YES])
        },
        Scenario {
            sends: 0..=1,
            lost_posts: &[When::After],
            unreadable: true,
            ..story("unknown, left", one_message, &[ASK, YES, LEAVE])
        },
        Scenario {
            sends: 0..=1,
            lost_posts: &[When::Before],
            unreadable: true,
            ..story("unknown, repeated", one_message, &[ASK, YES, REPEAT])
        },
    ]
}

/// An answer with a picture. Drawing is slow, so it only runs with single faults.
pub fn drawn() -> Scenario {
    let acts = &[Act::Say("What is on today?")];
    story("an answer with a picture", one_day, acts)
}

fn answers(request: &TurnRequest) -> Turn {
    match &request.output {
        Output::Json { .. } => says("{\"result\": false}"),
        Output::Text if knows(request) => says("Good morning."),
        Output::Text => calls(&[("c1", "time_now", "{}")]),
    }
}

fn knows(request: &TurnRequest) -> bool {
    let mut messages = request.messages.iter();
    messages.any(|message| matches!(message, Message::Tool { .. }))
}

const AT_NOON: &str = r#"{"to": "U2", "text": "Lunch at noon?"}"#;
const WITH_BEN: &str = r#"{"to": "U3", "text": "Lunch with Ben?"}"#;
const TO_BEN: (&str, &str, &str) = ("c1", "slack_sendMessage", AT_NOON);
const TO_CHIYO: (&str, &str, &str) = ("c2", "slack_sendMessage", WITH_BEN);

fn of(request: &TurnRequest, asked: &[(&str, &str, &str)]) -> Turn {
    match &request.output {
        Output::Json { .. } => says("{\"result\": false}"),
        Output::Text if knows(request) => says("Here is where it stands."),
        Output::Text => calls(asked),
    }
}

fn one_message(request: &TurnRequest) -> Turn {
    of(request, &[TO_BEN])
}

fn two_messages(request: &TurnRequest) -> Turn {
    of(request, &[TO_BEN, TO_CHIYO])
}

fn one_task(request: &TurnRequest) -> Turn {
    let task = r#"{"title": "Call Ana"}"#;
    of(request, &[("c1", "task_createTask", task)])
}

fn one_day(request: &TurnRequest) -> Turn {
    of(request, &[("c1", "schedule_viewSchedule", "{}")])
}

const ONE_TEAM: &str =
    r#"{"teams":[{"team":"marketing","task":"Ask Ben","additional_instructions":"","after":[]}]}"#;

fn team_message(request: &TurnRequest) -> Turn {
    match &request.output {
        Output::Json { name, .. } if *name == "predicate" => says("{\"result\": true}"),
        Output::Json { .. } => says(ONE_TEAM),
        Output::Text => one_message(request),
    }
}
