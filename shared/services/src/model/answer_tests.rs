use super::*;
use serde_json::json;

fn answer(chunks: &[Value]) -> (Result<Turn, Unusable>, Vec<Delta>) {
    let mut answer = Answer::default();
    let mut seen = Vec::new();
    for chunk in chunks {
        let chunk: Chunk = serde_json::from_value(chunk.clone()).unwrap();
        answer.take(chunk, &mut |delta| seen.push(delta)).unwrap();
    }
    (answer.finish("openai", "gpt-5.2", 400, 3), seen)
}

fn calls(chunks: &[Value]) -> Vec<(String, String, String)> {
    answer(chunks)
        .0
        .unwrap()
        .tool_calls
        .into_iter()
        .map(|call| (call.id, call.name, call.arguments))
        .collect()
}

fn call(piece: Value) -> Value {
    json!({"choices":[{"delta":{"tool_calls":[piece]}}]})
}

fn triple(id: &str, name: &str, arguments: &str) -> (String, String, String) {
    (id.into(), name.into(), arguments.into())
}

#[test]
fn pieces_of_parallel_calls_meet_by_index() {
    let got = calls(&[
        call(json!({"index":0,"id":"a","function":{"name":"x","arguments":""}})),
        call(json!({"index":1,"id":"b","function":{"name":"y","arguments":"{"}})),
        call(json!({"index":0,"function":{"arguments":"{\"n\":1}"}})),
        call(json!({"index":1,"function":{"arguments":"}"}})),
    ]);
    assert_eq!(got, [triple("a", "x", "{\"n\":1}"), triple("b", "y", "{}")]);
}

#[test]
fn calls_without_index_or_id_are_told_apart_by_name() {
    let got = calls(&[
        call(json!({"function":{"name":"x","arguments":"{\"a\":"}})),
        call(json!({"function":{"arguments":"1}"}})),
        call(json!({"function":{"name":"x","arguments":"{}"}})),
    ]);
    assert_eq!(
        got,
        [
            triple("call_3_0", "x", "{\"a\":1}"),
            triple("call_3_1", "x", "{}")
        ]
    );
}

#[test]
fn one_index_for_all_calls_still_gives_two() {
    let got = calls(&[
        call(json!({"index":0,"id":"a","function":{"name":"x","arguments":{"n":1}}})),
        call(json!({"index":0,"id":"b","function":{"name":"y","arguments":"{}"}})),
    ]);
    assert_eq!(got, [triple("a", "x", "{\"n\":1}"), triple("b", "y", "{}")]);
}

#[test]
fn a_repeated_id_is_made_unique() {
    let got = calls(&[json!({"choices":[{"delta":{"tool_calls":[
        {"index":0,"id":"a","function":{"name":"x","arguments":"{}"}},
        {"index":1,"id":"a","function":{"name":"y","arguments":"{}"}}]}}]})]);
    assert_eq!(got[1].0, "call_3_1");
}

#[test]
fn names_and_text_are_reported_as_they_come() {
    let (_, seen) = answer(&[
        json!({"choices":[{"delta":{"content":"Let me "}}]}),
        json!({"choices":[{"delta":{"content":null,"tool_calls":[{"index":0,"function":{"name":"x"}}]}}]}),
        call(json!({"index":0,"function":{"name":"x","arguments":"{}"}})),
    ]);
    assert_eq!(
        seen,
        [Delta::Text("Let me ".into()), Delta::ToolCall("x".into())]
    );
}

#[test]
fn content_may_be_parts_and_a_refusal_is_text() {
    let (turn, _) = answer(&[json!({"choices":[{"message":
        {"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}}]})]);
    let turn = turn.unwrap();
    assert_eq!((turn.text.as_str(), turn.refused), ("ab", false));
    let (turn, _) = answer(&[json!({"choices":[{"delta":{"refusal":"I can't."}}]})]);
    let turn = turn.unwrap();
    assert_eq!((turn.text.as_str(), turn.refused), ("I can't.", true));
}

#[test]
fn usage_is_read_and_priced_and_estimated_when_missing() {
    let text = json!({"choices":[{"delta":{"content":"12345678"},"finish_reason":"stop"}]});
    let counted = json!({"choices":[],"usage":
        {"prompt_tokens":1000,"completion_tokens":10,"prompt_tokens_details":{"cached_tokens":400}}});
    let usage = answer(&[text.clone(), counted]).0.unwrap().usage;
    assert_eq!(usage.input_tokens, 1000);
    assert_eq!(usage.cached_tokens, 400);
    assert_eq!(usage.output_tokens, 10);
    assert_eq!(usage.cost_micros, Some(1260));
    for nonsense in [json!({"prompt_tokens": -5}), json!(1), json!("x")] {
        let usage = answer(&[text.clone(), json!({"usage": nonsense})]).0;
        assert_eq!(usage.unwrap().usage.input_tokens, 100);
    }
    let usage = answer(&[text, json!({"usage":null})]).0.unwrap().usage;
    assert_eq!(usage.input_tokens, 100);
    assert_eq!(usage.output_tokens, 2);
    assert_eq!(usage.cost_micros, None);
}

#[test]
fn reasons_become_finishes() {
    let with = |reason: Value, text: &str| {
        answer(&[json!({"choices":[{"delta":{"content":text},"finish_reason":reason}]})]).0
    };
    assert_eq!(with(json!("stop"), "a").unwrap().finish, Finish::Stop);
    assert_eq!(with(Value::Null, "a").unwrap().finish, Finish::Stop);
    assert_eq!(with(json!("length"), "").unwrap().finish, Finish::Length);
    assert_eq!(
        with(json!("content_filter"), "").unwrap().finish,
        Finish::Filtered
    );
    assert!(with(json!("error"), "a").is_err());
    assert_eq!(
        with(json!("stop"), " ").unwrap_err().0,
        "neither text nor tool calls"
    );
    assert_eq!(
        with(json!("tool_calls"), "").unwrap_err().0,
        "neither text nor tool calls"
    );
}

#[test]
fn nothing_at_all_is_no_answer() {
    assert_eq!(
        answer(&[json!({"choices":[]})]).0.unwrap_err().0,
        "no choices"
    );
    assert_eq!(
        answer(&[call(json!({"index":0,"function":{"arguments":"{}"}}))])
            .0
            .unwrap_err()
            .0,
        "a tool call without a name"
    );
}
