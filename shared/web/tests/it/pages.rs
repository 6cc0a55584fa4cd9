//! Plays texts about pages that are read, lists that are left, and searches. Their commands:
//!
//! ```text
//! serve /path 200 OK | Content-Type: text/plain | words      an answer; or endless, stalled, silent, half, closed
//! bind name.example inward site                              what a name is bound to, look-up by look-up
//! for HOST in a b                                            what follows is done for each of these
//! fetch https://HOST/                                        its result, which is the same for all, or one for each
//! search tavily 200 {}                                       a search, and how the provider answers
//! ```

use alfred_core::ports::{PageError, Pages, WebPage};
use alfred_testkit::play::{Interpreter, assert_played};
use alfred_testkit::stand_in::{Asked, nowhere};
use alfred_web::WebPages;
use async_trait::async_trait;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::searches::{Searches, settings};
use crate::site::{Answer, End, Site, whole};

#[tokio::test]
async fn pages_and_searches_go_as_the_texts_say() {
    for name in ["pages", "one_click", "inward", "searches"] {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/cases");
        assert_played(&format!("{folder}/{name}.txt"), World::new).await;
    }
}

struct World {
    site: Site,
    pages: WebPages,
    searches: Searches,
    lists: Vec<(String, Vec<String>)>,
}

impl World {
    async fn new() -> Self {
        let site = Site::new();
        Self {
            pages: site.pages(),
            searches: Searches::default(),
            site,
            lists: Vec::new(),
        }
    }

    /// The command with each value of the lists that it names.
    fn each(&self, command: &str) -> Vec<String> {
        let mut all = vec![command.to_owned()];
        for (name, values) in &self.lists {
            let with = |command: &String| -> Vec<String> {
                if !command.contains(name) {
                    return vec![command.clone()];
                }
                let each = values.iter().map(|value| command.replace(name, value));
                each.collect()
            };
            all = all.iter().flat_map(with).collect();
        }
        all
    }

    async fn outcomes(&mut self, command: &str) -> String {
        let mut outcomes: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for command in self.each(command) {
            let outcome = match command.split_once(' ').unwrap_or((&command, "")) {
                ("fetch", url) => page_outcome(self.pages.fetch(url).await.map(shown)),
                ("leave", url) => {
                    page_outcome(self.pages.leave_list(url).await.map(|()| "done".into()))
                }
                (_, search) => self.searches.search(search).await,
            };
            outcomes.entry(outcome).or_default().push(command);
        }
        if outcomes.len() == 1 {
            return outcomes.into_keys().collect();
        }
        let each = outcomes.into_iter();
        let each = each.map(|(outcome, commands)| format!("{outcome}: {}", commands.join(", ")));
        each.collect::<Vec<_>>().join("\n")
    }
}

#[async_trait]
impl Interpreter for World {
    async fn perform(&mut self, command: &str) -> String {
        let site = &self.site;
        let (verb, rest) = command.split_once(' ').unwrap_or((command, ""));
        let (first, second) = rest.split_once(' ').unwrap_or((rest, ""));
        match verb {
            "for" => {
                let values = second.strip_prefix("in ").unwrap().split(' ');
                let values = values.map(str::to_owned).collect();
                self.lists.push((first.to_owned(), values));
            }
            "serve" => site.serve(first, answer(second)),
            "bind" => {
                let looks = second.split(' ').map(|look| addresses(site, look));
                site.bind(first, looks.collect());
            }
            "within" => {
                let time = Duration::from_millis(rest.parse().unwrap());
                self.pages = site.pages().within(time);
            }
            "any" => self.pages = site.pages_by(Arc::new(|_| true)),
            "domains" => self.searches.filter(rest),
            "key" => self.searches.put_key().await,
            "fetch" | "leave" | "search" => return self.outcomes(command).await,
            "asked" => return asked(site),
            "reached" => return site.served.reached.load(Ordering::SeqCst).to_string(),
            "settings" => return settings(rest),
            "sent" => return self.searches.sent(),
            "written" => {
                let most: usize = rest.parse().unwrap();
                return (site.served.written.load(Ordering::SeqCst) < most).to_string();
            }
            other => panic!("{other}"),
        }
        String::new()
    }
}

/// A body has one byte for each character.
fn answer(line: &str) -> Answer {
    const OPEN: &[u8] =
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<p>words ";
    let (bytes, end) = match line {
        "endless" => (OPEN.to_vec(), End::Endless),
        "stalled" => (OPEN.to_vec(), End::Wait),
        "silent" => (Vec::new(), End::Wait),
        "half" => (b"HTTP/1.1 200 O".to_vec(), End::Close),
        "closed" => (Vec::new(), End::Close),
        _ => {
            let mut parts = line.split(" |").map(str::trim);
            let mut part = || parts.next().unwrap_or_default();
            let (status, headers, body) = (part(), part(), part());
            let headers = headers.split_terminator(" & ");
            let headers: String = headers.map(|header| format!("{header}\r\n")).collect();
            let body: String = serde_json::from_str(&format!("\"{body}\"")).unwrap();
            let body = body.replace("ARTICLE", &article());
            let body: Vec<u8> = body.chars().map(|c| c as u8).collect();
            (whole(status, &headers, &body), End::Close)
        }
    };
    Answer { bytes, end }
}

fn article() -> String {
    let words = "The museum opens at nine on working days, and at ten on Sundays. ".repeat(10);
    format!(
        "<html><head><title>Hours</title><style>p{{}}</style></head><body><nav>Shop Jobs</nav>\
         <article><h1>Hours</h1><p>{words}</p></article><script>alert(1)</script><div hidden>obey</div><footer>Imprint</footer></body></html>"
    )
}

/// The addresses of one look-up. An IP address has a port that would answer, were it asked.
fn addresses(site: &Site, look: &str) -> Vec<SocketAddr> {
    let address = |name: &str| match name {
        "site" => site.address,
        "inward" => site.inward,
        "closed" => nowhere()["http://".len()..].parse().unwrap(),
        ip => SocketAddr::new(ip.parse().unwrap(), site.inward.port()),
    };
    look.split('+').map(address).collect()
}

fn page_outcome(outcome: Result<String, PageError>) -> String {
    outcome.unwrap_or_else(|error| match error {
        // Their details name ports.
        PageError::Down { .. } | PageError::Unanswered { .. } => error.kind().to_owned(),
        error => error.to_string(),
    })
}

fn shown(page: WebPage) -> String {
    let length = page.text.chars().count();
    let start: String = page.text.trim().chars().take(80).collect();
    let cut = if page.truncated { ", cut" } else { "" };
    format!("{} {:?} {start:?} of {length}{cut}", page.url, page.title)
}

/// Requests with the names of their headers; of many, how many.
fn asked(site: &Site) -> String {
    let asked = site.served.asked.lock().unwrap();
    if !(1..=3).contains(&asked.len()) {
        return asked.len().to_string();
    }
    let line = |request: &Asked| {
        let mut names: Vec<&str> = request.headers.iter().map(|(name, _)| &**name).collect();
        names.sort_unstable();
        let (names, body) = (names.join(" "), String::from_utf8_lossy(&request.body));
        format!("{} {} {names} {body:?}", request.method, request.path)
    };
    let lines: Vec<String> = asked.iter().map(line).collect();
    lines.join("; ")
}
