//! Plays files of cases, which have a provider's answers and what a run must see. `case.rs` documents the format.

mod case;

use alfred_core::ports::{
    Clock, InputFile, Message, Model, ModelError, Output, ToolCall, ToolSpec, Turn, TurnRequest,
    Usage,
};
use alfred_models::Fallbacks;
use alfred_testkit::ManualClock;
use alfred_testkit::stand_in::{self, Asked, Reply};
use case::{Ask, Case};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

pub struct Provider {
    /// Opens the model `provider:model` with a wire format, at a stand-in's URL.
    pub open: fn(url: &str, name: &str, format: &str, clock: ManualClock) -> Fallbacks,
    /// Turns the lines of a body into the bytes that the provider sends.
    pub encode: fn(&mut Reply),
}

impl Provider {
    /// Plays the `.txt` files of a folder.
    pub async fn assert_all_seen(&self, folder: &str, files: usize, bytewise: bool) {
        let (mut played, mut wrong) = (0, Vec::new());
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|kind| kind != "txt") {
                continue;
            }
            played += 1;
            let file = std::fs::read_to_string(path).unwrap();
            let (name, format, cases) = case::read(&file);
            for mut case in cases {
                for answer in &mut case.answers {
                    (self.encode)(answer);
                    answer.bytewise = bytewise;
                }
                let seen = self.seen(name, format, &case).await;
                if seen != case.seen {
                    wrong.push(format!("## {name}: {}\n= {}", case.name, seen.join("\n= ")));
                }
            }
        }
        assert_eq!(played, files);
        assert!(wrong.is_empty(), "seen instead:\n{}", wrong.join("\n"));
    }

    /// Runs a case and describes turns, waits and requests, one per line.
    async fn seen(&self, name: &str, format: &str, case: &Case) -> Vec<String> {
        let (url, asked) = stand_in::serve_in_turn(case.answers.clone());
        let clock = ManualClock::default();
        let open = |name: &str| (self.open)(&url, name, format, clock.clone());
        let (first, mut request) = (open(name), asking(&case.ask));
        let (mut lines, mut wasted) = (Vec::new(), Usage::default());
        let turn = first.turn(&request, &mut wasted).await;
        lines.extend(result_lines(&turn, &wasted, case));
        if let (Ok(turn), true) = (turn, case.ask.twice) {
            assert_eq!(turn.model, first.name());
            go_on(&mut request, turn);
            let mut wasted = Usage::default();
            let second = if case.ask.another {
                open(&format!("{name}-2"))
            } else {
                first
            };
            let turn = second.turn(&request, &mut wasted).await;
            lines.extend(result_lines(&turn, &wasted, case));
        }
        let waited = Duration::try_from(clock.now() - ManualClock::default().now()).unwrap();
        // Pauses that no provider wished for are random, and shorter.
        if waited >= Duration::from_secs(2) {
            lines.push(format!("waited {waited:?}"));
        }
        let asked = asked.lock().unwrap();
        if case.ask.full {
            lines.extend(asked.last().into_iter().flat_map(whole));
        }
        let bodies: Vec<Value> = asked.iter().map(Asked::json).collect();
        let pairs = bodies.windows(2);
        lines.extend(pairs.flat_map(|pair| differences(&pair[0], &pair[1])));
        lines
    }
}

/// A question with one tool, 60 s for everything.
pub fn request() -> TurnRequest {
    TurnRequest {
        messages: vec![Message::system("Be Alfred."), Message::user("Time?")],
        tools: Arc::new([ToolSpec {
            name: "time_now".into(),
            description: "The time.".into(),
            parameters: json!({"type": "object", "properties": {"timezone": {"type": "string"}}}),
        }]),
        output: Output::Text,
        max_output_tokens: 500,
        timeout: Duration::from_secs(60),
    }
}

fn asking(ask: &Ask) -> TurnRequest {
    let mut request = request();
    if ask.json {
        request.tools = Arc::new([]);
        request.output = Output::Json {
            name: "predicate",
            schema: json!({"type": "object", "properties": {"result": {"type": "boolean"}},
                "required": ["result"], "additionalProperties": false}),
        };
    }
    if ask.story {
        request.messages.extend(story());
    }
    if ask.long > 0 {
        request
            .messages
            .push(Message::user("word ".repeat(ask.long / 5)));
    }
    request.timeout = ask.within.unwrap_or(request.timeout);
    request
}

/// An empty answer, files, and calls with good, broken and no arguments.
fn story() -> Vec<Message> {
    let call = |id: &str, arguments: &str| ToolCall {
        id: id.into(),
        name: "time_now".into(),
        arguments: arguments.into(),
        echo: None,
    };
    let file = |name: &str, media_type: &str, base64: &str| InputFile {
        name: name.into(),
        media_type: media_type.into(),
        base64: base64.into(),
    };
    let says = |text: &str, calls: Vec<ToolCall>| Message::Assistant {
        text: text.into(),
        tool_calls: calls.into(),
    };
    let result = |id: &str| Message::Tool {
        call_id: id.into(),
        text: "{\"success\":true}".into(),
    };
    let png = file("cat.png", "image/png", "iVBORw==");
    let pdf = file("offer (final).pdf", "application/pdf", "JVBERg==");
    let both = vec![
        call("c1", "{\"timezone\":\"Asia/Tokyo\"}"),
        call("c2", "{\"half\":"),
    ];
    vec![
        says(" ", vec![]),
        Message::user("Well?"),
        says("Both.", both),
        result("c1"),
        result("c2"),
        says("", vec![call("c3", "")]),
        result("c3"),
        Message::Files {
            files: [png, pdf].into(),
        },
        Message::user("What is it?"),
    ]
}

/// The results of the calls of a turn, as a run that was stored in between sends them back.
fn go_on(request: &mut TurnRequest, turn: Turn) {
    let stored = serde_json::to_string(&turn).unwrap();
    let turn: Turn = serde_json::from_str(&stored).unwrap();
    let results: Vec<Message> = turn
        .tool_calls
        .iter()
        .map(|call| Message::Tool {
            call_id: call.id.as_str().into(),
            text: "{\"success\":true}".into(),
        })
        .collect();
    request.messages.push(Message::Assistant {
        text: turn.text.into(),
        tool_calls: turn.tool_calls.into(),
    });
    request.messages.extend(results);
}

fn result_lines(result: &Result<Turn, ModelError>, wasted: &Usage, case: &Case) -> Vec<String> {
    let mut lines = Vec::new();
    match result {
        Ok(turn) => lines.extend(turn_lines(turn, case)),
        Err(ModelError::RateLimited {
            retry_after: Some(after),
            detail,
        }) => lines.push(format!("rate limited for {} s: {detail}", after.as_secs())),
        Err(error) => lines.push(error.to_string()),
    }
    if wasted.input_tokens > 0 {
        let (read, written) = (wasted.input_tokens, wasted.output_tokens);
        lines.push(format!("lost {read} read, {written} written"));
    }
    lines
}

fn turn_lines(turn: &Turn, case: &Case) -> Vec<String> {
    let mut lines = Vec::new();
    if !turn.text.is_empty() {
        lines.push(format!("text {:?}", turn.text));
    }
    for call in &turn.tool_calls {
        lines.push(format!("call {} {} {}", call.id, call.name, call.arguments));
    }
    let refused = if turn.refused { ", refused" } else { "" };
    lines.push(format!("{:?}{refused}", turn.finish).to_lowercase());
    let is_counted = |answer: &Reply| {
        let body = String::from_utf8_lossy(&answer.body);
        let names = ["\"prompt_tokens\"", "\"input_tokens\"", "\"inputTokens\""];
        names.iter().any(|name| body.contains(name))
    };
    if !case.answers.iter().any(is_counted) {
        lines.push("not counted".into());
        return lines;
    }
    let usage = &turn.usage;
    let cost = usage
        .cost_micros
        .map(|micros| format!(", {micros} millionths of a dollar"));
    lines.push(format!(
        "read {} ({} cached), wrote {}{}",
        usage.input_tokens,
        usage.cached_tokens,
        usage.output_tokens,
        cost.unwrap_or_default()
    ));
    lines
}

/// A request, its lists item by item.
fn whole(asked: &Asked) -> Vec<String> {
    let mut lines = vec![format!("sent {} {}", asked.method, asked.path)];
    for name in ["authorization", "x-api-key", "anthropic-version"] {
        // Only the algorithm of a signature is the same each time.
        let value = asked.header(name).map(|value| {
            let algorithm = value.split(' ').next();
            algorithm
                .filter(|it| it.starts_with("AWS4-"))
                .unwrap_or(value)
        });
        lines.extend(value.map(|value| format!("{name}: {value}")));
    }
    for (key, value) in asked.json().as_object().unwrap() {
        match value {
            Value::Array(items) => lines.extend(items.iter().map(|item| format!("{key} {item}"))),
            other => lines.push(format!("{key} {other}")),
        }
    }
    lines
}

/// How a request differs from the one before, and what went back of earlier turns.
fn differences(before: &Value, after: &Value) -> Vec<String> {
    let keys = |body: &Value| -> Vec<String> {
        let fields = body.as_object().unwrap().iter();
        let key = |(key, value): (&String, &Value)| match value {
            Value::Array(items) => format!("{} {key}", items.len()),
            Value::Object(_) if key == "response_format" => {
                format!("{key} {}", value["type"].as_str().unwrap())
            }
            Value::Number(number) => format!("{key} {number}"),
            _ => key.clone(),
        };
        fields.map(key).collect()
    };
    let less = |sign: &str, all: &Value, without: &Value| -> String {
        let without = keys(without);
        let rest = keys(all).into_iter().filter(|key| !without.contains(key));
        rest.map(|key| format!(" {sign}{key}")).collect()
    };
    let changes = less("-", before, after) + &less("+", after, before);
    let mut lines = vec![format!("asked again{changes}")];
    let (before, after) = (own(before), own(after));
    if before != after {
        lines.extend(after.iter().map(|item| format!("sent back {item}")));
    }
    lines
}

/// Assistant messages in a request.
fn own(body: &Value) -> Vec<&Value> {
    let said = body["messages"].as_array().or(body["input"].as_array());
    let foreign = |item: &Value| {
        let role = item["role"].as_str().unwrap_or_default();
        ["system", "developer", "user", "tool"].contains(&role)
            || item["type"] == "function_call_output"
    };
    said.unwrap().iter().filter(|item| !foreign(item)).collect()
}
