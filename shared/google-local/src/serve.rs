//! Serving it.

use alfred_loopback::{CuttableListener, Guard};
use axum::extract::ConnectInfo;
use axum::routing::{get, post};
use axum::{Extension, Router};
use std::io;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::state::GoogleLocal;
use crate::{consent, docs, drive, gmail, sheets, token};

/// A stand-in that is served until this is dropped.
pub struct Running {
    /// The stand-in.
    pub google: GoogleLocal,
    /// `http://127.0.0.1:PORT`.
    pub url: String,
    task: JoinHandle<()>,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl GoogleLocal {
    /// The page on which people consent. It asks nobody who they are: whoever serves it puts a check around it.
    pub fn consent_router(&self) -> Router {
        Router::new()
            .route(
                "/o/oauth2/v2/auth",
                get(consent::page).post(consent::answer),
            )
            .with_state(self.clone())
    }

    /// What an app calls, to be merged into another router. The faults that close a connection without an answer
    /// need `listen`; elsewhere they become HTTP 502.
    pub fn api_router(&self) -> Router {
        Router::new()
            .route("/token", post(token::token))
            .route("/revoke", post(token::revoke))
            .merge(crate::calendar::routes())
            .merge(gmail::routes())
            .merge(drive::routes())
            .merge(docs::routes())
            .merge(sheets::routes())
            .with_state(self.clone())
    }

    /// Serves this one on a free port of 127.0.0.1.
    ///
    /// # Errors
    /// When there is no port.
    pub async fn listen(self) -> io::Result<Running> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let url = format!("http://{address}");
        let router =
            Guard::new(address.port()).around(self.api_router().merge(self.consent_router()));
        let task = tokio::spawn(async move {
            let server = alfred_loopback::serve(CuttableListener(listener), |stream| {
                let switch = Extension(ConnectInfo(stream.switch.clone()));
                router.clone().layer(switch)
            });
            server.await;
        });
        Ok(Running {
            google: self,
            url,
            task,
        })
    }
}
