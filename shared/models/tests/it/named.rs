use crate::model_conformance::player::request::request;

use alfred_core::ports::{Model, ModelError, Usage};
use alfred_models::{Open, Selection, WithOthers};
use alfred_testkit::{ManualClock, ScriptedModel, says};
use async_trait::async_trait;
use std::sync::{Arc, Mutex};

/// Opens a model at the second attempt, and logs the names.
#[derive(Clone, Default)]
struct Opening(Arc<Mutex<Vec<String>>>);

#[async_trait]
impl Open for Opening {
    async fn open(&self, name: &str) -> Result<Arc<dyn Model>, ModelError> {
        let mut opened = self.0.lock().unwrap();
        opened.push(name.to_owned());
        let no_key = ModelError::Refused {
            detail: "no key yet".into(),
        };
        let model = ScriptedModel::new([says("one"), says("two")]);
        (opened.len() > 1)
            .then(|| Arc::new(model) as _)
            .ok_or(no_key)
    }
}

fn open(settings: impl Fn(&str) -> Option<String>) -> Arc<dyn Model> {
    let selection = Selection::read(settings).unwrap();
    let clock = Arc::new(ManualClock::default());
    selection.open(None, clock).unwrap()
}

#[tokio::test]
async fn a_named_model_is_opened_once_by_its_first_turn_and_again_after_a_failure() {
    let opening = Opening::default();
    let settings = |name: &str| match name {
        "ALFRED_MODEL" => Some("openai:gpt-5-mini,openai:gpt-5.2,ollama:qwen3".to_owned()),
        "OPENAI_API_KEY" => Some("k".to_owned()),
        _ => None,
    };
    let models = WithOthers::new(open(settings), opening.clone());
    let named = |name| models.named(name).unwrap();
    let read = Usage {
        input_tokens: 1_000_000,
        ..Usage::default()
    };
    // The dearest of its own tells what a turn costs at most.
    assert_eq!(models.costs_at_most(&read), Some(1_750_000));
    let unpriced = |name: &str| (name == "ALFRED_MODEL").then(|| "ollama:qwen3".to_owned());
    assert_eq!(open(unpriced).costs_at_most(&read), None);
    let other = "openai:gpt-5-mini";
    assert_eq!(named(other).name(), other);
    assert_eq!(named(other).costs_at_most(&read), Some(250_000));
    assert_eq!(named("mine:two").costs_at_most(&read), None);
    assert!(opening.0.lock().unwrap().is_empty());
    let mut texts = Vec::new();
    for _ in 0..3 {
        let turn = named(other).turn(&request(), &mut Usage::default()).await;
        texts.push(turn.map_or_else(|error| error.to_string(), |turn| turn.text));
    }
    assert_eq!(
        texts,
        ["model refused the request: no key yet", "one", "two"]
    );
    assert_eq!(*opening.0.lock().unwrap(), [other, other]);
}
