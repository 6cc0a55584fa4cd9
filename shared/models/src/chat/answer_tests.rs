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

fn call(piece: Value) -> Value {
    json!({"choices":[{"delta":{"tool_calls":[piece]}}]})
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
