//! The HTTP client of a service, made at its first request.

use alfred_core::config::is_loopback;
use reqwest::{Client, ClientBuilder};
use std::sync::OnceLock;

/// Made once; a cold start that calls nothing makes none.
#[derive(Debug, Default)]
pub(crate) struct LazyClient(OnceLock<Client>);

impl LazyClient {
    /// The client with these settings, for the addresses of which `url` is one. It follows no redirect: followed
    /// elsewhere, a token would go along.
    pub fn get(
        &self,
        url: &str,
        settings: impl FnOnce(ClientBuilder) -> ClientBuilder,
    ) -> reqwest::Result<&Client> {
        if let Some(client) = self.0.get() {
            return Ok(client);
        }
        let mut builder = settings(Client::builder()).redirect(reqwest::redirect::Policy::none());
        // A proxy for the outside can't reach what this machine plays itself.
        if is_loopback(url) {
            builder = builder.no_proxy();
        }
        let built = builder.build()?;
        Ok(self.0.get_or_init(|| built))
    }
}
