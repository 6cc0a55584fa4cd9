//! Searches over HTTP, at stand-ins that refuse undocumented requests.

use alfred_core::ports::{Domains, Found, Search, SearchError, Secrets};
use alfred_testkit::stand_in::{Log, Reply, serve_logged};
use alfred_testkit::{ManualClock, MemorySecrets};
use alfred_web::{ApiKey, Checked, OpenAiSearch, Searxng, Tavily};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

const KEY: &str = "key-of-a-test";
const QUERY: &str = "opening hours";

fn clock() -> Arc<ManualClock> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    Arc::new(ManualClock::default())
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

fn providers(url: &str) -> [(&'static str, Box<dyn Search>); 3] {
    [
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

async fn searched(provider: &dyn Search) -> Result<Found, SearchError> {
    provider.search(QUERY, &Domains::default(), 8).await
}

fn body(answer: &Value) -> Reply {
    Reply::new(200, "application/json", answer.to_string())
}

/// All three, answering with these addresses.
fn finding(urls: &'static [&str]) -> (String, Log) {
    let hits: Vec<Value> = urls
        .iter()
        .map(|url| json!({"url": url, "title": "Title", "content": "About it", "score": 0.9}))
        .collect();
    let sources: Vec<Value> = urls
        .iter()
        .map(|url| json!({"type": "url", "url": url}))
        .collect();
    serve_logged(move |asked| {
        let has_key = asked.header("authorization") == Some(&format!("Bearer {KEY}"));
        let sent = asked.json();
        let path = asked.path.split('?').next().unwrap();
        match (&*asked.method, path) {
            ("GET", "/search") if asked.path.contains("format=json") => body(&json!({
                "query": "q", "number_of_results": 0, "results": hits, "unresponsive_engines": [],
            })),
            ("POST", "/search")
                if has_key && sent["query"] == QUERY && sent["max_results"] == 8 =>
            {
                body(&json!({"query": "q", "results": hits}))
            }
            ("POST", "/responses")
                if has_key
                    && sent["input"] == QUERY
                    && sent["store"] == false
                    && sent["include"] == json!(["web_search_call.action.sources"]) =>
            {
                body(&response(&sources, "It is so.", &[]))
            }
            _ => Reply::new(400, "text/plain", "no such request"),
        }
    })
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
async fn a_search_finds_pages_and_counts_its_cost() {
    let pages = &["https://a.example/1", "https://b.example/2"];
    let (url, _) = finding(pages);
    for (name, provider) in providers(&url) {
        let found = searched(&*provider).await.unwrap();
        assert_eq!(urls(&found), pages, "{name}");
        let is_openai = name == "openai";
        let snippet = if is_openai { "" } else { "About it" };
        assert_eq!(found.pages[0].snippet, snippet, "{name}");
        assert_eq!(found.answer.is_some(), is_openai, "{name}");
        let cost = is_openai.then_some(12_000);
        assert_eq!(found.usage.cost_micros, cost, "{name}: tokens and a search");
    }
}

/// Each provider is told, and none is believed.
#[tokio::test]
async fn pages_of_other_domains_are_dropped() {
    let (url, log) = finding(&[
        "https://www.example.com/a",
        "https://notexample.com/b",
        "https://ads.example.com/c",
        "https://evil.test/example.com",
    ]);
    let wanted = domains(&["https://example.com/"], &["ads.example.com"]);
    for (name, provider) in providers(&url) {
        let found = provider.search(QUERY, &wanted, 8).await.unwrap();
        assert_eq!(urls(&found), ["https://www.example.com/a"], "{name}");
        assert_eq!(found.answer, None, "{name}: it rests on what doesn't count");
        let none = provider.search(QUERY, &domains(&["///"], &[]), 8).await;
        assert_eq!(none, Ok(Found::default()), "{name}");
    }
    let log = log.lock().unwrap();
    let [searxng, tavily, openai] = &log[..] else {
        panic!("a filter that admits nothing asks nobody");
    };
    let query = "q=opening+hours+site%3Aexample.com+-site%3Aads.example.com";
    assert!(searxng.path.contains(query), "{}", searxng.path);
    assert_eq!(tavily.json()["include_domains"], json!(["example.com"]));
    assert_eq!(tavily.json()["exclude_domains"], json!(["ads.example.com"]));
    let filters =
        json!({"allowed_domains": ["example.com"], "blocked_domains": ["ads.example.com"]});
    let tool = json!([{"type": "web_search", "filters": filters}]);
    assert_eq!(openai.json()["tools"], tool);
}

#[tokio::test]
async fn without_results_there_is_no_answer_either() {
    let (url, _) = finding(&[]);
    for (name, provider) in providers(&url) {
        let found = searched(&*provider).await.unwrap();
        assert!(found.pages.is_empty() && found.answer.is_none(), "{name}");
    }
    let unfinished =
        json!({"status": "incomplete", "usage": {"input_tokens": 900, "output_tokens": 100}});
    let (url, _) = serve_logged(move |_| body(&unfinished));
    let found = searched(&openai(&url)).await.unwrap();
    assert_eq!(
        (found.pages.len(), found.usage.cost_micros),
        (0, Some(2_000))
    );
}

/// A limit, a key, a wrong setting, a failure: the same of each provider.
#[tokio::test]
async fn errors_are_told_apart_without_the_providers_words() {
    for (status, expected) in [
        (429, "over_quota"),
        (402, "over_quota"),
        (432, "over_quota"),
        (433, "over_quota"),
        (504, "too_slow"),
        (401, "key_refused"),
        (403, "refused"),
        (404, "refused"),
        (302, "refused"),
        (500, "down"),
        (200, "down"),
    ] {
        let (url, _) = serve_logged(move |_| {
            let said =
                json!({"error": {"message": "Incorrect API key provided: sk-abc", "code": 7}});
            let reply = Reply::new(status, "application/json", said.to_string());
            reply
                .with("location", "/elsewhere")
                .with("retry-after", "7")
        });
        for (name, provider) in providers(&url) {
            let error = searched(&*provider).await.unwrap_err();
            assert_eq!(error.kind(), expected, "{name}: {status} {error}");
            assert!(!format!("{error:?}").contains("sk-abc"), "{name}: {error}");
            if let SearchError::OverQuota { retry_after } = error {
                assert_eq!(retry_after, Some(Duration::from_secs(7)));
            }
        }
    }
    for (name, provider) in providers("http://127.0.0.1:1") {
        let error = searched(&*provider).await.unwrap_err();
        assert_eq!(error.kind(), "down", "{name}: {error}");
    }
}

/// SearXNG whose engines are all blocked doesn't know whether there is something.
#[tokio::test]
async fn a_searxng_without_engines_is_down() {
    let (url, _) = serve_logged(|_| {
        body(&json!({"results": [], "unresponsive_engines": [["google", "timeout"]]}))
    });
    let error = searched(&Searxng::new(&url, clock())).await.unwrap_err();
    assert_eq!(error.kind(), "down");
}

/// Places are counted in characters; what isn't returned can't be cited.
#[tokio::test]
async fn citations_resolve_to_what_was_returned() {
    const LINK: &str = "([a](https://a.example/1?q=a%20b,c&utm_source=openai))";
    let text = format!("Über 9 Uhr {LINK}, laut anderen 10. Ende.");
    let cites = |part: &str, url: &str| {
        let start = text[..text.find(part).unwrap()].chars().count();
        json!({"type": "url_citation", "url": url, "title": "Öffnungszeiten",
            "start_index": start, "end_index": start + part.chars().count()})
    };
    let annotations = [
        cites(LINK, "https://a.example/1?q=a%20b,c&utm_source=openai"),
        cites("anderen 10", "https://made-up.example/"),
        json!({"type": "file_citation", "file_id": "f"}),
    ];
    let sources = [
        json!({"type": "url", "url": "https://a.example/1?q=a%20b,c"}),
        json!({"type": "api", "name": "weather"}),
    ];
    let answer = response(&sources, &text, &annotations);
    let (url, _) = serve_logged(move |_| body(&answer));
    let found = searched(&Checked(openai(&url))).await.unwrap();
    assert_eq!(found.pages[0].source.title, "Öffnungszeiten");
    let answer = found.answer.unwrap();
    let cited = answer.citations.iter();
    let cited: Vec<_> = cited
        .map(|one| (&answer.text[one.at.clone()], one.page))
        .collect();
    assert_eq!(cited, [(LINK, Some(0)), ("", None)]);
}

/// A key that is a secret of the deployment is read at the first search, once.
#[tokio::test]
async fn a_named_key_is_read_when_it_is_needed() {
    let (url, log) = finding(&["https://a.example/1"]);
    let secrets = Arc::new(MemorySecrets::default());
    let key = ApiKey::named(secrets.clone(), "alfred/TAVILY_API_KEY");
    let provider = Tavily::new(&url, key, clock());
    assert_eq!(searched(&provider).await.unwrap_err().kind(), "key_refused");
    assert!(log.lock().unwrap().is_empty());
    secrets
        .put("alfred/TAVILY_API_KEY", &KEY.into())
        .await
        .unwrap();
    assert_eq!(searched(&provider).await.unwrap().pages.len(), 1);
}
