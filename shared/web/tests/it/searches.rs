//! Searches by each provider, at a stand-in.

use alfred_core::ports::{Domains, Found, FoundPage, Search, SearchError, Secrets};
use alfred_http::CachedSecret;
use alfred_testkit::stand_in::{self, Asked, Log, Reply};
use alfred_testkit::{ManualClock, MemorySecrets};
use alfred_web::{Checked, OpenAiSearch, Searxng, Tavily, from_settings};
use std::sync::Arc;

const KEY_NAME: &str = "alfred/KEY";

#[derive(Default)]
pub struct Searches {
    asked: Vec<Asked>,
    secrets: Arc<MemorySecrets>,
    domains: Domains,
}

impl Searches {
    /// Wanted domains. A domain that begins with a minus is unwanted.
    pub fn filter(&mut self, domains: &str) {
        for domain in domains.split(' ') {
            match domain.strip_prefix('-') {
                Some(blocked) => self.domains.blocked.push(blocked.into()),
                None => self.domains.allowed.push(domain.into()),
            }
        }
    }

    pub async fn put_key(&self) {
        let put = self.secrets.put(KEY_NAME, &"key-of-a-test".into()).await;
        put.unwrap();
    }

    /// A provider, and the status and body of its answer or `nowhere`.
    pub async fn search(&mut self, search: &str) -> String {
        let (provider, answer) = search.split_once(' ').unwrap();
        let (url, log) = match answer.split_once(' ') {
            None => (stand_in::nowhere(), Log::default()),
            Some((status, body)) => {
                let reply = Reply::new(status.parse().unwrap(), "application/json", body)
                    .with("location", "/elsewhere")
                    .with("retry-after", "7");
                stand_in::serve_in_turn(vec![reply])
            }
        };
        let provider = self.provider(provider, &url);
        let found = provider.search("opening hours", &self.domains, 8).await;
        self.asked.append(&mut log.lock().unwrap());
        found.map_or_else(|error| failed(&error), |found| shown(&found))
    }

    fn provider(&self, name: &str, url: &str) -> Box<dyn Search> {
        let clock = Arc::new(ManualClock::default());
        let key =
            CachedSecret::from_settings(&["KEY"], |_| None, self.secrets.clone(), clock.clone());
        match name {
            "searxng" => Box::new(Checked(Searxng::new(url, clock))),
            "tavily" => Box::new(Checked(Tavily::new(url, key, clock))),
            // Each token costs two millionths of a dollar.
            "openai" => {
                let search = OpenAiSearch::new(url, "gpt-5.2", key, clock, |model, usage| {
                    assert_eq!(model, "openai:gpt-5.2");
                    Some(2 * (usage.input_tokens + usage.output_tokens))
                });
                Box::new(Checked(search))
            }
            other => panic!("{other}"),
        }
    }

    /// What the providers were asked since the last time.
    pub fn sent(&mut self) -> String {
        let lines = self.asked.drain(..).map(|asked| {
            let key = asked.header("authorization").unwrap_or("no key");
            let body = String::from_utf8_lossy(&asked.body);
            format!("{} {} {key} {body}", asked.method, asked.path)
        });
        lines.collect::<Vec<_>>().join("\n")
    }
}

/// Whether settings such as `SEARXNG_URL=…;ALFRED_SEARCH=…` can be used, or why not.
pub fn settings(settings: &str) -> String {
    let lookup = |name: &str| {
        let mut settings = settings.split(';').filter_map(|one| one.split_once('='));
        let found = settings.find(|(known, _)| *known == name);
        found.map(|(_, value)| value.to_owned())
    };
    let secrets = Arc::new(MemorySecrets::default());
    let clock = Arc::new(ManualClock::default());
    let web = from_settings(lookup, secrets, clock, |_, _| None);
    web.map_or_else(|error| error.to_string(), |_| "usable".into())
}

fn shown(found: &Found) -> String {
    let page = |FoundPage { source, snippet }: &FoundPage| {
        format!("{} {:?} {snippet:?}", source.url, source.title)
    };
    let mut lines: Vec<String> = found.pages.iter().map(page).collect();
    if lines.is_empty() {
        lines.push("nothing".into());
    }
    if let Some(answer) = &found.answer {
        lines.push(format!("answer {:?}", answer.text));
        lines.extend(answer.citations.iter().map(|one| {
            let cited = &answer.text[one.at.clone()];
            format!("citation {cited:?} of page {:?}", one.page)
        }));
    }
    if let Some(cost) = found.usage.cost_micros {
        lines.push(format!("{cost} millionths of a dollar"));
    }
    lines.join("\n")
}

/// The class of an error, which never repeats what a provider said.
fn failed(error: &SearchError) -> String {
    assert!(!format!("{error} {error:?}").contains("sk-"), "{error:?}");
    match error {
        SearchError::OverQuota { retry_after } => format!("over_quota, {retry_after:?}"),
        error => error.kind().to_owned(),
    }
}
