use alfred_loopback::Guard;
use axum::Router;
use axum::routing::{get, post};
use std::io;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use crate::state::GoogleLocal;
use crate::{calendar, consent, docs, drive, gmail, sheets, token};

/// A stand-in that is served until this is dropped.
pub struct Running {
    pub google: GoogleLocal,
    /// `http://127.0.0.1:PORT`.
    pub url: String,
    /// Ends with its last owner.
    pub server: Arc<JoinSet<()>>,
}

impl GoogleLocal {
    /// The page on which people consent. It doesn't check who they are: its server must.
    pub fn consent_router(&self) -> Router {
        let page = get(consent::page).post(consent::answer);
        let router = Router::new().route("/o/oauth2/v2/auth", page);
        router.with_state(self.clone())
    }

    /// What an app calls.
    pub fn api_router(&self) -> Router {
        Router::new()
            .route("/token", post(token::token))
            .route("/revoke", post(token::revoke))
            .merge(calendar::routes())
            .merge(gmail::routes())
            .merge(gmail::uploads())
            .merge(drive::routes())
            .merge(docs::routes())
            .merge(sheets::routes())
            .with_state(self.clone())
    }

    /// Serves this one on a free port of 127.0.0.1.
    pub async fn listen(self) -> io::Result<Running> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let router = self.api_router().merge(self.consent_router());
        let router = Guard::new(address.port()).around(router);
        let mut server = JoinSet::new();
        server.spawn(alfred_loopback::serve(listener, router));
        Ok(Running {
            google: self,
            url: format!("http://{address}"),
            server: Arc::new(server),
        })
    }
}
