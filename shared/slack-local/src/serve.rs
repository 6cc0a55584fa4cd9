//! The HTTP server.

use alfred_core::ports::{SystemClock, SystemIds};
use alfred_loopback::{CuttableListener, Guard};
use axum::extract::ConnectInfo;
use axum::routing::get;
use axum::{Extension, Router};
use std::io;
use std::sync::Arc;
use thiserror::Error;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::state::{OpenError, Options, SlackLocal, lock};
use crate::{api, download, page, upload};

#[derive(Debug, Error)]
pub enum StartError {
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error("cannot listen on loopback: {0}")]
    Listen(#[from] io::Error),
}

/// A stand-in that is served until this is dropped.
pub struct Running {
    pub slack: SlackLocal,
    pub url: String,
    task: JoinHandle<()>,
}

impl Running {
    /// What `SLACK_API_URL` is set to.
    pub fn api_url(&self) -> String {
        format!("{}/api", self.url)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl SlackLocal {
    /// The app's routes. Requests must pass a [`Guard`] first. Only `serve` can cut a connection: elsewhere such a fault
    /// is answered with HTTP 502.
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

    /// Sets where other processes reach it, for URLs of files. `serve` calls this.
    pub fn set_base_url(&self, url: impl Into<String>) {
        *lock(&self.0.base_url) = url.into();
    }

    /// Serves the app's routes and delivers events, until it is dropped. Needs an installed rustls provider.
    pub async fn serve(&self, listener: TcpListener) -> io::Result<()> {
        let address = listener.local_addr()?;
        self.set_base_url(format!("http://{address}"));
        let router = Guard::new(address.port()).around(self.router());
        let server = alfred_loopback::serve(CuttableListener(listener), |stream| {
            let switch = Extension(ConnectInfo(stream.switch.clone()));
            router.clone().layer(switch)
        });
        tokio::select! {
            () = server => {}
            () = self.deliver() => {}
        }
        Ok(())
    }

    /// Opens one with the system's clock and serves it on a free port of 127.0.0.1.
    pub async fn start(options: Options) -> Result<Running, StartError> {
        Self::open(options, Arc::new(SystemClock), Arc::new(SystemIds))?
            .listen()
            .await
    }

    /// Serves this one on a free port of 127.0.0.1.
    pub async fn listen(self) -> Result<Running, StartError> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        self.set_base_url(url.clone());
        let slack = self.clone();
        let task = tokio::spawn(async move {
            if let Err(error) = self.serve(listener).await {
                tracing::error!(error = %error, "the local Slack stopped");
            }
        });
        Ok(Running { slack, url, task })
    }
}
