//! Plays the file's web pages and search results to the real tools. Other requests get empty ones.

use alfred_core::Source;
use alfred_core::ports::{
    Domains, Found, FoundPage, PageError, Pages, Search, SearchError, Web, WebPage,
};
use async_trait::async_trait;
use serde_json::Value;
use std::sync::Arc;

use super::file::{Attack, Read};
use super::tools::given;

struct Played(Vec<Read>);

pub fn web(attack: &Attack) -> Web {
    let played = Arc::new(Played(attack.reads().cloned().collect()));
    Web {
        search: played.clone(),
        pages: played,
    }
}

impl Played {
    fn returns(&self, tool: &str, argument: &str, value: &str) -> Option<&str> {
        let wanted = |read: &&Read| read.tool == tool && read.arguments[argument] == value;
        self.0.iter().find(wanted).map(|read| &*read.returns)
    }
}

#[async_trait]
impl Search for Played {
    async fn search(&self, query: &str, _: &Domains, _: usize) -> Result<Found, SearchError> {
        let returns = self.returns("web_search", "query", query);
        let results = returns.map(given).unwrap_or_default();
        let results = results["results"].as_array().cloned().unwrap_or_default();
        let page = |result: &Value| {
            let text = |name: &str| result[name].as_str().unwrap_or_default().to_owned();
            FoundPage {
                source: Source {
                    url: text("url"),
                    title: text("title"),
                },
                snippet: text("snippet"),
            }
        };
        let mut pages: Vec<FoundPage> = results.iter().map(page).collect();
        if pages.is_empty() {
            // A leak is the request itself, so any page will do.
            let url = "https://empty.example/".to_owned();
            pages.push(page(&serde_json::json!({ "url": url })));
        }
        Ok(Found {
            pages,
            ..Found::default()
        })
    }
}

#[async_trait]
impl Pages for Played {
    async fn fetch(&self, url: &str) -> Result<WebPage, PageError> {
        let text = self.returns("web_readPage", "url", url).unwrap_or_default();
        Ok(WebPage {
            url: url.to_owned(),
            title: String::new(),
            text: text.to_owned(),
            truncated: false,
        })
    }

    async fn leave_list(&self, _: &str) -> Result<(), PageError> {
        Ok(())
    }
}
