//! One WebSocket of the app, from its ticket to its end.

use alfred_loopback::HEAD_WITHIN;
use axum::http::{StatusCode, Uri};
use axum::serve::Listener;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{interval, timeout};
use tokio_tungstenite::tungstenite::handshake::server::{ErrorResponse, Request};
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, accept_hdr_async};

use super::{Disconnect, LOOK, Mistake, SOCKETS, Socket};
use crate::state::{SlackLocal, lock};

const PING_EACH_MS: i64 = 5_000;
const HOST: &str = "applink-local";
const WARNED_MS: i64 = 10_000;

pub(super) enum Order {
    Text(String),
    /// Sends a text at this time, milliseconds since 1970.
    Later(i64, String),
    /// Cuts the connection within the frame of this text.
    Cut(String),
    Disconnect(Disconnect),
    Deafen,
}

/// A socket, its place among the open ones, and what it is to do next.
struct Seat {
    socket: WebSocketStream<TcpStream>,
    number: usize,
    orders: mpsc::UnboundedReceiver<Order>,
    later: Vec<(i64, String)>,
    ping_ms: i64,
    close_ms: i64,
}

impl SlackLocal {
    /// Takes the app's sockets until it is dropped, which cuts them.
    pub(crate) async fn serve_sockets(self, mut listener: TcpListener) {
        let mut connections = JoinSet::new();
        loop {
            tokio::select! {
                (stream, _) = Listener::accept(&mut listener) => {
                    connections.spawn(self.clone().connection(stream));
                }
                Some(_) = connections.join_next(), if !connections.is_empty() => {}
            }
        }
    }

    #[allow(clippy::result_large_err, reason = "tungstenite's type")]
    async fn connection(self, stream: TcpStream) {
        let handshake = accept_hdr_async(stream, |request: &Request, response| {
            if self.redeem(request.uri()) {
                return Ok(response);
            }
            let mut refused = ErrorResponse::new(None);
            *refused.status_mut() = StatusCode::FORBIDDEN;
            Err(refused)
        });
        let Ok(Ok(socket)) = timeout(HEAD_WITHIN, handshake).await else {
            return;
        };
        let mut seat = self.sit(socket);
        if let Err(error) = self.serve_seat(&mut seat).await {
            tracing::debug!(error = %error, "a socket ended early");
        }
        self.leave(seat.number);
    }

    /// Returns whether the URL has an unused ticket, which is used up.
    fn redeem(&self, uri: &Uri) -> bool {
        let query = uri.query().unwrap_or_default();
        let query: HashMap<String, String> = serde_urlencoded::from_str(query).unwrap_or_default();
        let ticket = query.get("ticket").map_or("", String::as_str);
        lock(&self.0.sockets).tickets.remove(ticket)
    }

    /// Greets a new socket, or tells it why it must go.
    fn sit(&self, socket: WebSocketStream<TcpStream>) -> Seat {
        let (send, orders) = mpsc::unbounded_channel();
        let mut sockets = lock(&self.0.sockets);
        sockets.opened += 1;
        let number = sockets.opened;
        let count = sockets.open.len() + sockets.others + 1;
        let first = if !sockets.mode {
            Order::Disconnect(Disconnect::LinkDisabled)
        } else if count > SOCKETS {
            Order::Disconnect(Disconnect::TooManyWebsockets)
        } else {
            Order::Text(hello(&self.seed().app_id, count).to_string())
        };
        if matches!(first, Order::Text(_)) {
            let orders = send.clone();
            sockets.open.push(Socket { number, orders });
        }
        // The receiver is here.
        drop(send.send(first));
        self.active();
        Seat {
            socket,
            number,
            orders,
            later: Vec::new(),
            ping_ms: self.now_ms() + PING_EACH_MS,
            close_ms: i64::MAX,
        }
    }

    fn leave(&self, number: usize) {
        let open = &mut lock(&self.0.sockets).open;
        open.retain(|socket| socket.number != number);
        self.active();
    }

    /// Serves a socket until it ends.
    async fn serve_seat(&self, seat: &mut Seat) -> Result<(), Error> {
        let mut look = interval(LOOK);
        loop {
            tokio::select! {
                Some(order) = seat.orders.recv() => match order {
                    Order::Text(text) => seat.socket.send(Message::text(text)).await?,
                    Order::Later(at, text) => seat.later.push((at, text)),
                    Order::Disconnect(why) => {
                        let wait = if why == Disconnect::Warning { WARNED_MS } else { 0 };
                        if wait == 0 {
                            self.leave(seat.number);
                        }
                        seat.close_ms = self.now_ms() + wait;
                        seat.socket.send(Message::text(goodbye(why).to_string())).await?;
                    }
                    Order::Cut(text) => return Ok(cut(seat.socket.get_mut(), &text).await?),
                    Order::Deafen => return Ok(ignore(seat.socket.get_mut()).await?),
                },
                frame = seat.socket.next() => match frame {
                    Some(frame) => self.read(seat.number, &frame?),
                    None => return Ok(()),
                },
                _ = look.tick() => self.due(seat).await?,
            }
        }
    }

    fn read(&self, number: usize, frame: &Message) {
        let mut sockets = lock(&self.0.sockets);
        let read = match frame {
            Message::Text(text) => sockets.acknowledge(number, text),
            Message::Binary(_) => Err(Mistake::BinaryFrame),
            Message::Ping(_) | Message::Pong(_) | Message::Close(_) | Message::Frame(_) => Ok(()),
        };
        sockets.mistakes.extend(read.err());
        self.active();
    }

    /// Does what the clock says.
    async fn due(&self, seat: &mut Seat) -> Result<(), Error> {
        let now = self.now_ms();
        if seat.close_ms <= now {
            seat.close_ms = i64::MAX;
            self.leave(seat.number);
            return seat.socket.close(None).await;
        }
        for (_, text) in seat.later.extract_if(.., |(at, _)| *at <= now) {
            seat.socket.feed(Message::text(text)).await?;
        }
        if seat.ping_ms <= now {
            seat.ping_ms = now + PING_EACH_MS;
            seat.socket.feed(Message::Ping("slack".into())).await?;
        }
        seat.socket.flush().await
    }
}

fn goodbye(why: Disconnect) -> Value {
    json!({"type": "disconnect", "reason": why, "debug_info": {"host": HOST}})
}

fn hello(app_id: &str, count: usize) -> Value {
    let debug = json!({"host": HOST, "started": "2026-11-21 09:00:00.000", "build_number": 1,
        "approximate_connection_time": 18_060});
    json!({"type": "hello", "num_connections": count, "connection_info": {"app_id": app_id},
        "debug_info": debug})
}

/// Sends the first half of a frame.
async fn cut(stream: &mut TcpStream, text: &str) -> io::Result<()> {
    let length = u64::try_from(text.len()).unwrap_or(u64::MAX);
    let mut frame = vec![0x81, 127];
    frame.extend(length.to_be_bytes());
    frame.extend(&text.as_bytes()[..text.len() / 2]);
    stream.write_all(&frame).await
}

/// Drops what comes until the app gives the connection up.
async fn ignore(stream: &mut TcpStream) -> io::Result<()> {
    let mut dropped = [0; 1024];
    while stream.read(&mut dropped).await? > 0 {}
    Ok(())
}
