use alfred_core::ports::{SystemClock, SystemIds};
use alfred_loopback::Guard;
use axum::Router;
use axum::routing::get;
use std::io;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use crate::state::{Options, SlackLocal, lock};
use crate::{api, download, page, upload};

/// A stand-in that is served until this is dropped.
pub struct Running {
    pub slack: SlackLocal,
    pub url: String,
    _work: JoinSet<()>,
}

impl Running {
    /// What `SLACK_API_URL` is set to.
    pub fn api_url(&self) -> String {
        format!("{}/api", self.url)
    }
}

impl SlackLocal {
    /// The app's routes. Requests must pass a [`Guard`] first.
    pub fn router(&self) -> Router {
        Router::new()
            .route("/api/{method}", get(api::call).post(api::call))
            .merge(upload::routes())
            .merge(download::routes())
            .with_state(self.clone())
    }

    /// The routes under `/client/`. They act for any person without a check: the server must add one.
    pub fn person_routes(&self) -> Router {
        page::routes().with_state(self.clone())
    }

    /// Sets where other processes reach it, for URLs of files. `listen` does this too.
    pub fn set_base_url(&self, url: impl Into<String>) {
        *lock(&self.0.base_url) = url.into();
    }

    /// Opens one with the system's clock and serves it on a free port of 127.0.0.1.
    pub async fn start(options: Options) -> io::Result<Running> {
        let opened = Self::open(options, Arc::new(SystemClock), Arc::new(SystemIds));
        opened.map_err(io::Error::other)?.listen().await
    }

    /// Serves the app's routes on a free port of 127.0.0.1, and delivers events. Needs an installed rustls provider.
    pub async fn listen(self) -> io::Result<Running> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let url = format!("http://{address}");
        self.set_base_url(url.clone());
        let router = Guard::new(address.port()).around(self.router());
        let mut work = JoinSet::new();
        work.spawn(alfred_loopback::serve(listener, router));
        let sockets = TcpListener::bind("127.0.0.1:0").await?;
        lock(&self.0.sockets).address = Some(sockets.local_addr()?);
        work.spawn(self.clone().serve_sockets(sockets));
        let slack = self.clone();
        work.spawn(async move { slack.deliver().await });
        Ok(Running {
            slack: self,
            url,
            _work: work,
        })
    }
}
