use super::*;
use alfred_core::ports::Turn;
use serde_json::json;

fn answer(chunks: &[Value]) -> Turn {
    let mut answer = Answer::default();
    for chunk in chunks {
        let chunk: Chunk = serde_json::from_value(chunk.clone()).unwrap();
        answer.take(chunk).unwrap();
    }
    Said::from(answer)
        .turn("openai:gpt-5.2".into(), 400, 3)
        .unwrap()
}

#[test]
fn usage_is_read_and_estimated_when_missing() {
    let text = json!({"choices":[{"delta":{"content":"12345678"},"finish_reason":"stop"}]});
    let counted = json!({"choices":[],"usage":
        {"prompt_tokens":1000,"completion_tokens":10,"prompt_tokens_details":{"cached_tokens":400}}});
    let usage = answer(&[text.clone(), counted]).usage;
    assert_eq!(usage.input_tokens, 1000);
    assert_eq!(usage.cached_tokens, 400);
    assert_eq!(usage.output_tokens, 10);
    for missing in [
        json!({"prompt_tokens": -5}),
        json!(1),
        json!("x"),
        Value::Null,
    ] {
        let usage = answer(&[text.clone(), json!({"usage": missing})]).usage;
        assert_eq!((usage.input_tokens, usage.output_tokens), (100, 2));
    }
}
