use super::*;
use futures_util::FutureExt;
use secrecy::ExposeSecret;

/// Settings as `NAME=value`, separated by semicolons.
fn read(settings: &str) -> Result<Selection, ConfigError> {
    Selection::read(|name| {
        let mut settings = settings.split(';').filter_map(|one| one.split_once('='));
        let found = settings.find(|(known, _)| *known == name);
        found.map(|(_, value)| value.to_owned())
    })
}

fn endpoints(settings: &str) -> Vec<Endpoint> {
    match read(settings).unwrap() {
        Selection::Endpoints(endpoints) => endpoints,
        Selection::Demo => panic!("the demo model was selected"),
    }
}

/// Settings, and below them the endpoints: name, URL, form, key and context.
const SETTINGS: &str = include_str!("provider_settings.txt");

#[test]
fn settings_name_endpoints_in_order_each_with_its_form_and_key() {
    let line = |endpoint: Endpoint| {
        let model = endpoint.model.unwrap_or_default();
        let read = |key: CachedSecret| key.get().now_or_never().unwrap().unwrap();
        let key = endpoint.key.map(read);
        let key = key.map_or(String::new(), |key| format!(" {}", key.expose_secret()));
        let context = endpoint.context.map(|tokens| format!(" within {tokens}"));
        let context = context.unwrap_or_default();
        let (provider, url, wire) = (endpoint.provider, endpoint.base_url, endpoint.wire);
        format!("  {provider}:{model} {url} {wire:?}{key}{context}\n")
    };
    let settings = SETTINGS.lines().filter(|line| line.contains('='));
    let shown = settings.map(|settings| {
        let endpoints = endpoints(settings).into_iter().map(line);
        format!("{settings}\n{}", endpoints.collect::<String>())
    });
    assert_eq!(shown.collect::<String>(), SETTINGS);
    assert!(matches!(read(""), Ok(Selection::Demo)));
    assert!(matches!(read("ALFRED_MODEL= "), Ok(Selection::Demo)));
}

/// Settings, and what the complaint about them names.
const COMPLAINTS: &str = include_str!("provider_complaints.txt");

#[test]
fn complaints_say_what_to_set() {
    for line in COMPLAINTS.lines() {
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
