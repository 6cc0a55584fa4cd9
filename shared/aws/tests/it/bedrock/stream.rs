//! What Bedrock says, in its frames
//! (<https://smithy.io/2.0/aws/amazon-eventstream.html>).

use alfred_testkit::conformance::model::{Piecewise, Say};
use alfred_testkit::stand_in::{End, Reply};
use aws_smithy_eventstream::frame::write_message_to;
use aws_smithy_types::event_stream::{Header, HeaderValue, Message};
use serde_json::{Value, json};

/// A frame of an event, or of an exception in the middle of a stream.
fn frame(kind: &str, name: &str, body: &Value) -> Vec<u8> {
    let text = |value: &str| HeaderValue::String(value.to_owned().into());
    let of = match kind {
        "event" => ":event-type",
        _ => ":exception-type",
    };
    let message = Message::new(body.to_string())
        .add_header(Header::new(":message-type", text(kind)))
        .add_header(Header::new(of, text(name)))
        .add_header(Header::new(":content-type", text("application/json")));
    let mut bytes = Vec::new();
    write_message_to(&message, &mut bytes).unwrap();
    bytes
}

fn event(name: &str, body: Value) -> Vec<u8> {
    frame("event", name, &body)
}

pub fn stream(frames: &[Vec<u8>]) -> Reply {
    Reply::new(200, "application/vnd.amazon.eventstream", frames.concat())
}

/// An error before anything was said.
pub fn error(status: u16, name: &str, message: &str) -> Reply {
    let body = json!({ "message": message }).to_string();
    Reply::new(status, "application/json", body).with("x-amzn-errortype", name)
}

fn begun() -> Vec<u8> {
    event("messageStart", json!({"role": "assistant"}))
}

fn delta(index: usize, delta: Value) -> Vec<u8> {
    event(
        "contentBlockDelta",
        json!({"contentBlockIndex": index, "delta": delta}),
    )
}

fn stop(index: usize) -> Vec<u8> {
    event("contentBlockStop", json!({ "contentBlockIndex": index }))
}

fn said(pieces: &[&str]) -> Vec<Vec<u8>> {
    let pieces = pieces.iter().map(|it| delta(0, json!({ "text": it })));
    pieces.chain([stop(0)]).collect()
}

fn called(index: usize, (id, name, pieces): &Piecewise) -> Vec<Vec<u8>> {
    let start = json!({"toolUse": {"toolUseId": id, "name": name}});
    let start = event(
        "contentBlockStart",
        json!({"contentBlockIndex": index, "start": start}),
    );
    let pieces = pieces
        .iter()
        .map(|it| delta(index, json!({"toolUse": {"input": it}})));
    [start]
        .into_iter()
        .chain(pieces)
        .chain([stop(index)])
        .collect()
}

fn calls(from: usize, calls: &[Piecewise]) -> Vec<Vec<u8>> {
    let calls = calls.iter().zip(from..);
    calls
        .flat_map(|(call, index)| called(index, call))
        .collect()
}

fn thought() -> Vec<Vec<u8>> {
    let pieces = [
        json!({"text": "Hm, "}),
        json!({"text": "so."}),
        json!({"signature": "c2ln"}),
    ];
    let pieces = pieces.map(|it| delta(0, json!({ "reasoningContent": it })));
    pieces.into_iter().chain([stop(0)]).collect()
}

pub fn ended(blocks: Vec<Vec<u8>>, reason: &str) -> Reply {
    let stop = event("messageStop", json!({ "stopReason": reason }));
    let counted = event(
        "metadata",
        json!({"metrics": {"latencyMs": 9}, "usage": {
            "inputTokens": 350, "outputTokens": 20, "totalTokens": 1020,
            "cacheReadInputTokens": 400, "cacheWriteInputTokens": 250,
        }}),
    );
    stream(&[vec![begun()], blocks, vec![stop, counted]].concat())
}

pub fn reply(say: &Say) -> Reply {
    match say {
        Say::Text(pieces) => ended(said(pieces), "end_turn"),
        Say::Calls("", list) => ended(calls(0, list), "tool_use"),
        Say::Calls(text, list) => ended([said(&[text]), calls(1, list)].concat(), "tool_use"),
        Say::Reasoned(list) => ended([thought(), calls(1, list)].concat(), "tool_use"),
        Say::Withheld(text) => {
            let half = called(1, &("toolu_1", "time_now", &["{\"a\":"]));
            ended([said(&[text]), half].concat(), "guardrail_intervened")
        }
        Say::CutText(text) => ended(said(&[text]), "max_tokens"),
        Say::CutCall(call) => ended(called(0, call), "max_tokens"),
        Say::Nothing => ended(vec![], "end_turn"),
        Say::Broken(text) => Reply {
            end: End::Cut,
            ..stream(&[vec![begun()], said(&[text])].concat())
        },
        Say::Silence => Reply {
            end: End::Hanging,
            ..stream(&[begun()])
        },
        Say::TooMany(after) => {
            let reply = error(
                429,
                "ThrottlingException",
                "Too many requests, please wait.",
            );
            match after {
                Some(after) => reply.with("retry-after", *after),
                None => reply,
            }
        }
        Say::Failing => error(500, "InternalServerException", "The system failed."),
        Say::Overloaded => error(
            503,
            "ServiceUnavailableException",
            "Bedrock is unable to process your request.",
        ),
        Say::OverloadedLater(text) => {
            let error = json!({"message": "The system is overloaded."});
            let error = frame("exception", "serviceUnavailableException", &error);
            stream(&[vec![begun()], said(&[text]), vec![error]].concat())
        }
        Say::TooLong => error(
            400,
            "ValidationException",
            "Input is too long for requested model.",
        ),
        Say::WrongKey => error(
            403,
            "UnrecognizedClientException",
            "The security token included in the request is invalid.",
        ),
        Say::UnknownModel => error(
            400,
            "ValidationException",
            "The provided model identifier is invalid.",
        ),
    }
}
