//! Delegating workers, chats, and the five embedded teams.

use alfred_agent::model::Snapshot;
use alfred_core::ports::{Message, Output, Turn, TurnRequest};
use alfred_testkit::{calls, says};

use super::{ASK, Scenario, TO_BEN, YES, sending, story};
use crate::simulation::person::Act;

const LEAD: &str = "---\nname: lead\nmode: chat\ntoolsets: {workers: {allowed_workers: [keeper]}}\n---\nYou are lead.";
/// Its limit exceeds the default.
const SPENDER: &str = "---\nname: spender\nmode: chat\ntoolsets: {workers: {allowed_workers: [keeper]}}\nlimits: {max_cost_usd: 100}\n---\nYou are lead.";
const KEEPER: &str = "---\nname: keeper\ndescription: Keeps things in order.\ntoolsets: {workers: {allowed_workers: [hand]}}\n---\nYou are keeper.";
const HAND: &str = "---\nname: hand\ndescription: Does things.\ntoolsets:\n  slack: {tools: [slack_sendMessage]}\n  filesystem: {tools: [write_file], approval: {default: preApproved}}\n---\nYou are hand.";
const MUSE: &str =
    "---\nname: muse\nmode: chat\nmax_context_tokens: 60\ntoolsets: {time: {}}\n---\nYou are muse.";

pub fn chat_with(worker: &str) -> Option<Snapshot> {
    let team = |lead| Snapshot::of("team", [("lead", lead), ("keeper", KEEPER), ("hand", HAND)]);
    match worker {
        "lead" => Some(team(LEAD)),
        "spender" => Some(team(SPENDER)),
        "muse" => Some(Snapshot::of("", [("muse", MUSE)])),
        _ => None,
    }
}

const BOATS: &str = "I like boats, most of all the green ones.";
const CHAT: Act = Act::Open("muse");
const TELL: Act = Act::Say(BOATS);
const ANEW: Act = Act::Say("/new");
const GO_ON: Act = Act::Say("And you?");

pub fn all() -> Vec<Scenario> {
    vec![
        Scenario {
            files: 1,
            by: &[
                ("slack_sendMessage", "utility/keeper/hand"),
                ("write_file", "utility/keeper/hand"),
            ],
            ..sending("three deep", three_deep, &[Act::Open("lead"), ASK, YES])
        },
        Scenario {
            requests: 2,
            ..story("a shortened chat", chat, &[CHAT, TELL, GO_ON])
        },
        Scenario {
            requests: 2,
            forgotten: &[BOATS],
            ..story("a chat that begins anew", chat, &[CHAT, TELL, ANEW, GO_ON])
        },
        Scenario {
            tasks: 1,
            by: &[
                ("slack_sendMessage", "communications/correspondent"),
                ("task_createTask", "scheduling/planner"),
            ],
            embedded_teams: true,
            ..sending("five teams", five_teams, &[ASK, YES])
        },
    ]
}

fn instructions(request: &TurnRequest) -> &str {
    match &request.messages[0] {
        Message::System { text } => text,
        _ => "",
    }
}

fn begins(request: &TurnRequest) -> bool {
    let mut messages = request.messages.iter();
    !messages.any(|message| matches!(message, Message::Assistant { .. }))
}

const STANDS: &str = "Here is where it stands.";

fn three_deep(request: &TurnRequest) -> Turn {
    let note = r#"{"path": "/notes/lunch.md", "content": "Lunch with Ben at noon"}"#;
    let says_who = |who: &str| begins(request) && instructions(request).starts_with(who);
    if says_who("You are lead.") {
        calls(&[("l", "keeper", r#"{"input": "Ask Ben for lunch, note it"}"#)])
    } else if says_who("You are keeper.") {
        calls(&[("k", "hand", r#"{"input": "Ask Ben, and write it down"}"#)])
    } else if says_who("You are hand.") {
        calls(&[("n", "write_file", note), TO_BEN])
    } else {
        says(STANDS)
    }
}

fn chat(request: &TurnRequest) -> Turn {
    match instructions(request).starts_with("You summarize") {
        true => says("They like boats."),
        false => says("Noted."),
    }
}

/// Three teams start at once, and two wait for others.
const PLAN: &str = r#"{"teams":[
    {"team":"research","task":"Find a place","additional_instructions":"","after":[]},
    {"team":"data","task":"Sum up the bills","additional_instructions":"","after":[]},
    {"team":"scheduling","task":"Note to call Ana","additional_instructions":"","after":[]},
    {"team":"marketing","task":"Write an invitation","additional_instructions":"","after":[0]},
    {"team":"communications","task":"Ask Ben for lunch","additional_instructions":"","after":[3]}]}"#;

/// Teams, and the worker that the manager calls.
const COLLEAGUES: [(&str, &str); 5] = [
    ("research", "searcher"),
    ("data", "analyst"),
    ("scheduling", "planner"),
    ("marketing", "writer"),
    ("communications", "correspondent"),
];

fn five_teams(request: &TurnRequest) -> Turn {
    match &request.output {
        Output::Json { name, .. } if *name == "predicate" => return says("{\"result\": true}"),
        Output::Json { .. } => return says(PLAN),
        Output::Text if !begins(request) => return says(STANDS),
        Output::Text => {}
    }
    let instructions = instructions(request);
    for (team, colleague) in COLLEAGUES {
        if instructions.starts_with(&format!("You manage the {team} team")) {
            return calls(&[("m", colleague, r#"{"input": "Do your part"}"#)]);
        }
    }
    if instructions.starts_with("Plan the person's own time") {
        calls(&[("t", "task_createTask", r#"{"title": "Call Ana"}"#)])
    } else if instructions.starts_with("Write the message you are asked for") {
        calls(&[TO_BEN])
    } else {
        says(STANDS)
    }
}
