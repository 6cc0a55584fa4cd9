//! Ten providers and servers as they answer: each file here has one's ways, as bytes over a real
//! connection, and what a run must see of each. How a file is written is at the top of `case.rs`.

mod case;
mod server;
use crate::support;

use alfred_core::ports::{Message, Model, ModelError, Output, Turn, TurnRequest, Usage};
use case::{Ask, Case};
use serde_json::{Value, json};
use server::Server;
use std::sync::Arc;
use std::time::Duration;

/// Files with the provider they are about.
const PROVIDERS: [(&str, &str); 13] = [
    ("openai:gpt-5.2", include_str!("openai.txt")),
    ("azure:gpt-4.1", include_str!("azure.txt")),
    ("anthropic:claude-sonnet", include_str!("anthropic.txt")),
    ("google:gemini-3-flash", include_str!("gemini.txt")),
    ("mistral:mistral-large", include_str!("mistral.txt")),
    ("deepseek:deepseek-v4", include_str!("deepseek.txt")),
    ("groq:gpt-oss-120b", include_str!("groq.txt")),
    ("openrouter:a/b", include_str!("openrouter.txt")),
    ("ollama:qwen3:8b", include_str!("ollama.txt")),
    ("llamacpp:qwen3", include_str!("llamacpp.txt")),
    ("vllm:qwen3", include_str!("vllm.txt")),
    ("lmstudio:qwen3", include_str!("lmstudio.txt")),
    ("mine:m", include_str!("custom.txt")),
];

#[tokio::test]
async fn every_provider_is_understood() {
    let mut wrong = Vec::new();
    for (name, file) in PROVIDERS {
        for case in case::read(file) {
            let seen = seen(name, &case).await;
            if seen != case.seen {
                wrong.push(format!("## {name}: {}\n= {}", case.name, seen.join("\n= ")));
            }
        }
    }
    assert!(wrong.is_empty(), "seen instead:\n{}", wrong.join("\n"));
}

#[tokio::test]
async fn an_answer_is_the_same_however_its_bytes_arrive() {
    for (name, file) in PROVIDERS {
        for mut case in case::read(file) {
            case.answers
                .iter_mut()
                .for_each(|answer| answer.bytewise = true);
            assert_eq!(seen(name, &case).await, case.seen, "{name}: {}", case.name);
        }
    }
}

#[tokio::test]
async fn nothing_is_sent_that_some_models_refuse() {
    let noon =
        "## noon\n< 200 application/json\n| {\"choices\":[{\"message\":{\"content\":\"Noon.\"}}]}";
    let server = Server::start(case::read(noon)[0].answers.clone());
    let (model, _) = support::model_at(&[(server.url.clone(), "mine:m")]);
    support::turn(&model, &support::request()).await.unwrap();
    let body = server.bodies().remove(0);
    let fields: Vec<&String> = body.as_object().unwrap().keys().collect();
    // No temperature, no parallel_tool_calls, no tool_choice.
    let all = [
        "max_tokens",
        "messages",
        "model",
        "stream",
        "stream_options",
        "tools",
    ];
    assert_eq!(fields, all);
}

#[tokio::test]
async fn json_is_asked_for_strictly_and_in_words_at_last() {
    let stepped = case::read(include_str!("groq.txt")).pop().unwrap();
    let server = Server::start(stepped.answers);
    let (model, _) = support::model_at(&[(server.url.clone(), "mine:m")]);
    support::turn(&model, &request(&Ask::Json)).await.unwrap();
    let sent = server.bodies();
    assert_eq!(sent[0]["response_format"]["json_schema"]["strict"], true);
    let words = sent[2]["messages"].as_array().unwrap().last().unwrap();
    assert!(words["content"].as_str().unwrap().contains("\"result\""));
}

#[tokio::test]
async fn what_one_model_wants_back_goes_to_no_other() {
    let file = "## a call, and text
< 200 application/json
| {\"choices\":[{\"message\":{\"reasoning_content\":\"Hm.\",\"tool_calls\":[{\"id\":\"c1\",\"function\":{\"name\":\"time_now\"}}]}}]}
< 200 application/json
| {\"choices\":[{\"message\":{\"content\":\"Noon.\"}}]}";
    let answers = case::read(file)[0].answers.clone();
    for (name, back) in [
        ("mine:m", json!("Hm.")),
        ("mine:n", Value::Null),
        ("other:m", Value::Null),
    ] {
        let server = Server::start(answers.clone());
        let (first, _) = support::model_at(&[(server.url.clone(), "mine:m")]);
        let (second, _) = support::model_at(&[(server.url.clone(), name)]);
        let mut request = support::request();
        let turn = support::turn(&first, &request).await.unwrap();
        go_on(&mut request, turn);
        support::turn(&second, &request).await.unwrap();
        let sent = &server.bodies()[1]["messages"][2];
        assert_eq!(sent["reasoning_content"], back, "{name}");
    }
}

/// What comes of a case, in lines.
async fn seen(name: &str, case: &Case) -> Vec<String> {
    let server = Server::start(case.answers.clone());
    let (model, clock) = support::model_at(&[(server.url.clone(), name)]);
    let (mut lines, mut request) = (Vec::new(), request(&case.ask));
    for turn in 0..case.turns {
        let mut wasted = Usage::default();
        let result = model.turn(&request, &mut wasted).await.map(|turn| Turn {
            usage: turn.usage.plus(&wasted),
            ..turn
        });
        lines.extend(result_lines(&result, case));
        let Ok(turn_taken) = result else { break };
        if turn + 1 < case.turns {
            go_on(&mut request, turn_taken);
        }
    }
    let waits = clock.waits();
    // Pauses that no provider wished for are random, and at most a second.
    let wished = waits.iter().filter(|wait| **wait > Duration::from_secs(1));
    lines.extend(wished.map(|wait| format!("waited {wait:?}")));
    lines.extend(differences(&server.bodies()));
    lines
}

fn request(ask: &Ask) -> TurnRequest {
    let mut request = support::request();
    if let Ask::Json = ask {
        request.tools = Arc::new([]);
        request.output = Output::Json {
            name: "predicate",
            schema: json!({"type": "object", "properties": {"result": {"type": "boolean"}},
                "required": ["result"], "additionalProperties": false}),
        };
    }
    if let Ask::Long(bytes) = ask {
        request
            .messages
            .push(Message::user("word ".repeat(bytes / 5)));
    }
    if let Ask::Within(time) = ask {
        request.timeout = *time;
    }
    request
}

/// The results of the calls of a turn, as a run sends them back.
fn go_on(request: &mut TurnRequest, turn: Turn) {
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

fn result_lines(result: &Result<Turn, ModelError>, case: &Case) -> Vec<String> {
    let turn = match result {
        Ok(turn) => turn,
        Err(ModelError::RateLimited {
            retry_after: Some(after),
            detail,
        }) => {
            return vec![format!("rate limited for {} s: {detail}", after.as_secs())];
        }
        Err(error) => return vec![error.to_string()],
    };
    let mut lines = Vec::new();
    if !turn.text.is_empty() {
        lines.push(format!("text {:?}", turn.text));
    }
    for call in &turn.tool_calls {
        lines.push(format!("call {} {} {}", call.id, call.name, call.arguments));
    }
    let refused = if turn.refused { ", refused" } else { "" };
    lines.push(format!("{:?}{refused}", turn.finish).to_lowercase());
    let counted = case
        .answers
        .iter()
        .any(|it| it.body.contains("\"prompt_tokens\""));
    let usage = &turn.usage;
    lines.push(match counted {
        true => format!(
            "read {} ({} cached), wrote {}",
            usage.input_tokens, usage.cached_tokens, usage.output_tokens
        ),
        false => "not counted".into(),
    });
    lines
}

/// How each request differs from the one before, and what went back of earlier turns.
fn differences(bodies: &[Value]) -> Vec<String> {
    let mut lines = Vec::new();
    for pair in bodies.windows(2) {
        let keys = |body: &Value| -> Vec<String> {
            let map = body.as_object().unwrap();
            map.iter()
                .map(|(key, value)| match key.as_str() {
                    "response_format" => format!("{key} {}", value["type"].as_str().unwrap()),
                    "max_tokens" | "max_completion_tokens" => format!("{key} {value}"),
                    "messages" => format!("{} messages", value.as_array().unwrap().len()),
                    _ => key.clone(),
                })
                .collect()
        };
        let (before, after) = (keys(&pair[0]), keys(&pair[1]));
        let without = before
            .iter()
            .filter(|key| !after.contains(key))
            .map(|key| format!("-{key}"));
        let with = after
            .iter()
            .filter(|key| !before.contains(key))
            .map(|key| format!("+{key}"));
        let changes: Vec<String> = without.chain(with).collect();
        lines.push(
            format!("asked again {}", changes.join(" "))
                .trim_end()
                .to_owned(),
        );
        let called = |body: &Value| {
            let messages = body["messages"].as_array().unwrap().clone();
            messages
                .into_iter()
                .filter(|it| it["role"] != "system" && it["role"] != "user")
                .collect::<Vec<_>>()
        };
        if called(&pair[0]) != called(&pair[1]) {
            let back = called(&pair[1])
                .into_iter()
                .filter(|it| it["role"] == "assistant");
            lines.extend(back.map(|message| format!("sent back {message}")));
        }
    }
    lines
}
