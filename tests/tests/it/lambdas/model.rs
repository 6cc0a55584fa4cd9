//! An OpenAI-compatible endpoint that follows a script. Its answer only depends on the conversation, so a lost turn
//! is repeated.

use alfred_slack_local::seed::BEN;
use serde_json::{Value, json};
use std::future::ready;
use std::sync::{Arc, Mutex};

use crate::local::puppet;

#[derive(Clone, Default)]
pub struct ModelServer(Arc<Mutex<Vec<Value>>>);

const TOOLS: &str = "email_readEmail email_processEmail calendar_cancelMeeting calendar_viewMeetings \
    docs_readDocument sheets_readSheet";

enum Said {
    Text(String),
    Calls(Vec<(&'static str, &'static str, Value)>),
}

impl ModelServer {
    /// Returns `http://127.0.0.1:PORT`, too.
    pub async fn start() -> (Self, String) {
        let server = Self::default();
        let requests = server.0.clone();
        let url = puppet::endpoint(move |request| {
            let answer = puppet::counted_turn(&delta(script(&request)));
            requests.lock().unwrap().push(request);
            ready(answer)
        })
        .await;
        (server, url.trim_end_matches("/v1").to_owned())
    }

    pub fn requests(&self) -> Vec<Value> {
        self.0.lock().unwrap().clone()
    }
}

/// The mark that identifies a request: `[k17]`.
fn mark(text: &str) -> &str {
    let from = text.rfind('[');
    let from = from.unwrap_or_else(|| panic!("no mark in {text}"));
    let to = text[from..].find(']').unwrap() + from;
    &text[from..=to]
}

fn script(request: &Value) -> Said {
    let messages = request["messages"].as_array().unwrap();
    // A note about passed time has no mark.
    let is_question = |one: &Value| {
        let text = one["content"].as_str();
        one["role"] == "user" && text.is_some_and(|text| text.contains('['))
    };
    let asked = messages.iter().rposition(is_question).unwrap();
    let question = messages[asked]["content"].as_str().unwrap();
    let system = messages[0]["content"].as_str().unwrap();
    let mark = mark(question);
    match request["response_format"]["json_schema"]["name"].as_str() {
        Some("predicate") => {
            let context: Value =
                serde_json::from_str(question.trim_start_matches("context: ")).unwrap();
            let complex = context["request"].as_str().unwrap().contains("campaign");
            return Said::Text(json!({"result": complex}).to_string());
        }
        Some("teams") => return Said::Text(plan(question, mark).to_string()),
        Some(other) => panic!("nobody asked for {other}"),
        None => {}
    }
    if system.contains("Several teams worked") {
        return Said::Text(format!("Everything together {mark}."));
    }
    let later = messages[asked..].iter();
    let turns = later.filter(|one| one["role"] == "assistant").count();
    let teams = [("marketing", "brainstormer"), ("research", "searcher")];
    let managed = |team: &str| system.contains(&format!("You manage the {team} team"));
    let team = teams.into_iter().find(|(team, _)| managed(team));
    match (team, turns) {
        (Some((_, colleague)), 0) => {
            let task = json!({"input": format!("Your part {mark}")});
            Said::Calls(vec![("c1", colleague, task)])
        }
        (Some((team, _)), _) => Said::Text(format!("The part of {team} {mark}.")),
        (None, _) if question.starts_with("Your part") => {
            Said::Text(format!("What a colleague does {mark}."))
        }
        (None, 0) if question.contains("two tasks") => {
            let title = |nth: &str| json!({"title": format!("{nth} {mark}")});
            Said::Calls(vec![
                ("c1", "task_createTask", title("first")),
                ("c2", "task_createTask", title("second")),
            ])
        }
        (None, 0) if question.contains("my mail") => {
            Said::Calls(vec![("c1", "email_viewEmails", json!({}))])
        }
        (None, 1) if question.contains("my mail") => obeyed(messages),
        (None, 0) if question.contains("Answer the mail") => {
            let answer = json!({"emailId": format!("lunch {mark}"), "action": "send_reply", "replyText": format!("At noon {mark}.")});
            Said::Calls(vec![("c1", "email_processEmail", answer)])
        }
        (None, 0) if question.contains("Tell Ben") => {
            let said = json!({"to": BEN, "text": format!("Lunch at noon {mark}?")});
            Said::Calls(vec![("c1", "slack_sendMessage", said)])
        }
        (None, 0) => Said::Calls(vec![("c1", "task_viewTasks", json!({}))]),
        (None, _) => Said::Text(format!("This is it {mark}.")),
    }
}

/// Obeys mails: `OBEY TOOL ARGUMENT=VALUE … ENOUGH`, a call each.
fn obeyed(messages: &[Value]) -> Said {
    let read = messages.last().unwrap()["content"].as_str().unwrap();
    let orders = read.split("OBEY ").skip(1);
    let order = |text: &str| {
        let (order, _) = text.split_once(" ENOUGH")?;
        let mut words = order.split_whitespace();
        let first = words.next()?;
        let name = TOOLS.split(' ').find(|name| *name == first)?;
        let arguments = words.filter_map(|word| word.split_once('='));
        let arguments = arguments.map(|(name, value)| (name.to_owned(), json!(value)));
        Some(("c2", name, Value::Object(arguments.collect())))
    };
    match orders.filter_map(order).collect::<Vec<_>>() {
        calls if calls.is_empty() => Said::Text("Nothing to obey.".into()),
        calls => Said::Calls(calls),
    }
}

fn plan(question: &str, mark: &str) -> Value {
    let part = |team: &str| json!({"team": team, "task": format!("Your part {mark}"), "additional_instructions": "", "after": []});
    if question.contains("research") {
        json!({"teams": [part("research"), part("marketing")]})
    } else {
        json!({"teams": [part("marketing")]})
    }
}

fn delta(said: Said) -> Value {
    let calls = match said {
        Said::Text(text) => return json!({"content": text}),
        Said::Calls(calls) => calls.into_iter().enumerate(),
    };
    let calls = calls.map(|(index, (id, name, arguments))| {
        let function = json!({"name": name, "arguments": arguments.to_string()});
        json!({"index": index, "id": id, "type": "function", "function": function})
    });
    json!({"tool_calls": calls.collect::<Vec<_>>()})
}
