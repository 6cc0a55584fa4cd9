//! Everyday requests with a context of 8,192 or 4,096 tokens, answer included.

use alfred_core::ports::{Message, ModelError, Output, TurnRequest};
use alfred_testkit::{ScriptedModel, calls, says};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::in_memory::prompt_size::{Everyday, classified, requests, tokens};
use crate::in_memory::world::{World, dm};

const ANSWER: usize = 300;

/// The fullest prompt, and the number of refused ones.
#[derive(Default)]
struct Seen {
    fullest: AtomicUsize,
    refused: AtomicUsize,
    /// The smallest guess, in percent of the actual tokens.
    guessed: AtomicUsize,
}

/// The client's guess of a prompt's tokens: 3.5 bytes per token.
fn guess(request: &TurnRequest) -> usize {
    let tools = request.tools.iter().map(|tool| {
        let function = json!({"name": tool.name, "description": tool.description, "parameters": tool.parameters});
        json!({"type": "function", "function": function}).to_string().len()
    });
    let said = serde_json::to_string(&request.messages).unwrap().len();
    (said + tools.sum::<usize>()) * 2 / 7
}

/// Does what the request needs; opens the tools first if it isn't shown them.
fn model(window: usize, asked: Everyday, classifies: bool, seen: Arc<Seen>) -> ScriptedModel {
    let [_, toolsets, tool, arguments] = asked;
    ScriptedModel::answering(move |request: &TurnRequest| {
        let (size, guess) = (tokens(request), guess(request));
        if guess + ANSWER > window {
            seen.refused.fetch_add(1, Ordering::SeqCst);
            let detail = format!("{size} tokens");
            return Err(ModelError::TooLong { detail });
        }
        seen.fullest.fetch_max(size, Ordering::SeqCst);
        let percent = guess * 100 / size;
        seen.guessed
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |known| match known {
                0 => Some(percent),
                known => Some(known.min(percent)),
            })
            .unwrap();
        let shown = |name: &str| request.tools.iter().any(|tool| tool.name == name);
        let opened = |message: &Message| matches!(message, Message::Tool { text, .. } if text.contains("\"opened\""));
        let known = |message: &Message| matches!(message, Message::Tool { .. }) && !opened(message);
        Ok(match &request.output {
            Output::Json { .. } if classifies => classified(toolsets),
            Output::Json { .. } => says("perhaps"),
            Output::Text if tool.is_empty() || request.messages.iter().any(known) => {
                says("There it is.")
            }
            Output::Text if shown(tool) || request.messages.iter().any(opened) => {
                calls(&[("c1", tool, arguments)])
            }
            Output::Text => {
                let open = format!("{{\"toolsets\": {toolsets}}}");
                calls(&[("o1", "toolset_open", &open)])
            }
        })
    })
}

fn too_large(window: usize, classifies: bool) -> &'static [&'static str] {
    match (window, classifies) {
        (8_192, _) | (4_096, true) => &[],
        (4_096, false) => &["block two hours tomorrow for the report"],
        _ => &[
            "what's on my list?",
            "remind me to call the dentist by friday",
            "what's on today?",
            "plan my day, lunch at one",
            "block two hours tomorrow for the report",
            "any new mail?",
            "meet with Ben on tuesday at two",
        ],
    }
}

#[tokio::test]
async fn everyday_requests_fit() {
    for window in [8_192, 4_096, 2_048] {
        for classifies in [true, false] {
            let seen = Arc::new(Seen::default());
            for request in requests() {
                let said = request[0];
                let model = model(window, request, classifies, seen.clone());
                let mut world = World::new(model).await;
                world.ask(dm("U1", "1.1", said)).await;
                let run = serde_json::to_value(world.root().await).unwrap();
                let waits = run["state"]["is"] == "asking";
                let answered = run["state"]["output"]["success"] == Value::Bool(true);
                let served = waits || answered || too_large(window, classifies).contains(&said);
                assert!(served, "{window}, {classifies}: {said}");
            }
            let fullest = seen.fullest.load(Ordering::SeqCst);
            assert!(fullest + ANSWER <= window, "{window}: {fullest}");
            // A guess below the real size would send prompts that the model refuses.
            let guessed = seen.guessed.load(Ordering::SeqCst);
            assert!(guessed >= 100, "{window}: guessed at {guessed} %");
            let refused = seen.refused.load(Ordering::SeqCst);
            // Without a classification every tool is sent first; the refused prompt is repeated with fewer.
            let expects_refusals = !classifies || window < 4_096;
            assert_eq!(refused > 0, expects_refusals, "{window}: {refused} refused");
        }
    }
}

#[tokio::test]
async fn a_model_that_takes_nothing_is_not_the_persons_fault() {
    let refuse = |_: &TurnRequest| {
        let detail = "600 tokens for a model of 512".into();
        Err(ModelError::TooLong { detail })
    };
    let mut told = Vec::new();
    for request in ["good morning!".to_owned(), "word ".repeat(2_000)] {
        let mut world = World::new(ScriptedModel::answering(refuse)).await;
        world.say(dm("U1", "1.1", &request)).await;
        told.extend(world.answers());
    }
    insta::assert_snapshot!(told.join("\n---\n"), @"
My language model's context is too small for this, although your message is short. Please ask an administrator to set a larger one; the log says how much is needed.
Nothing was sent or changed.
---
That is more than my language model can take at once. Please ask for a smaller part of it.
Nothing was sent or changed.
");
}
