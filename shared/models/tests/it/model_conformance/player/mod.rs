//! Plays files of cases, which have a provider's answers and what a run must see. `case.rs` documents the format.

mod case;
pub mod request;

use alfred_core::ports::{Clock, Model, ModelError, Turn, Usage};
use alfred_models::{Endpoint, Fallbacks, Wire};
use alfred_testkit::ManualClock;
use alfred_testkit::stand_in::{self, Asked, Log, Reply};
use case::Case;
use request::go_on;
use serde_json::Value;
use std::time::Duration;

/// Cases with longer answers aren't played byte by byte.
const MAX_BYTEWISE: usize = 100_000;

pub struct Provider {
    pub open: fn(url: &str, endpoints: Vec<Endpoint>, clock: ManualClock) -> Fallbacks,
    /// Turns the lines of a body into the bytes that the provider sends.
    pub encode: fn(&mut Reply),
}

impl Provider {
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
                let sizes = case.answers.iter().map(|answer| answer.body.len());
                if bytewise && sizes.max() > Some(MAX_BYTEWISE) {
                    continue;
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
        let (url, asked) = if case.answers.is_empty() {
            (stand_in::nowhere(), Log::default())
        } else {
            stand_in::serve_in_turn(case.answers.clone())
        };
        let clock = ManualClock::default();
        let open = |names: &str| {
            let names = names.split(',');
            let endpoints = names.map(|name| endpoint(&url, name, format, case.context));
            (self.open)(&url, endpoints.collect(), clock.clone())
        };
        let (mut model, mut request) = (open(name), case.request.clone());
        let mut lines = Vec::new();
        for number in 0..=usize::from(case.twice) {
            if number > 0 && case.another {
                model = open(&format!("{name}-2"));
            }
            let (model_name, mut wasted) = (model.name(), Usage::default());
            let turn = model.turn(&request, &mut wasted).await;
            lines.extend(result_lines(&turn, &wasted, case));
            let Ok(turn) = turn else { break };
            if turn.model != model_name {
                lines.push(format!("by {}", turn.model));
            }
            go_on(&mut request, turn);
        }
        let waited = Duration::try_from(clock.now() - ManualClock::default().now()).unwrap();
        // Pauses that no provider wished for are random, and shorter.
        if waited >= Duration::from_secs(2) {
            lines.push(format!("waited {waited:?}"));
        }
        if case.answers.is_empty() && !waited.is_zero() {
            lines.push("tried again".into());
        }
        let asked = asked.lock().unwrap();
        if case.full {
            lines.extend(asked.last().into_iter().flat_map(whole));
        }
        let (sent, got): (Vec<&Asked>, Vec<&Asked>) =
            asked.iter().partition(|one| one.method == "POST");
        lines.extend(got.iter().map(|one| format!("got {}", one.path)));
        let bodies: Vec<Value> = sent.into_iter().map(Asked::json).collect();
        let pairs = bodies.windows(2);
        lines.extend(pairs.flat_map(|pair| differences(&pair[0], &pair[1])));
        lines
    }
}

pub fn endpoint(url: &str, name: &str, format: &str, context: Option<u32>) -> Endpoint {
    let (provider, model) = name.split_once(':').unwrap();
    Endpoint {
        provider: provider.into(),
        model: (!model.is_empty()).then(|| model.into()),
        wire: match format {
            "chat" => Wire::Chat,
            "messages" => Wire::Messages,
            "responses" => Wire::Responses,
            "converse" => Wire::Hosted,
            other => panic!("{other}"),
        },
        base_url: format!("{url}/v1"),
        key: Some("k".into()),
        context,
    }
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
    let cost = turn.usage.cost_micros;
    let cost = cost.map(|micros| format!(", {micros} millionths of a dollar"));
    let (read, cached) = (turn.usage.input_tokens, turn.usage.cached_tokens);
    let (written, cost) = (turn.usage.output_tokens, cost.unwrap_or_default());
    lines.push(format!(
        "read {read} ({cached} cached), wrote {written}{cost}"
    ));
    lines
}

fn whole(asked: &Asked) -> Vec<String> {
    let mut lines = vec![format!("sent {} {}", asked.method, asked.path)];
    for name in [
        "authorization",
        "x-api-key",
        "anthropic-version",
        "accept-encoding",
    ] {
        // Only the algorithm of a signature is the same each time.
        let value = asked.header(name).map(|value| {
            let algorithm = value.split(' ').next();
            let algorithm = algorithm.filter(|it| it.starts_with("AWS4-"));
            algorithm.unwrap_or(value)
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

fn own(body: &Value) -> Vec<&Value> {
    let said = body["messages"].as_array().or(body["input"].as_array());
    let foreign = |item: &Value| {
        ["system", "developer", "user", "tool"].contains(&item["role"].as_str().unwrap_or_default())
            || item["type"] == "function_call_output"
    };
    said.unwrap().iter().filter(|item| !foreign(item)).collect()
}
