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

const ASK: Act = Act::Say("Ask Ben for lunch");

pub fn all() -> Vec<Scenario> {
    let mut all = alone();
    all.extend(workers::all());
    all
}

fn alone() -> Vec<Scenario> {
    vec![
        story("simple answer", answers, &[Act::Say("Hello")]),
        Scenario {
            sends: 1..=1,
            ..story(
                "one approval",
                one_message,
                &[ASK, Act::Press(action::APPROVE)],
            )
        },
        Scenario {
            sends: 2..=2,
            ..story(
                "two approvals",
                two_messages,
                &[
                    ASK,
                    Act::Press(action::APPROVE),
                    Act::Press(action::APPROVE),
                ],
            )
        },
        Scenario {
            sends: 1..=1,
            ..story(
                "edited",
                one_message,
                &[ASK, Act::Edit("Lunch at one?"), Act::Press(action::APPROVE)],
            )
        },
        story(
            "rejected",
            one_message,
            &[ASK, Act::Reason("he is on holiday")],
        ),
        story("expired", one_message, &[ASK, Act::Wait(61)]),
        Scenario {
            sends: 1..=1,
            ..story(
                "a team's approval",
                team_message,
                &[ASK, Act::Press(action::APPROVE)],
            )
        },
        story(
            "stopped at work",
            one_message,
            &[Act::SayAnd("Ask Ben for lunch"), Act::Stop],
        ),
        story(
            "stop while it asks",
            one_message,
            &[ASK, Act::Stop, Act::Press(action::APPROVE)],
        ),
        Scenario {
            requests: 2,
            ..story(
                "undone",
                one_task,
                &[
                    Act::Say("Remind me to call Ana"),
                    Act::Press("effect_undo_0"),
                ],
            )
        },
        Scenario {
            sends: 1..=1,
            lost_posts: &[When::After],
            ..story(
                "answer lost, found",
                one_message,
                &[ASK, Act::Press(action::APPROVE)],
            )
        },
        Scenario {
            sends: 1..=1,
            lost_posts: &[When::Before],
            ..story(
                "post lost, repeated",
                one_message,
                &[ASK, Act::Press(action::APPROVE)],
            )
        },
        Scenario {
            sends: 0..=1,
            lost_posts: &[When::After],
            unreadable: true,
            ..story(
                "unknown, left",
                one_message,
                &[ASK, Act::Press(action::APPROVE), Act::Press(action::LEAVE)],
            )
        },
        Scenario {
            sends: 0..=1,
            lost_posts: &[When::Before],
            unreadable: true,
            ..story(
                "unknown, repeated",
                one_message,
                &[ASK, Act::Press(action::APPROVE), Act::Press(action::REPEAT)],
            )
        },
    ]
}

/// An answer with a picture. Drawing is slow, so it only runs with single faults.
pub fn drawn() -> Scenario {
    story(
        "an answer with a picture",
        one_day,
        &[Act::Say("What is on today?")],
    )
}

fn answers(request: &TurnRequest) -> Turn {
    match &request.output {
        Output::Json { .. } => says("{\"result\": false}"),
        Output::Text if knows(request) => says("Good morning."),
        Output::Text => calls(&[("c1", "time_now", "{}")]),
    }
}

fn knows(request: &TurnRequest) -> bool {
    request
        .messages
        .iter()
        .any(|message| matches!(message, Message::Tool { .. }))
}

const TO_BEN: (&str, &str, &str) = (
    "c1",
    "slack_sendMessage",
    r#"{"to": "U2", "text": "Lunch at noon?"}"#,
);
const TO_CHIYO: (&str, &str, &str) = (
    "c2",
    "slack_sendMessage",
    r#"{"to": "U3", "text": "Lunch with Ben?"}"#,
);

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
    of(
        request,
        &[("c1", "task_createTask", r#"{"title": "Call Ana"}"#)],
    )
}

fn one_day(request: &TurnRequest) -> Turn {
    of(request, &[("c1", "schedule_viewSchedule", "{}")])
}

fn team_message(request: &TurnRequest) -> Turn {
    match &request.output {
        Output::Json {
            name: "predicate", ..
        } => says("{\"result\": true}"),
        Output::Json { .. } => says(
            r#"{"teams":[{"team":"marketing","task":"Ask Ben","additional_instructions":"","after":[]}]}"#,
        ),
        Output::Text => one_message(request),
    }
}
