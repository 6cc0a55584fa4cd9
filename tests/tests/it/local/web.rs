//! Web search on the page with a simulated SearXNG, and a page that isn't opened because its address is internal.
//! Reading a page is tested in `shared/web`, because no setting allows internal addresses.

use axum::extract::Query;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde_json::{Value, json};
use std::collections::HashMap;
use tokio::net::TcpListener;

use crate::local::cli::Cli;
use crate::local::office::Office;
use crate::local::process::Serving;
use crate::local::puppet;

/// Returns the value for `SEARXNG_URL`.
async fn searxng() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let router = Router::new().route("/search", get(search));
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    url
}

/// Like SearXNG, refuses formats that aren't enabled and empty queries.
async fn search(Query(asked): Query<HashMap<String, String>>) -> Response {
    let given = |name: &str| asked.get(name).map_or("", String::as_str);
    if given("format") != "json" {
        return StatusCode::FORBIDDEN.into_response();
    }
    if given("q").is_empty() {
        return (StatusCode::BAD_REQUEST, "No query").into_response();
    }
    let result = |url: &str, title: &str| json!({"url": url, "title": title, "content": "Opens at nine.", "engine": "played"});
    let results = [
        result("https://museum.example/hours", "Hours | Museum"),
        result("https://city.example/culture", "Culture in town"),
        result("https://ads.example/", "Buy now"),
    ];
    Json(json!({"query": given("q"), "results": results, "unresponsive_engines": []}))
        .into_response()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_web_is_searched_with_sources_and_nothing_inside_is_opened() {
    let cli = Cli::new();
    let mut command = cli.with_puppet("serve --port 0", puppet::serve().await);
    command.env("SEARXNG_URL", searxng().await);
    let serving = Serving::start(command, cli.data()).await;
    let Office { cli, page, .. } = &Office::on(cli, serving);
    let wanted = json!({"query": "museum hours", "blockedDomains": ["ads.example"]});
    page.writes(&format!("web_search {wanted}"));
    page.shows("Sources");
    let links =
        "[...document.querySelectorAll('#message-list a')].map(a => [a.href, a.textContent])";
    let shown: Value = page.eval(&format!("JSON.stringify({links})"));
    let shown: Vec<(String, String)> = serde_json::from_str(shown.as_str().unwrap()).unwrap();
    for (url, text) in [
        ("https://museum.example/hours", "[1]"),
        ("https://museum.example/hours", "Hours ¦ Museum"),
        ("https://city.example/culture", "Culture in town"),
    ] {
        let link = (url.to_owned(), text.to_owned());
        let count = shown.iter().filter(|one| **one == link).count();
        assert_eq!(count, 1, "{shown:?}");
    }
    let unwanted = |(url, _): &(String, String)| url.starts_with("https://ads.example");
    assert!(!shown.iter().any(unwanted), "{shown:?}");
    page.pictured("web-search");
    let asked = format!("ask --json 'web_search {wanted}'");
    let output = cli.said_json(&asked).await;
    let mark = output["sources"][0]["mark"].as_str().unwrap();
    let said = output["result"].as_str().unwrap();
    assert!(said.contains(mark), "{output}");
    page.writes("/alfred run web_readPage {\"url\": \"https://127.0.0.1/\"}");
    page.shows("That address leads into a private network, so I don't open it.");
    page.pictured("web-inside");
}
