use alfred_core::config::is_loopback;
use reqwest::{Client, ClientBuilder};
use std::error::Error;
use std::iter::successors;
use std::sync::OnceLock;

/// Built once. A cold start that makes no call builds none.
#[derive(Debug, Default)]
pub struct LazyClient(OnceLock<Client>);

impl LazyClient {
    /// The client with these settings; `url` is one of its addresses. It follows no redirect, which would
    /// leak the token.
    pub fn get(
        &self,
        url: &str,
        settings: impl FnOnce(ClientBuilder) -> ClientBuilder,
    ) -> reqwest::Result<&Client> {
        if let Some(client) = self.0.get() {
            return Ok(client);
        }
        let mut builder = settings(Client::builder()).redirect(reqwest::redirect::Policy::none());
        // A proxy can't reach a test server on this machine.
        if is_loopback(url) {
            builder = builder.no_proxy();
        }
        let built = builder.build()?;
        Ok(self.0.get_or_init(|| built))
    }
}

/// An error with its causes, which reqwest's own text omits.
pub fn with_causes(error: &dyn Error) -> String {
    let causes = successors(Some(error), |error| (*error).source());
    let causes: Vec<String> = causes.map(ToString::to_string).collect();
    causes.join(": ")
}
