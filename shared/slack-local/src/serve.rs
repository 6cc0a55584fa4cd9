//! Serving it.

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

/// Why it couldn't be started.
#[derive(Debug, Error)]
pub enum StartError {
    /// The history can't be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// No port.
    #[error("cannot listen on loopback: {0}")]
    Listen(#[from] io::Error),
}

/// A stand-in that is served until this is dropped.
pub struct Running {
    /// The stand-in.
    pub slack: SlackLocal,
    /// `http://127.0.0.1:PORT`.
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
    /// The app's routes, to be merged into another router and put behind a [`Guard`]. The faults that close a connection without an answer need `serve`; elsewhere they
    /// become HTTP 502.
    pub fn router(&self) -> Router {
        Router::new()
            .route("/api/{method}", get(api::call).post(api::call))
            .merge(upload::routes())
            .merge(download::routes())
            .with_state(self.clone())
    }

    /// The routes under `/client/`. They act for whoever they are told and ask nobody who they are: whoever
    /// serves them puts a check around them.
    pub fn person_routes(&self) -> Router {
        page::routes().with_state(self.clone())
    }

    /// Where other processes reach it, for the addresses that take files. `serve` sets it.
    pub fn set_base_url(&self, url: impl Into<String>) {
        *lock(&self.0.base_url) = url.into();
    }

    /// Serves the app's routes on this listener and delivers events, until it is dropped.
    /// Needs a rustls provider (`install_default`) like every HTTP client here.
    ///
    /// # Errors
    /// When the listener has no address.
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

    /// Opens and serves one on a free port of 127.0.0.1, by the machine's clock.
    ///
    /// # Errors
    /// When its file can't be opened or there is no port.
    pub async fn start(options: Options) -> Result<Running, StartError> {
        Self::open(options, Arc::new(SystemClock), Arc::new(SystemIds))?
            .listen()
            .await
    }

    /// Serves this one on a free port of 127.0.0.1.
    ///
    /// # Errors
    /// When there is no port.
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
