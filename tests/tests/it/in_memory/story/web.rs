use alfred_core::Source;
use alfred_core::ports::{
    Domains, Found, FoundPage, PageError, Pages, Search, SearchError, Usage, WebPage,
};
use async_trait::async_trait;
use std::sync::Mutex;

/// Finds the same two pages for each query.
#[derive(Default)]
pub struct FoundWeb {
    asked: Mutex<Vec<String>>,
}

impl FoundWeb {
    /// The queries, and the lists that were left.
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

#[async_trait]
impl Search for FoundWeb {
    async fn search(&self, query: &str, domains: &Domains, _: usize) -> Result<Found, SearchError> {
        let mut asked = query.to_owned();
        if *domains != Domains::default() {
            asked += &format!(" in {:?} not {:?}", domains.allowed, domains.blocked);
        }
        self.asked.lock().unwrap().push(asked);
        let usage = Usage {
            cost_micros: Some(12_000),
            ..Usage::default()
        };
        let page = |(url, title): (&str, &str)| FoundPage {
            source: Source {
                url: url.into(),
                title: title.into(),
            },
            snippet: "Opens at nine.".into(),
        };
        let found = [
            ("https://museum.example/hours?a=1&b=2", "Hours & prices"),
            ("https://city.example/", "City <!channel>"),
        ];
        let is_nothing = query.contains("nothing");
        let pages = found.map(page).into_iter().filter(|_| !is_nothing);
        Ok(Found {
            pages: pages.collect(),
            usage,
            ..Found::default()
        })
    }
}

#[async_trait]
impl Pages for FoundWeb {
    async fn fetch(&self, url: &str) -> Result<WebPage, PageError> {
        Ok(WebPage {
            url: url.to_owned(),
            title: "A page".into(),
            text: "It says so.".into(),
            truncated: false,
        })
    }

    async fn leave_list(&self, url: &str) -> Result<(), PageError> {
        self.asked.lock().unwrap().push(format!("leave {url}"));
        Ok(())
    }
}
