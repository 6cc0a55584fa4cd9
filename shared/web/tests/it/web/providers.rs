//! Seed 001 over HTTP: each provider as strict as it is documented to be, and what becomes of its answers.

use alfred_core::ports::{Domains, Found, Search, SearchError, Secrets};
use alfred_testkit::{ManualClock, MemorySecrets};
use alfred_web::{ApiKey, Checked, OpenAiSearch, Searxng, Tavily};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use wiremock::matchers::{body_partial_json, header, method, path, query_param};
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

const KEY: &str = "key-of-a-test";

fn clock() -> Arc<ManualClock> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    Arc::new(ManualClock::at("2026-11-23T09:00:00Z".parse().unwrap()))
}

fn key() -> ApiKey {
    ApiKey::Known(KEY.into())
}

/// Each token costs two millionths of a dollar.
fn openai(url: &str) -> OpenAiSearch {
    OpenAiSearch::new(url, "gpt-5.2", key(), clock(), |model, usage| {
        assert_eq!(model, "openai:gpt-5.2");
        Some(2 * (usage.input_tokens + usage.output_tokens))
    })
}

fn providers(url: &str) -> Vec<(&'static str, Box<dyn Search>)> {
    vec![
        ("searxng", Box::new(Checked(Searxng::new(url, clock())))),
        (
            "tavily",
            Box::new(Checked(Tavily::new(url, key(), clock()))),
        ),
        ("openai", Box::new(Checked(openai(url)))),
    ]
}

fn domains(allowed: &[&str], blocked: &[&str]) -> Domains {
    let all = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    Domains {
        allowed: all(allowed),
        blocked: all(blocked),
    }
}

/// All three, answering with these addresses.
async fn serving(urls: &[&str]) -> MockServer {
    let server = MockServer::start().await;
    let list = |name: &str| -> Vec<Value> {
        let hit =
            |url: &&str| json!({"url": url, "title": "Title", name: "About it", "score": 0.9});
        urls.iter().map(hit).collect()
    };
    Mock::given(method("GET"))
        .and(path("/search"))
        .and(query_param("format", "json"))
        .respond_with(ResponseTemplate::new(200).set_body_json(json!({
            "query": "q", "number_of_results": 0, "results": list("content"), "unresponsive_engines": [],
        })))
        .mount(&server)
        .await;
    Mock::given(method("POST"))
        .and(path("/search"))
        .and(header("authorization", format!("Bearer {KEY}").as_str()))
        .and(body_partial_json(
            json!({"query": "opening hours", "max_results": 8}),
        ))
        .respond_with(
            ResponseTemplate::new(200)
                .set_body_json(json!({"query": "q", "results": list("content")})),
        )
        .mount(&server)
        .await;
    let sources: Vec<Value> = urls
        .iter()
        .map(|url| json!({"type": "url", "url": url}))
        .collect();
    Mock::given(method("POST"))
        .and(path("/responses"))
        .and(header("authorization", format!("Bearer {KEY}").as_str()))
        .and(body_partial_json(json!({
            "input": "opening hours", "store": false, "include": ["web_search_call.action.sources"],
        })))
        .respond_with(ResponseTemplate::new(200).set_body_json(response(
            &sources,
            "It is so.",
            &[],
        )))
        .mount(&server)
        .await;
    server
}

fn response(sources: &[Value], text: &str, annotations: &[Value]) -> Value {
    json!({
        "id": "resp_1", "status": "completed", "error": null,
        "usage": {"input_tokens": 900, "output_tokens": 100, "total_tokens": 1000},
        "output": [
            {"type": "reasoning", "summary": []},
            {"type": "web_search_call", "status": "completed", "action": {"type": "search", "query": "q", "sources": sources}},
            {"type": "message", "content": [
                {"type": "output_text", "text": text, "annotations": annotations},
                {"type": "refusal", "refusal": ""},
            ]},
        ],
    })
}

fn urls(found: &Found) -> Vec<&str> {
    found.pages.iter().map(|page| &*page.source.url).collect()
}

#[tokio::test]
async fn basic_web_search() {
    let server = serving(&["https://a.example/1", "https://b.example/2"]).await;
    for (name, provider) in providers(&server.uri()) {
        let found = provider
            .search("opening hours", &Domains::default(), 8)
            .await
            .unwrap();
        assert_eq!(
            urls(&found),
            ["https://a.example/1", "https://b.example/2"],
            "{name}"
        );
        let snippets = name != "openai";
        assert_eq!(
            found.pages[0].snippet,
            if snippets { "About it" } else { "" },
            "{name}"
        );
        assert_eq!(found.answer.is_some(), name == "openai", "{name}");
        let cost = (name == "openai").then_some(12_000);
        assert_eq!(found.usage.cost_micros, cost, "{name}: tokens and a search");
    }
}

/// Each provider is told, and none is believed.
#[tokio::test]
async fn domain_filtered_search() {
    let returned = [
        "https://www.example.com/a",
        "https://notexample.com/b",
        "https://ads.example.com/c",
        "https://evil.test/example.com",
    ];
    let server = serving(&returned).await;
    let wanted = domains(&["https://example.com/"], &["ads.example.com"]);
    for (name, provider) in providers(&server.uri()) {
        let found = provider.search("opening hours", &wanted, 8).await.unwrap();
        assert_eq!(urls(&found), ["https://www.example.com/a"], "{name}");
        assert_eq!(found.answer, None, "{name}: it rests on what doesn't count");
        let none = provider
            .search("opening hours", &domains(&["///"], &[]), 8)
            .await;
        assert_eq!(none, Ok(Found::default()), "{name}");
    }
    let asked = server.received_requests().await.unwrap();
    assert_eq!(asked.len(), 3, "a filter that admits nothing asks nobody");
    let [searxng, tavily, openai] = &asked[..] else {
        panic!()
    };
    let query = searxng
        .url
        .query_pairs()
        .find(|(name, _)| name == "q")
        .unwrap()
        .1;
    assert_eq!(
        query,
        "opening hours site:example.com -site:ads.example.com"
    );
    let tavily: Value = tavily.body_json().unwrap();
    assert_eq!(tavily["include_domains"], json!(["example.com"]));
    assert_eq!(tavily["exclude_domains"], json!(["ads.example.com"]));
    let openai: Value = openai.body_json().unwrap();
    let filters =
        json!({"allowed_domains": ["example.com"], "blocked_domains": ["ads.example.com"]});
    assert_eq!(
        openai["tools"],
        json!([{"type": "web_search", "filters": filters}])
    );
}

#[tokio::test]
async fn no_results_found() {
    let server = serving(&[]).await;
    for (name, provider) in providers(&server.uri()) {
        let found = provider
            .search("opening hours", &Domains::default(), 8)
            .await;
        let found = found.unwrap();
        let nothing = found.pages.is_empty() && found.answer.is_none();
        assert!(nothing, "{name}: also no answer from memory");
    }
}

/// A limit, a key, a wrong setting, a failure: the same of each provider.
#[tokio::test]
async fn api_error_handling() {
    let over = |seconds: Option<u64>| SearchError::OverQuota {
        retry_after: seconds.map(Duration::from_secs),
    };
    for (status, headers, expected) in [
        (429, Some("7"), over(Some(7))),
        (402, None, over(None)),
        (432, None, over(None)),
        (433, None, over(None)),
        (504, None, SearchError::TooSlow),
    ] {
        let server = MockServer::start().await;
        let answer = ResponseTemplate::new(status).set_body_string("no");
        let answer = headers.iter().fold(answer, |answer, after| {
            answer.insert_header("retry-after", *after)
        });
        Mock::given(wiremock::matchers::any())
            .respond_with(answer)
            .mount(&server)
            .await;
        for (name, provider) in providers(&server.uri()) {
            let found = provider.search("x", &Domains::default(), 8).await;
            assert_eq!(found, Err(expected.clone()), "{name}: {status}");
        }
    }
    for (status, kind) in [
        (401, "key_refused"),
        (403, "refused"),
        (404, "refused"),
        (302, "refused"),
        (500, "down"),
        (200, "down"),
    ] {
        let server = MockServer::start().await;
        let quoting =
            json!({"error": {"message": "Incorrect API key provided: sk-abc", "code": 7}});
        let answer = ResponseTemplate::new(status)
            .set_body_json(quoting)
            .insert_header("location", "/elsewhere");
        Mock::given(wiremock::matchers::any())
            .respond_with(answer)
            .mount(&server)
            .await;
        for (name, provider) in providers(&server.uri()) {
            let error = provider
                .search("x", &Domains::default(), 8)
                .await
                .unwrap_err();
            assert_eq!(error.kind(), kind, "{name}: {status} {error}");
            assert!(!error.to_string().contains("sk-abc"), "{name}: {error}");
        }
    }
    for (name, provider) in providers("http://127.0.0.1:1") {
        let error = provider
            .search("x", &Domains::default(), 8)
            .await
            .unwrap_err();
        assert_eq!(error.kind(), "down", "{name}: {error}");
    }
}

/// SearXNG whose engines are all blocked has found nothing, and doesn't know whether there is something.
#[tokio::test]
async fn a_searxng_without_engines_is_down() {
    let server = MockServer::start().await;
    let answer = json!({"results": [], "unresponsive_engines": [["google", "timeout"]]});
    Mock::given(method("GET"))
        .respond_with(ResponseTemplate::new(200).set_body_json(answer))
        .mount(&server)
        .await;
    let error = Searxng::new(&server.uri(), clock())
        .search("x", &Domains::default(), 8)
        .await;
    assert_eq!(error.unwrap_err().kind(), "down");
}

/// Places are counted in characters; what isn't returned can't be cited.
#[tokio::test]
async fn citations_resolve_to_what_was_returned() {
    let text = "Über 9 Uhr ([a](https://a.example/1?utm_source=openai)), laut anderen 10. Ende.";
    let span = |part: &str| {
        let at = text[..text.find(part).unwrap()].chars().count();
        (at, at + part.chars().count())
    };
    let cites = |part: &str, url: &str| {
        let (start, end) = span(part);
        json!({"type": "url_citation", "url": url, "title": "Öffnungszeiten", "start_index": start, "end_index": end})
    };
    let annotations = [
        cites(
            "([a](https://a.example/1?utm_source=openai))",
            "https://a.example/1?utm_source=openai",
        ),
        cites("anderen 10", "https://made-up.example/"),
        json!({"type": "file_citation", "file_id": "f"}),
    ];
    let sources = [
        json!({"type": "url", "url": "https://a.example/1"}),
        json!({"type": "api", "name": "weather"}),
    ];
    let server = MockServer::start().await;
    let body = response(&sources, text, &annotations);
    Mock::given(method("POST"))
        .respond_with(ResponseTemplate::new(200).set_body_json(body))
        .mount(&server)
        .await;
    let provider = Checked(openai(&server.uri()));
    let found = provider.search("x", &Domains::default(), 8).await.unwrap();
    assert_eq!(found.pages[0].source.title, "Öffnungszeiten");
    let answer = found.answer.unwrap();
    let cited: Vec<(&str, Option<usize>)> = answer
        .citations
        .iter()
        .map(|one| (&answer.text[one.at.clone()], one.page))
        .collect();
    assert_eq!(
        cited,
        [
            ("([a](https://a.example/1?utm_source=openai))", Some(0)),
            ("", None)
        ]
    );
}

/// A key that is a secret of the deployment is read at the first search, once.
#[tokio::test]
async fn a_named_key_is_read_when_it_is_needed() {
    let server = serving(&["https://a.example/1"]).await;
    let secrets = Arc::new(MemorySecrets::default());
    let named = || ApiKey::named(secrets.clone(), "alfred/TAVILY_API_KEY");
    let provider = Tavily::new(&server.uri(), named(), clock());
    let all = Domains::default();
    let search = || provider.search("opening hours", &all, 8);
    assert_eq!(search().await.unwrap_err().kind(), "key_refused");
    secrets
        .put("alfred/TAVILY_API_KEY", &KEY.into())
        .await
        .unwrap();
    assert_eq!(search().await.unwrap().pages.len(), 1);
    let bearer = |request: &Request| {
        request.headers["authorization"]
            .to_str()
            .unwrap()
            .to_owned()
    };
    let asked = server.received_requests().await.unwrap();
    assert_eq!(
        asked.iter().map(bearer).collect::<Vec<_>>(),
        [format!("Bearer {KEY}")]
    );
}
