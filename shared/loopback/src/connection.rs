//! A listener whose connections can be cut without an answer, as a dying
//! network does. An error in a response body would still send a status line.

use axum::Extension;
use axum::extract::ConnectInfo;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::serve::Listener;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};

/// Cuts one connection.
#[derive(Clone, Debug, Default)]
pub struct CutSwitch(Arc<AtomicBool>);

impl CutSwitch {
    /// Cuts it: nothing more is read or written.
    pub fn cut(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    fn check(&self) -> io::Result<()> {
        if self.0.load(Ordering::SeqCst) {
            return Err(io::ErrorKind::ConnectionReset.into());
        }
        Ok(())
    }
}

/// Does what a caller asks for in a task of its own, since one that goes away must not undo it; without an answer
/// its connection is cut.
pub async fn outlive(
    work: impl Future<Output = Option<Response>> + Send + 'static,
    connection: Option<Extension<ConnectInfo<CutSwitch>>>,
) -> Response {
    match tokio::spawn(work).await {
        Ok(Some(response)) => response,
        Ok(None) => {
            if let Some(Extension(ConnectInfo(switch))) = connection {
                switch.cut();
            }
            StatusCode::BAD_GATEWAY.into_response()
        }
        Err(error) => {
            tracing::error!(error = %error, "a call of a stand-in failed");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}

/// Accepts connections that can be cut.
#[derive(Debug)]
pub struct CuttableListener(pub TcpListener);

impl Listener for CuttableListener {
    type Io = CuttableStream;
    type Addr = std::net::SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        let (stream, peer) = Listener::accept(&mut self.0).await;
        let switch = CutSwitch::default();
        (CuttableStream { stream, switch }, peer)
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        self.0.local_addr()
    }
}

/// A connection that can be cut.
#[derive(Debug)]
pub struct CuttableStream {
    stream: TcpStream,
    /// What cuts it.
    pub switch: CutSwitch,
}

impl AsyncRead for CuttableStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.switch.check()?;
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for CuttableStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.switch.check()?;
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.switch.check()?;
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
