use super::*;
use secrecy::ExposeSecret;

fn read(settings: &[(&str, &str)]) -> Result<Selection, ConfigError> {
    Selection::read(|name| {
        settings
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, value)| (*value).to_owned())
    })
}

fn endpoints(settings: &[(&str, &str)]) -> Vec<Endpoint> {
    match read(settings).unwrap() {
        Selection::Endpoints(endpoints) => endpoints,
        Selection::Demo => panic!("the demo model was selected"),
    }
}

fn complaint(settings: &[(&str, &str)]) -> String {
    read(settings).unwrap_err().to_string()
}

#[test]
fn the_first_colon_splits() {
    let list = endpoints(&[("ALFRED_MODEL", "ollama:llama3.3:70b")]);
    assert_eq!(list[0].provider, "ollama");
    assert_eq!(list[0].model.as_deref(), Some("llama3.3:70b"));
    assert_eq!(list[0].base_url, "http://127.0.0.1:11434/v1");
    assert!(list[0].key.is_none());
}

#[test]
fn a_list_keeps_its_order_and_each_provider_its_key() {
    let list = endpoints(&[
        ("ALFRED_MODEL", "openai:gpt-5.2, openrouter:a/b ,"),
        ("OPENAI_API_KEY", "k1"),
        ("OPENROUTER_API_KEY", "k2"),
    ]);
    let keys: Vec<&str> = list
        .iter()
        .map(|endpoint| endpoint.key.as_ref().unwrap().expose_secret())
        .collect();
    assert_eq!(keys, ["k1", "k2"]);
    assert_eq!(
        Selection::key_variables("openai:gpt-5.2, openrouter:a/b"),
        ["OPENAI_API_KEY", "OPENROUTER_API_KEY"]
    );
}

#[test]
fn our_url_wins_over_the_common_one_and_applies_to_all() {
    let list = endpoints(&[
        ("ALFRED_MODEL", "openai:a,ollama:b"),
        ("ALFRED_MODEL_URL", "http://gateway:1/v1/"),
        ("OPENAI_BASE_URL", "http://other/v1"),
    ]);
    let urls: Vec<&str> = list.iter().map(|e| e.base_url.as_str()).collect();
    assert_eq!(urls, ["http://gateway:1/v1"; 2]);
    let list = endpoints(&[
        ("ALFRED_MODEL", "openai:a,ollama:b,mine:c"),
        ("OPENAI_BASE_URL", "http://other/v1"),
    ]);
    let urls: Vec<&str> = list.iter().map(|e| e.base_url.as_str()).collect();
    assert_eq!(
        urls,
        [
            "http://other/v1",
            "http://127.0.0.1:11434/v1",
            "http://other/v1"
        ]
    );
}

#[test]
fn a_provider_is_asked_in_its_own_form_and_a_gateway_in_that_of_its_url() {
    let named = "openai:a,anthropic:b,google:c,bedrock:eu.anthropic.claude-sonnet-4-6:0";
    let keys = ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"].map(|name| (name, "k"));
    let wires = |url: Option<(&'static str, &'static str)>| -> Vec<Wire> {
        let settings = [("ALFRED_MODEL", named)].into_iter().chain(keys).chain(url);
        let list = endpoints(&settings.collect::<Vec<_>>());
        list.iter().map(|endpoint| endpoint.wire).collect()
    };
    let own = [Wire::Responses, Wire::Messages, Wire::Chat, Wire::Hosted];
    assert_eq!(wires(None), own);
    for (path, wire) in [
        ("http://gateway/v1", Wire::Chat),
        ("http://gateway/v1/chat/completions", Wire::Chat),
        ("http://gateway/v1/responses", Wire::Responses),
        ("http://gateway/v1/messages/", Wire::Messages),
    ] {
        assert_eq!(wires(Some(("ALFRED_MODEL_URL", path))), [wire; 4], "{path}");
        let [openai, ..] = wires(Some(("OPENAI_BASE_URL", path)))[..] else {
            panic!();
        };
        assert_eq!(openai, wire, "{path}");
    }
    assert_eq!(
        Selection::key_variables("bedrock:a,anthropic:b"),
        ["ANTHROPIC_API_KEY"]
    );
}

#[test]
fn a_model_on_bedrock_needs_what_hosts_it() {
    let list = endpoints(&[("ALFRED_MODEL", "bedrock:amazon.nova-pro-v1:0")]);
    assert_eq!(list[0].model.as_deref(), Some("amazon.nova-pro-v1:0"));
    let clock = std::sync::Arc::new(alfred_core::ports::SystemClock);
    let Err(error) = crate::from_endpoints(list, None, clock) else {
        panic!("nothing hosts it");
    };
    assert!(error.to_string().contains("--features aws"), "{error}");
}

#[test]
fn the_key_of_one_provider_never_goes_to_another() {
    let list = endpoints(&[("ALFRED_MODEL", "ollama:a"), ("OPENAI_API_KEY", "k1")]);
    assert!(list[0].key.is_none());
}

#[test]
fn without_a_name_a_url_or_a_key_decides() {
    assert!(matches!(read(&[]).unwrap(), Selection::Demo));
    assert!(matches!(
        read(&[("ALFRED_MODEL", " ")]).unwrap(),
        Selection::Demo
    ));
    let list = endpoints(&[("OPENAI_API_KEY", "k")]);
    assert_eq!(list[0].model.as_deref(), Some(DEFAULT_OPENAI_MODEL));
    let list = endpoints(&[(
        "ALFRED_MODEL_URL",
        "http://127.0.0.1:8080/v1/chat/completions",
    )]);
    assert_eq!(list[0].base_url, "http://127.0.0.1:8080/v1");
    assert_eq!(list[0].model, None);
}

#[test]
fn complaints_say_what_to_set() {
    assert!(complaint(&[("ALFRED_MODEL", "acme:x")]).contains("ALFRED_MODEL_URL"));
    assert!(complaint(&[("ALFRED_MODEL", "openai:x")]).contains("set OPENAI_API_KEY"));
    assert!(complaint(&[("ALFRED_MODEL", "gpt-5.2")]).contains("provider:model"));
    let context = [("OPENAI_API_KEY", "k"), ("ALFRED_MODEL_CONTEXT", "8k")];
    assert!(complaint(&context).contains("ALFRED_MODEL_CONTEXT"));
    assert!(complaint(&[("ALFRED_MODEL_URL", "gateway")]).contains("ALFRED_MODEL_URL"));
    assert!(complaint(&[("ALFRED_MODEL_URL", "file:///x")]).contains("http"));
    let unnamed = [("ALFRED_MODEL_URL", "http://gateway/v1/messages")];
    assert!(complaint(&unnamed).contains("custom:MODEL"));
    assert!(complaint(&[("ALFRED_MODEL", "demo:offline,ollama:x")]).contains("list"));
}

#[test]
fn nothing_prints_a_key() {
    let list = endpoints(&[
        ("ALFRED_MODEL", "openai:x"),
        ("OPENAI_API_KEY", "sk-visible"),
    ]);
    assert!(list[0].key.is_some());
    assert!(!format!("{list:?}").contains("sk-visible"));
}
