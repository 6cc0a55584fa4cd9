//! Serving it.

use alfred_loopback::{CutSwitch, CuttableListener, Guard, outlive};
use axum::body::Bytes;
use axum::extract::{ConnectInfo, Path, Request, State};
use axum::http::Method;
use axum::response::{IntoResponse, Response};
use axum::routing::{any, post};
use axum::{Extension, Router};
use serde_json::{Value, json};
use std::io;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::asked::{Asked, parts};
use crate::error::ApiError;
use crate::exchange::Given;
use crate::state::GraphLocal;

/// The most bytes of a request (<https://learn.microsoft.com/graph/api/user-post-messages>).
const MAX_BODY: usize = 4 * 1024 * 1024;
/// A stand-in that is served until this is dropped.
pub struct Running {
    /// The stand-in.
    pub graph: GraphLocal,
    /// `http://127.0.0.1:PORT`.
    pub url: String,
    task: JoinHandle<()>,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.task.abort();
    }
}

type Connection = Option<Extension<ConnectInfo<CutSwitch>>>;

async fn token(
    State(graph): State<GraphLocal>,
    Path(tenant): Path<String>,
    connection: Connection,
    form: Bytes,
) -> Response {
    let work = async move {
        let effect = || {
            let (status, body) = graph.token(&tenant, &form);
            Ok(Given::Json(status, body))
        };
        graph.through("oauth2.token", Value::Null, effect).await
    };
    outlive(work, connection).await
}

async fn api(
    State(graph): State<GraphLocal>,
    connection: Connection,
    request: Request,
) -> Response {
    let (request, body) = request.into_parts();
    let Ok(bytes) = axum::body::to_bytes(body, MAX_BODY).await else {
        return ApiError::new(413, "ErrorMessageSizeExceeded", "too large").into_response();
    };
    let path = request.uri.path();
    let query = request.uri.query().unwrap_or_default();
    let asked = Asked {
        verb: request.method,
        path: parts(path.strip_prefix("/v1.0").unwrap_or(path)),
        query: serde_urlencoded::from_str(query).unwrap_or_default(),
        headers: request.headers,
        bytes,
    };
    let work = async move {
        let about = json!({"path": asked.path, "query": asked.query});
        let name = asked.name();
        let mailbox = graph.enter(&asked);
        let answer = graph.through(name, about, || match asked.path[0].as_str() {
            "$batch" if asked.verb == Method::POST => {
                mailbox.clone()?;
                graph.batch(&asked)
            }
            _ => {
                mailbox.clone()?;
                graph.served(&asked)
            }
        });
        let answer = answer.await;
        graph.leave(&asked);
        answer
    };
    outlive(work, connection).await
}

impl GraphLocal {
    /// Serves it on a free port of 127.0.0.1.
    ///
    /// # Errors
    /// When there is no port.
    pub async fn listen(self) -> io::Result<Running> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let router = Router::new()
            .route("/{tenant}/oauth2/v2.0/token", post(token))
            .route("/v1.0/{*path}", any(api))
            .route("/upload/{session}", any(api))
            .with_state(self.clone());
        let router = Guard::new(address.port()).around(router);
        let task = tokio::spawn(alfred_loopback::serve(
            CuttableListener(listener),
            move |stream| {
                let switch = Extension(ConnectInfo(stream.switch.clone()));
                router.clone().layer(switch)
            },
        ));
        Ok(Running {
            graph: self,
            url: format!("http://{address}"),
            task,
        })
    }
}
