//! Serves on a port of 127.0.0.1: the page, the local Slack, Slack's request URL, and requests of the
//! account's other processes.

mod access;
mod answer;
mod approvals;
mod ask;
pub mod audit;
pub mod dlq;
mod functions;
mod oauth;
mod page;
mod people;
mod person;
mod start;
pub mod trace;
mod trust;
mod web;

use alfred_embedded::DataFolder;
use anyhow::Context;
use secrecy::SecretString;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use crate::app::LocalApp;
use crate::app::workspace::Chosen;
use crate::exit::Usage;
use functions::Functions;

const LAST_BYTES: Duration = Duration::from_millis(30);

/// A running server; it stops when dropped.
pub struct Server {
    pub app: Arc<LocalApp>,
    work: JoinSet<()>,
}

impl Server {
    /// Starts everything on a data folder. Port 0 selects a free one.
    pub async fn start(folder: DataFolder, chosen: Chosen<'_>, port: u16) -> anyhow::Result<Self> {
        let mut server = Self::listening(folder, chosen, port).await?;
        let functions = Arc::new(Functions::new(&server.app)?);
        server.work.spawn(functions.run());
        Ok(server)
    }

    /// Starts only the local Slack and its page, before functions that run elsewhere and take requests at `url`.
    pub async fn before(
        url: &str,
        folder: DataFolder,
        chosen: Chosen<'_>,
        port: u16,
    ) -> anyhow::Result<Self> {
        let server = Self::listening(folder, chosen, port).await?;
        let slack = server.app.slack.as_ref();
        let slack = slack.ok_or_else(|| {
            Usage::error("--functions needs the local Slack: unset SLACK_BOT_TOKEN")
        })?;
        slack.set_request_url(url.to_owned());
        Ok(server)
    }

    async fn listening(folder: DataFolder, chosen: Chosen<'_>, port: u16) -> anyhow::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", port))
            .await
            .with_context(|| {
                format!(
                    "port {port} of 127.0.0.1 is taken; choose another one with --port, or --port 0"
                )
            })?;
        let port = listener.local_addr()?.port();
        let app = Arc::new(LocalApp::open(folder, port, chosen).await?);
        app.folder
            .publish(&app.url, &SecretString::from(app.token.clone()))?;
        let router = web::router(app.clone(), port);
        let mut work = JoinSet::new();
        work.spawn(alfred_loopback::serve(listener, router));
        if let Some(slack) = app.slack.clone() {
            work.spawn(async move { slack.deliver().await });
        }
        Ok(Self { app, work })
    }

    /// Waits for running requests of other processes, then stops.
    pub async fn close(self) {
        let clock = &self.app.ports.clock;
        while Arc::strong_count(&self.app.questions) > 1 {
            clock.sleep(answer::LOOK_EVERY).await;
        }
        // The last answer may still be in the socket.
        clock.sleep(LAST_BYTES).await;
    }
}
