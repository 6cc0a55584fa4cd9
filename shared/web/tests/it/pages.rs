//! Runs scenarios about pages that are read, and lists that are left:
//!
//! ```text
//! ## what it is about
//! serve /path 200 OK | Content-Type: text/plain | words      an answer; or endless, stalled, silent, half, closed
//! bind name.example inward site                              what a name is bound to, look-up by look-up
//! for HOST in a b                                            the steps below run for each of these
//! fetch https://HOST/                                        a step
//! = inward                                                   its result, which is the same for all, or one for each
//! ```

use alfred_core::ports::{PageError, Pages, WebPage};
use alfred_web::WebPages;
use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::site::{Answer, Site};

#[tokio::test]
async fn scenarios_go_as_they_are_written() {
    check(include_str!("cases/pages.txt")).await;
    check(include_str!("cases/one_click.txt")).await;
    check(include_str!("cases/inward.txt")).await;
}

async fn check(file: &str) {
    let mut wrong = Vec::new();
    for scenario in file.split("\n## ").skip(1) {
        let seen = play(scenario).await;
        if seen.trim_end() != scenario.trim_end() {
            wrong.push(format!("## {seen}"));
        }
    }
    assert!(wrong.is_empty(), "seen instead:\n{}", wrong.join("\n"));
}

async fn play(scenario: &str) -> String {
    let served = scenario
        .lines()
        .filter_map(|line| line.strip_prefix("serve "));
    let site = Site::serving(served.map(answer).collect()).await;
    let mut pages = site.pages();
    let mut lists: Vec<(&str, Vec<&str>)> = Vec::new();
    let title = scenario.lines().next().unwrap();
    let mut lines = vec![title.to_owned()];
    for line in scenario
        .lines()
        .skip(1)
        .filter(|line| !line.starts_with("= "))
    {
        lines.push(line.to_owned());
        let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
        let done = match verb {
            "for" => {
                let (name, values) = rest.split_once(" in ").unwrap();
                lists.push((name, values.split(' ').collect()));
                continue;
            }
            "bind" => {
                let (name, to) = rest.split_once(' ').unwrap();
                let looks = to.split(' ').map(|look| addresses(&site, look));
                site.bind(name, looks.collect());
                continue;
            }
            "within" => {
                let millis = rest.parse().unwrap();
                pages = site.pages().within(Duration::from_millis(millis));
                continue;
            }
            "any" => {
                pages = site.pages_by(Arc::new(|_| true));
                continue;
            }
            "fetch" | "leave" => outcomes(&pages, line, &lists).await,
            "asked" => asked(&site),
            "reached" => site.reached().to_string(),
            "written" => {
                let most: usize = rest.parse().unwrap();
                (site.written.load(Ordering::SeqCst) < most).to_string()
            }
            "serve" | "" => continue,
            _ => panic!("{title}: {line}"),
        };
        lines.push(format!("= {done}"));
    }
    lines.join("\n")
}

/// The path and its answer. A body has one byte for each character.
fn answer(line: &str) -> (String, Answer) {
    let parts: Vec<&str> = line.split(" |").map(str::trim).collect();
    let (path, status) = parts[0].split_once(' ').unwrap();
    let answer = match status {
        "endless" => Answer::Endless,
        "stalled" => Answer::Stalled,
        "silent" => Answer::Silent,
        "half" => Answer::Bytes(b"HTTP/1.1 200 O".to_vec()),
        "closed" => Answer::Bytes(Vec::new()),
        status => {
            let headers = parts.get(1).copied().unwrap_or_default();
            let headers: Vec<&str> = headers.split_terminator(" & ").collect();
            let body = parts.get(2).copied().unwrap_or_default();
            let body: String = serde_json::from_str(&format!("\"{body}\"")).unwrap();
            let body = body.replace("ARTICLE", &article());
            let bytes: Vec<u8> = body.chars().map(|c| c as u8).collect();
            Answer::of(status, &headers, &bytes)
        }
    };
    (path.to_owned(), answer)
}

fn article() -> String {
    let words = "The museum opens at nine on working days, and at ten on Sundays. ".repeat(10);
    format!(
        "<html><head><title>Hours</title></head><body><nav>Shop Jobs</nav><article><h1>Hours</h1><p>{words}</p></article></body></html>"
    )
}

/// The addresses of one look-up. An IP address has a port that would answer, were it asked.
fn addresses(site: &Site, look: &str) -> Vec<SocketAddr> {
    let address = |name: &str| match name {
        "site" => site.address,
        "inward" => site.inward,
        "closed" => {
            let free = TcpListener::bind("127.0.0.1:0").unwrap();
            free.local_addr().unwrap()
        }
        ip => SocketAddr::new(ip.parse().unwrap(), site.inward.port()),
    };
    look.split('+').map(address).collect()
}

async fn outcomes(pages: &WebPages, line: &str, lists: &[(&str, Vec<&str>)]) -> String {
    let mut all = vec![line.to_owned()];
    for (name, values) in lists {
        let with = |line: &String| -> Vec<String> {
            if !line.contains(name) {
                return vec![line.clone()];
            }
            let each = values.iter().map(|value| line.replace(name, value));
            each.collect()
        };
        all = all.iter().flat_map(with).collect();
    }
    let mut outcomes: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in all {
        let outcome = match line.split_once(' ').unwrap_or((&line, "")) {
            ("fetch", url) => pages.fetch(url).await.map(shown),
            (_, url) => pages.leave_list(url).await.map(|()| "done".into()),
        };
        let outcome = outcome.unwrap_or_else(|error| match error {
            // Their details name ports.
            PageError::Down { .. } | PageError::Unanswered { .. } => error.kind().to_owned(),
            error => error.to_string(),
        });
        outcomes.entry(outcome).or_default().push(line);
    }
    if outcomes.len() == 1 {
        return outcomes.into_keys().collect();
    }
    let each = outcomes
        .iter()
        .map(|(outcome, lines)| format!("{outcome}: {}", lines.join(", ")));
    each.collect::<Vec<_>>().join("\n= ")
}

fn shown(page: WebPage) -> String {
    let length = page.text.chars().count();
    let start: String = page.text.trim().chars().take(80).collect();
    let cut = if page.truncated { ", cut" } else { "" };
    format!("{} {:?} {start:?} of {length}{cut}", page.url, page.title)
}

/// Requests with the names of their headers; of many, how many.
fn asked(site: &Site) -> String {
    let asked = site.asked();
    if !(1..=3).contains(&asked.len()) {
        return asked.len().to_string();
    }
    let line = |request: &String| {
        let (head, body) = request.split_once("\r\n\r\n").unwrap();
        let mut lines = head.lines();
        let first = lines.next().unwrap_or_default();
        let mut names: Vec<&str> = lines.filter_map(|line| line.split(':').next()).collect();
        names.sort_unstable();
        format!("{first} {} {body:?}", names.join(" "))
    };
    let lines: Vec<String> = asked.iter().map(line).collect();
    lines.join("; ")
}
