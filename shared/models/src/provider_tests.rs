use super::*;
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

#[test]
fn settings_name_endpoints_in_order_each_with_its_form_and_key() {
    let openai = "https://api.openai.com/v1 Responses";
    for (settings, expected) in [
        // The first colon splits, and the key of one provider never goes to another.
        (
            "ALFRED_MODEL=ollama:llama3.3:70b;OPENAI_API_KEY=k",
            vec!["ollama:llama3.3:70b http://127.0.0.1:11434/v1 Chat".into()],
        ),
        (
            "ALFRED_MODEL=openai:gpt-5.2, google:b ,;OPENAI_API_KEY=k1;GEMINI_API_KEY=k2",
            vec![
                format!("openai:gpt-5.2 {openai} k1"),
                "google:b https://generativelanguage.googleapis.com/v1beta/openai Chat k2".into(),
            ],
        ),
        (
            "ALFRED_MODEL=anthropic:b,bedrock:amazon.nova-pro-v1:0;ANTHROPIC_API_KEY=k",
            vec![
                "anthropic:b https://api.anthropic.com/v1 Messages k".into(),
                "bedrock:amazon.nova-pro-v1:0  Hosted".into(),
            ],
        ),
        // Alfred's own variable wins over the common one, and is for all.
        (
            "ALFRED_MODEL=openai:a,ollama:b;ALFRED_MODEL_URL=http://gateway:1/v1/;OPENAI_BASE_URL=http://other/v1",
            vec![
                "openai:a http://gateway:1/v1 Chat".into(),
                "ollama:b http://gateway:1/v1 Chat".into(),
            ],
        ),
        (
            "ALFRED_MODEL=openai:a,ollama:b,mine:c;OPENAI_BASE_URL=http://other/v1",
            vec![
                "openai:a http://other/v1 Chat".into(),
                "ollama:b http://127.0.0.1:11434/v1 Chat".into(),
                "mine:c http://other/v1 Chat".into(),
            ],
        ),
        // The end of a URL names the form.
        (
            "ALFRED_MODEL=openai:a;ALFRED_MODEL_URL=http://gateway/v1/messages/",
            vec!["openai:a http://gateway/v1 Messages".into()],
        ),
        (
            "ALFRED_MODEL=bedrock:a;ALFRED_MODEL_URL=http://gateway/v1/responses",
            vec!["bedrock:a http://gateway/v1 Responses".into()],
        ),
        // Without a name a URL or a key decides.
        (
            "OPENAI_API_KEY=k",
            vec![format!("openai:{DEFAULT_OPENAI_MODEL} {openai} k")],
        ),
        (
            "ALFRED_MODEL_URL=http://127.0.0.1:8080/v1/chat/completions",
            vec!["custom: http://127.0.0.1:8080/v1 Chat".into()],
        ),
    ] {
        let shown = |endpoint: Endpoint| {
            let model = endpoint.model.unwrap_or_default();
            let key = endpoint
                .key
                .as_ref()
                .map(|key| format!(" {}", key.expose_secret()));
            let (provider, url, wire) = (endpoint.provider, endpoint.base_url, endpoint.wire);
            format!(
                "{provider}:{model} {url} {wire:?}{}",
                key.unwrap_or_default()
            )
        };
        let read: Vec<String> = endpoints(settings).into_iter().map(shown).collect();
        assert_eq!(read, expected, "{settings}");
    }
    assert!(matches!(read("").unwrap(), Selection::Demo));
    assert!(matches!(read("ALFRED_MODEL= ").unwrap(), Selection::Demo));
}

#[test]
fn keys_are_named_once_for_each_provider_and_none_for_bedrock() {
    let names = Selection::key_variables;
    assert_eq!(
        names("google:a, my-own:b"),
        ["GEMINI_API_KEY", "MY_OWN_API_KEY"]
    );
    assert_eq!(
        names("bedrock:a,anthropic:b,anthropic:c"),
        ["ANTHROPIC_API_KEY"]
    );
    assert_eq!(names(""), ["OPENAI_API_KEY"]);
}

#[test]
fn complaints_say_what_to_set() {
    for (settings, words) in [
        ("ALFRED_MODEL=acme:x", "ALFRED_MODEL_URL"),
        ("ALFRED_MODEL=openai:x", "set OPENAI_API_KEY"),
        ("ALFRED_MODEL=gpt-5.2", "provider:model"),
        (
            "OPENAI_API_KEY=k;ALFRED_MODEL_CONTEXT=8k",
            "ALFRED_MODEL_CONTEXT",
        ),
        ("ALFRED_MODEL_URL=gateway", "ALFRED_MODEL_URL"),
        ("ALFRED_MODEL_URL=file:///x", "http"),
        (
            "ALFRED_MODEL_URL=http://gateway/v1/messages",
            "custom:MODEL",
        ),
        ("ALFRED_MODEL=demo:offline,ollama:x", "list"),
    ] {
        let complaint = read(settings).unwrap_err().to_string();
        assert!(complaint.contains(words), "{settings}: {complaint}");
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
