use super::*;
use futures_util::FutureExt;
use secrecy::ExposeSecret;

/// Settings as `NAME=value`, separated by semicolons.
fn read(settings: &str) -> Result<Selection, ConfigError> {
    Selection::read(|name| {
        let mut settings = settings.split(';').filter_map(|one| one.split_once('='));
        settings
            .find(|(known, _)| *known == name)
            .map(|(_, value)| value.to_owned())
    })
}

fn endpoints(settings: &str) -> Vec<Endpoint> {
    match read(settings).unwrap() {
        Selection::Endpoints(endpoints) => endpoints,
        Selection::Demo => panic!("the demo model was selected"),
    }
}

/// Settings, and below them the endpoints: name, URL, form, key and context.
const SETTINGS: &str = "
ALFRED_MODEL=ollama:llama3.3:70b;OPENAI_API_KEY=k
  ollama:llama3.3:70b http://127.0.0.1:11434/v1 Chat
ALFRED_MODEL=openai:gpt-5.2, google:b ,;OPENAI_API_KEY=k1;GEMINI_API_KEY=k2
  openai:gpt-5.2 https://api.openai.com/v1 Responses k1
  google:b https://generativelanguage.googleapis.com/v1beta/openai Chat k2
ALFRED_MODEL=anthropic:b,bedrock:amazon.nova-pro-v1:0;ANTHROPIC_API_KEY=k
  anthropic:b https://api.anthropic.com/v1 Messages k
  bedrock:amazon.nova-pro-v1:0  Hosted
ALFRED_MODEL=openai:a,ollama:b;ALFRED_MODEL_URL=http://gateway:1/v1/;OPENAI_BASE_URL=http://other/v1
  openai:a http://gateway:1/v1 Chat
  ollama:b http://gateway:1/v1 Chat
ALFRED_MODEL=openai:a,ollama:b,mine:c;OPENAI_BASE_URL=http://other/v1
  openai:a http://other/v1 Chat
  ollama:b http://127.0.0.1:11434/v1 Chat
  mine:c http://other/v1 Chat
ALFRED_MODEL=openai:a;ALFRED_MODEL_URL=http://gateway/v1/messages/
  openai:a http://gateway/v1 Messages
ALFRED_MODEL=anthropic:a,google:b;ALFRED_MODEL_URL=http://gateway/v1
  anthropic:a http://gateway/v1 Chat
  google:b http://gateway/v1 Chat
ALFRED_MODEL=openai:a;OPENAI_BASE_URL=http://other/v1/responses
  openai:a http://other/v1 Responses
ALFRED_MODEL=bedrock:a;OPENAI_BASE_URL=http://other/v1;ALFRED_MODEL_URL=http://gateway/v1/responses
  bedrock:a http://gateway/v1 Responses
OPENAI_API_KEY=k
  openai:gpt-5-mini https://api.openai.com/v1 Responses k
ALFRED_MODEL_URL=http://127.0.0.1:8080/v1/chat/completions
  custom: http://127.0.0.1:8080/v1 Chat
ALFRED_MODEL=ollama:b;ALFRED_MODEL_CONTEXT=8192
  ollama:b http://127.0.0.1:11434/v1 Chat within 8192";

#[test]
fn settings_name_endpoints_in_order_each_with_its_form_and_key() {
    let line = |endpoint: Endpoint| {
        let model = endpoint.model.unwrap_or_default();
        let key = endpoint
            .key
            .map(|key| key.get().now_or_never().unwrap().unwrap());
        let key = key.map_or(String::new(), |key| format!(" {}", key.expose_secret()));
        let context = endpoint.context.map(|tokens| format!(" within {tokens}"));
        let context = context.unwrap_or_default();
        let (provider, url, wire) = (endpoint.provider, endpoint.base_url, endpoint.wire);
        format!("\n  {provider}:{model} {url} {wire:?}{key}{context}")
    };
    let settings = SETTINGS.lines().filter(|line| line.contains('='));
    let shown: String = settings
        .map(|settings| {
            let endpoints = endpoints(settings).into_iter().map(line);
            format!("\n{settings}{}", endpoints.collect::<String>())
        })
        .collect();
    assert_eq!(shown, SETTINGS);
    assert!(matches!(read(""), Ok(Selection::Demo)));
    assert!(matches!(read("ALFRED_MODEL= "), Ok(Selection::Demo)));
}

/// Settings, and what the complaint about them names.
const COMPLAINTS: &str = "
ALFRED_MODEL=acme:x -> ALFRED_MODEL_URL
ALFRED_MODEL=openai:x -> set OPENAI_API_KEY
ALFRED_MODEL=gpt-5.2 -> provider:model
OPENAI_API_KEY=k;ALFRED_MODEL_CONTEXT=8k -> ALFRED_MODEL_CONTEXT
ALFRED_MODEL_URL=gateway -> ALFRED_MODEL_URL
ALFRED_MODEL_URL=file:///x -> http
ALFRED_MODEL_URL=http://gateway/v1/messages -> custom:MODEL
ALFRED_MODEL=demo:offline,ollama:x -> list";

#[test]
fn complaints_say_what_to_set() {
    for line in COMPLAINTS.lines().skip(1) {
        let (settings, words) = line.split_once(" -> ").unwrap();
        let complaint = read(settings).unwrap_err().to_string();
        assert!(complaint.contains(words), "{line}: {complaint}");
    }
    let clock = std::sync::Arc::new(alfred_core::ports::SystemClock);
    let hosted = crate::Fallbacks::new(endpoints("ALFRED_MODEL=bedrock:a"), None, clock);
    let complaint = hosted.err().unwrap().to_string();
    assert!(complaint.contains("--features aws"), "{complaint}");
}

#[test]
fn nothing_prints_a_key() {
    let list = endpoints("ALFRED_MODEL=openai:x;OPENAI_API_KEY=sk-visible");
    assert!(list[0].key.is_some());
    assert!(!format!("{list:?}").contains("sk-visible"));
}
