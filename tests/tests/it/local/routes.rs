//! Requests every route as other sites, host names and accounts would.

use serde_json::Value;
use std::path::Path;

use crate::local::cli::{Cli, ends};
use crate::local::process::Serving;
use crate::local::raw::{Answer, ask, host};
use crate::local::scene::Scene;

/// METHOD, path, and who may use it. A test of the binary compares the list with the router.
const ROUTES: &str = include_str!("../../../../infra/local/routes.txt");

struct Route {
    method: &'static str,
    path: String,
    who: &'static str,
}

fn routes() -> Vec<Route> {
    let routes = ROUTES.lines().map(|line| {
        let mut words = line.split(' ');
        let [method, path, who] = [(); 3].map(|()| words.next().unwrap());
        let path = path
            .replace("{method}", "chat.postMessage")
            .replace("{name}", "app.js")
            .replace("{link}", "0123")
            .replace("{ticket}", "0123")
            .replace("{id}", "0123");
        Route { method, path, who }
    });
    routes.collect()
}

pub fn secret(data: &Path, name: &str) -> String {
    let text = std::fs::read(data.join("secrets.json")).unwrap();
    let secrets: Value = serde_json::from_slice(&text).unwrap();
    secrets[name].as_str().unwrap().to_owned()
}

fn sent(serving: &Serving, route: &Route, headers: &[(&str, &str)]) -> Answer {
    let mut all = vec![("content-type", "application/json")];
    all.extend(headers);
    ask(&serving.address, route.method, &route.path, &all, "{}")
}

#[tokio::test]
async fn every_route_refuses_other_names_and_other_sites_whatever_they_know() {
    let cli = Cli::new();
    let serving = cli.serve().await;
    let owner = format!("Bearer {}", serving.token);
    let token = secret(cli.data(), "alfred/LOCAL_SLACK_BOT_TOKEN");
    let app = format!("Bearer {token}");
    let port = host(&serving.address).rsplit_once(':').unwrap().1;
    let rebound = format!("evil.example:{port}");
    let rebound_origin = format!("http://{rebound}");
    let neighbour = format!("http://127.0.0.1:{}", port.parse::<u16>().unwrap() ^ 1);
    let hostile: [&[(&str, &str)]; 9] = [
        &[("host", &rebound)],
        &[("host", "127.0.0.1")],
        &[("host", "")],
        &[("host", &rebound), ("origin", &rebound_origin)],
        &[("origin", "http://evil.example")],
        &[("origin", &neighbour)],
        &[("origin", "null")],
        &[("sec-fetch-site", "cross-site")],
        &[("sec-fetch-site", "same-site")],
    ];
    let mut all = routes();
    all.push(Route {
        method: "GET",
        path: "/nowhere".into(),
        who: "nobody",
    });
    for route in &all {
        let credential = if route.who == "app" { &app } else { &owner };
        for headers in hostile {
            let mut headers = headers.to_vec();
            headers.push(("authorization", credential));
            let answer = sent(&serving, route, &headers);
            assert_eq!(answer.status, 403, "{} {headers:?}: {answer:?}", route.path);
        }
        let asks = ("access-control-request-method", "POST");
        let headers = [("origin", "http://evil.example"), asks];
        let preflight = ask(&serving.address, "OPTIONS", &route.path, &headers, "");
        assert_eq!(preflight.status, 403, "{}", route.path);
        assert!(preflight.header("access-control-allow-origin").is_none());
    }
    serving.kill().await;
}

#[tokio::test]
async fn every_route_asks_for_its_own_credential() {
    let cli = Cli::new();
    let serving = cli.serve().await;
    let owner = format!("Bearer {}", serving.token);
    let constants = "Bearer xoxb-local|Bearer local-signing-secret|Bearer |";
    let all = routes();
    for route in &all {
        for given in constants.split('|') {
            let answer = sent(&serving, route, &[("authorization", given)]);
            match (route.who, route.path.as_str()) {
                ("page", _) => {
                    assert_eq!(answer.status, 401, "{}", route.path);
                    assert!(answer.body.contains("alfred page"), "{answer:?}");
                }
                ("public", _) => assert_eq!(answer.status, 200, "{}", route.path),
                ("person" | "owner", _) => assert_eq!(answer.status, 401, "{}", route.path),
                ("app", "/slack/events") => assert_eq!(answer.status, 401, "{answer:?}"),
                ("app", path) if path.starts_with("/api/") => {
                    let said: Value = serde_json::from_str(&answer.body).unwrap();
                    assert_eq!(said["ok"], false, "{answer:?}");
                }
                // These take a state signed by Alfred, or a token from Google.
                ("state", _) => assert_eq!(answer.status, 400, "{answer:?}"),
                ("google", _) => {
                    assert!([400, 401].contains(&answer.status), "{answer:?}");
                }
                // Without a token the browser is sent to sign in.
                ("app", path) if path.starts_with("/files-pri/") => {
                    assert_eq!(answer.status, 307, "{answer:?}");
                }
                // Their addresses are the secret.
                ("app", _) => assert!([400, 404].contains(&answer.status), "{answer:?}"),
                (who, path) => panic!("who is {who} of {path}?"),
            }
            assert!(!answer.body.contains(&serving.token));
        }
        if route.who == "person" {
            let path = format!("{}?token={}", route.path, serving.token);
            let in_query = ask(&serving.address, route.method, &path, &[], "");
            assert_eq!(in_query.status, 401, "{path}");
        }
        // Nothing can be written by GET. Some paths are also read by GET.
        let path = &route.path;
        let is_read = all.iter().any(|it| it.method == "GET" && it.path == *path);
        if route.method == "POST" && !is_read {
            for method in ["GET", "HEAD"] {
                let headers = [("authorization", owner.as_str())];
                let read = ask(&serving.address, method, &route.path, &headers, "");
                assert_eq!(read.status, 405, "{method} {}", route.path);
            }
        }
    }
    let bot = secret(cli.data(), "alfred/LOCAL_SLACK_BOT_TOKEN");
    let path = format!("/api/chat.postMessage?token={bot}&channel=D0ANA00001&text=hi");
    let headers = [("content-type", "application/x-www-form-urlencoded")];
    let in_query = ask(&serving.address, "POST", &path, &headers, "");
    assert!(in_query.body.contains("not_authed"), "{in_query:?}");
    serving.kill().await;
}

#[tokio::test]
async fn every_answer_tells_browsers_to_keep_it_apart() {
    let cli = Cli::new();
    let serving = cli.serve().await;
    let owner = format!("Bearer {}", serving.token);
    let own = [("authorization", owner.as_str())];
    let all = routes();
    for route in all.iter().filter(|it| it.path != "/client/events") {
        for headers in [&[][..], &own, &[("origin", "null")]] {
            let answer = sent(&serving, route, headers);
            let policy = answer.header("content-security-policy").unwrap();
            assert!(policy.contains("default-src 'none'"), "{answer:?}");
            // The confirmation form's POST must send its origin.
            let kind = answer.header("content-type").unwrap_or_default();
            let is_form = kind.starts_with("text/html") && route.who == "state";
            let referrer = ["no-referrer", "same-origin"][usize::from(is_form)];
            for (name, value) in [
                ("x-frame-options", "deny"),
                ("x-content-type-options", "nosniff"),
                ("referrer-policy", referrer),
                ("cache-control", "no-store"),
                ("cross-origin-resource-policy", "same-origin"),
                ("cross-origin-opener-policy", "same-origin"),
            ] {
                assert_eq!(answer.header(name), Some(value), "{}", route.path);
            }
        }
    }
    serving.kill().await;
}

#[tokio::test]
async fn secrets_are_of_one_folder_and_stay_there() {
    let (one, other) = (Cli::new(), Cli::new());
    let names = ["LOCAL_SLACK_BOT_TOKEN", "LOCAL_SLACK_SIGNING_SECRET"];
    let first = one.serve().await;
    let second = other.serve().await;
    let of = |data: &Path| names.map(|name| secret(data, &format!("alfred/{name}")));
    let (mine, theirs) = (of(one.data()), of(other.data()));
    let mut all = [mine.clone(), theirs].concat();
    all.extend([first.token.clone(), second.token.clone()]);
    assert!(all.iter().all(|secret| secret.len() >= 32), "{all:?}");
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 6);
    first.kill().await;
    let again = one.serve().await;
    assert_eq!(of(one.data()), mine);
    again.kill().await;
    second.kill().await;
}

/// A reverse proxy forwards Slack's requests under its own host name.
#[tokio::test]
async fn with_a_real_slack_its_path_alone_takes_any_name_and_no_browser() {
    let scene = Scene::new().await;
    let serving = scene.start().await;
    let forwarded = ("host", "alfred.example.com");
    let status = |path: &str, headers: &[(&str, &str)]| {
        ask(&serving.address, "POST", path, headers, "{}").status
    };
    let direct = status("/slack/events", &[forwarded]);
    assert_eq!(direct, 401, "only the signature misses");
    for (name, value) in [
        ("origin", "https://alfred.example.com"),
        ("origin", "http://alfred.example.com"),
        ("sec-fetch-site", "same-site"),
    ] {
        let sent = status("/slack/events", &[forwarded, (name, value)]);
        assert_eq!(sent, 403, "{value}");
    }
    for route in routes().iter().filter(|route| route.who != "app") {
        assert_eq!(status(&route.path, &[forwarded]), 403, "{}", route.path);
        if route.who != "owner" {
            let page = status(&route.path, &[]);
            assert_eq!(page, 404, "{}: there is no page", route.path);
        }
    }
    insta::assert_snapshot!(ends(1, &mut scene.command(&["page"])).await, @"alfred: a real Slack is configured, so there is no page that plays it");
    serving.kill().await;
}
