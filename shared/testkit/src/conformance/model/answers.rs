//! Answers that are turns.

use alfred_core::ports::{Finish, InputFile, Message, Output};
use serde_json::{Value, json};
use std::sync::Arc;

use super::{Heard, Piecewise, Provider, Said, Say, Scene, go_on, question};

const TOKYO: Piecewise = (
    "toolu_1",
    "time_now",
    &["{\"time", "zone\":\"Asia", "/Tokyo\"}"],
);
const PLAIN: Piecewise = ("toolu_2", "time_now", &["{}"]);

pub async fn text_comes_in_pieces(provider: &Arc<impl Provider>) {
    let scene = Scene::new(provider, &[Say::Text(&["Grüße, ", "東京 🗼."])]);
    let turn = scene.turn(&question()).await;
    assert_eq!(
        (&*turn.text, turn.finish),
        ("Grüße, 東京 🗼.", Finish::Stop)
    );
    assert!(!turn.refused && turn.tool_calls.is_empty());
    assert_eq!(turn.model, scene.model.name());
    let asked = Heard {
        messages: vec![
            Said::System("Be Alfred.".into()),
            Said::User("What time is it?".into()),
        ],
        tools: vec!["time_now".into()],
        json: false,
        limit: 500,
    };
    assert_eq!(scene.heard(), [asked]);
}

/// Text beside it, its arguments in pieces.
pub async fn a_call_is_put_together(provider: &Arc<impl Provider>) {
    let scene = Scene::new(provider, &[Say::Calls("Let me look.", &[TOKYO])]);
    let turn = scene.turn(&question()).await;
    assert_eq!(
        (&*turn.text, turn.finish),
        ("Let me look.", Finish::ToolCalls)
    );
    let [call] = &turn.tool_calls[..] else {
        panic!("{turn:?}");
    };
    assert_eq!((&*call.id, &*call.name), ("toolu_1", "time_now"));
    assert_eq!(
        arguments(&call.arguments),
        json!({"timezone": "Asia/Tokyo"})
    );
}

/// Two calls of one turn, in order and with ids of their own.
pub async fn calls_at_once_are_told_apart(provider: &Arc<impl Provider>) {
    let turn = Scene::new(provider, &[Say::Calls("", &[TOKYO, PLAIN])]);
    let turn = turn.turn(&question()).await;
    let calls: Vec<_> = turn
        .tool_calls
        .iter()
        .map(|call| (&*call.id, &*call.name, arguments(&call.arguments)))
        .collect();
    let tokyo = json!({"timezone": "Asia/Tokyo"});
    let both = [
        ("toolu_1", "time_now", tokyo),
        ("toolu_2", "time_now", json!({})),
    ];
    assert_eq!(calls, both);
}

/// What was called and what came of it, several at once, broken arguments and an empty answer among it.
pub async fn calls_and_results_go_back_in_order(provider: &Arc<impl Provider>) {
    let says = [Say::Calls("Both.", &[TOKYO, PLAIN]), Say::Text(&["Noon."])];
    let scene = Scene::new(provider, &says);
    let mut request = question();
    let mut turn = scene.turn(&request).await;
    turn.tool_calls[1].arguments = "{\"half\":".into();
    go_on(&mut request, &turn);
    request.messages.push(Message::user("And now?"));
    scene.turn(&request).await;
    let asked = scene.heard().pop().unwrap();
    let call = |id: &str, arguments| (id.into(), "time_now".into(), arguments);
    let result = |id: &str| (id.into(), format!("{{\"of\":\"{id}\"}}"));
    let behind = [
        Said::Assistant {
            text: "Both.".into(),
            calls: vec![
                call("toolu_1", json!({"timezone": "Asia/Tokyo"})),
                call("toolu_2", json!({"invalid_json": "{\"half\":"})),
            ],
            reasoned: false,
        },
        Said::Results(vec![result("toolu_1"), result("toolu_2")]),
        Said::User("And now?".into()),
    ];
    assert_eq!(asked.messages[2..], behind);
}

pub async fn files_are_shown_beside_the_words(provider: &Arc<impl Provider>) {
    let scene = Scene::new(provider, &[Say::Text(&["A cat."])]);
    let mut request = question();
    let file = |name: &str, media_type: &str, base64: &str| InputFile {
        name: name.into(),
        media_type: media_type.into(),
        base64: base64.into(),
    };
    let files = [
        file("cat.png", "image/png", "iVBORw=="),
        file("offer (final).pdf", "application/pdf", "JVBERg=="),
    ];
    let shown = files
        .clone()
        .map(|it| (it.media_type, it.base64.to_string()));
    request.messages.push(Message::Files {
        files: files.into(),
    });
    request.messages.push(Message::user("What is it?"));
    scene.turn(&request).await;
    let asked = scene.heard().pop().unwrap();
    let behind = [Said::Files(shown.into()), Said::User("What is it?".into())];
    assert_eq!(asked.messages[2..], behind);
}

/// As it came, beside the calls that followed from it, and to no other model.
pub async fn reasoning_goes_back_to_whom_it_came_from(provider: &Arc<impl Provider>) {
    let says = [Say::Reasoned(&[TOKYO]), Say::Text(&["Noon."])];
    for (own, back) in [(true, true), (false, false)] {
        let scene = Scene::new(provider, &says);
        let mut request = question();
        let mut turn = scene.turn(&request).await;
        // As a run that was stored in between, and was maybe begun by another model.
        let stored = serde_json::to_string(&turn).unwrap();
        turn = serde_json::from_str(&stored).unwrap();
        if !own {
            turn.tool_calls[0].echo.as_mut().unwrap().model = "other:model".into();
        }
        go_on(&mut request, &turn);
        scene.turn(&request).await;
        let asked = scene.heard().pop().unwrap();
        let said = &asked.messages[2];
        assert!(
            matches!(said, Said::Assistant { reasoned, .. } if *reasoned == back),
            "{said:?}"
        );
    }
}

pub async fn json_after_a_schema(provider: &Arc<impl Provider>) {
    let scene = Scene::new(provider, &[Say::Text(&["{\"result\"", ":true}"])]);
    let mut request = question();
    request.tools = Arc::new([]);
    request.output = Output::Json {
        name: "predicate",
        schema: json!({"type": "object", "properties": {"result": {"type": "boolean"}},
            "required": ["result"], "additionalProperties": false}),
    };
    let turn = scene.turn(&request).await;
    assert_eq!(arguments(&turn.text), json!({"result": true}));
    let asked = scene.heard().pop().unwrap();
    assert!(asked.json && asked.tools.is_empty(), "{asked:?}");
}

pub async fn a_withheld_answer_calls_nothing(provider: &Arc<impl Provider>) {
    let turn = Scene::new(provider, &[Say::Withheld("Well")]);
    let turn = turn.turn(&question()).await;
    assert_eq!((turn.finish, turn.tool_calls), (Finish::Filtered, vec![]));
}

pub async fn a_cut_text_says_so(provider: &Arc<impl Provider>) {
    let turn = Scene::new(provider, &[Say::CutText("Once upon a")]);
    let turn = turn.turn(&question()).await;
    assert_eq!((&*turn.text, turn.finish), ("Once upon a", Finish::Length));
}

pub async fn half_a_call_is_never_whole(provider: &Arc<impl Provider>) {
    let half = ("toolu_1", "time_now", &["{\"timezone\":\"As"] as &[&str]);
    let turn = Scene::new(provider, &[Say::CutCall(half)]);
    let turn = turn.turn(&question()).await;
    assert_eq!(turn.finish, Finish::Length);
    for call in turn.tool_calls {
        serde_json::from_str::<Value>(&call.arguments).unwrap_err();
    }
}

pub async fn an_answer_is_counted(provider: &Arc<impl Provider>) {
    let usage = Scene::new(provider, &[Say::Text(&["Noon."])]);
    let usage = usage.turn(&question()).await.usage;
    assert_eq!((usage.input_tokens, usage.cached_tokens), (1_000, 400));
    assert_eq!(usage.output_tokens, 20);
}

fn arguments(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}
