//! The bounds, over real sockets; tokio's clock goes on by itself whenever nothing else can happen.

#![allow(
    clippy::unwrap_used,
    reason = "helpers of tests: a panic is a failed assertion"
)]

use alfred_loopback::{BODY_WITHIN, CONNECTIONS, HEAD_WITHIN, serve};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::routing::{get, post};
use futures_util::stream;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, sleep};

/// Longer than any bound.
const LONG: Duration = Duration::from_secs(120);

async fn server() -> SocketAddr {
    let words = |n: u32| async move {
        let word = Ok::<_, Infallible>(format!("word {n}\n"));
        sleep(LONG).await;
        (n < 3).then_some((word, n + 1))
    };
    let router = Router::new()
        .route("/", get(async || "here"))
        .route("/echo", post(async |body: Bytes| body))
        .route(
            "/words",
            get(async move || Body::from_stream(stream::unfold(0, words))),
        );
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(serve(listener, router));
    address
}

async fn connect(address: SocketAddr, said: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(said.as_bytes()).await.unwrap();
    stream
}

/// All it says until it closes.
async fn rest(mut stream: TcpStream) -> String {
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    text
}

const ASK: &str = "GET / HTTP/1.1\r\nhost: x\r\n\r\n";
const ASK_ONCE: &str = "GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";

#[tokio::test(start_paused = true)]
async fn who_never_asks_is_let_go() {
    let address = server().await;
    let mut open = Vec::new();
    for n in 0..200 {
        let said = ["", "GET / HTT", "GET / HTTP/1.1\r\nhost: x\r\nx-half: "][n % 3];
        open.push(connect(address, said).await);
    }
    let began = Instant::now();
    for stream in open {
        assert_eq!(rest(stream).await, "");
    }
    let took = began.elapsed();
    assert!(took <= HEAD_WITHIN + Duration::from_secs(1), "{took:?}");
    assert!(
        rest(connect(address, ASK_ONCE).await)
            .await
            .ends_with("here")
    );
}

#[tokio::test(start_paused = true)]
async fn who_drips_a_head_is_let_go() {
    let address = server().await;
    let mut stream = connect(address, "GET / HTTP/1.1\r\nhost: x\r\n").await;
    let began = Instant::now();
    while stream.write_all(b"x-more: 1\r\n").await.is_ok() {
        sleep(Duration::from_secs(1)).await;
        assert!(began.elapsed() < HEAD_WITHIN + Duration::from_secs(5));
    }
}

#[tokio::test(start_paused = true)]
async fn who_asks_no_more_is_let_go() {
    let address = server().await;
    let began = Instant::now();
    let answer = rest(connect(address, ASK).await).await;
    assert!(answer.ends_with("here"), "{answer}");
    let took = began.elapsed();
    assert!(
        took >= HEAD_WITHIN && took <= HEAD_WITHIN + Duration::from_secs(1),
        "{took:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_body_that_does_not_come_is_an_error() {
    let address = server().await;
    let began = Instant::now();
    let head = "POST /echo HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nhalf";
    let answer = rest(connect(address, head).await).await;
    assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
    let took = began.elapsed();
    assert!(
        took >= BODY_WITHIN && took <= BODY_WITHIN + HEAD_WITHIN,
        "{took:?}"
    );
    let whole =
        "POST /echo HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 4\r\n\r\nhalf";
    assert!(rest(connect(address, whole).await).await.ends_with("half"));
}

#[tokio::test(start_paused = true)]
async fn an_answer_may_take_as_long_as_it_takes() {
    let address = server().await;
    let began = Instant::now();
    let ask = "GET /words HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
    let answer = rest(connect(address, ask).await).await;
    for n in 0..3 {
        assert!(answer.contains(&format!("word {n}")), "{answer}");
    }
    assert!(began.elapsed() >= 3 * LONG);
}

#[tokio::test(start_paused = true)]
async fn who_is_too_many_waits_for_a_place() {
    let address = server().await;
    let began = Instant::now();
    let mut silent = Vec::new();
    for _ in 0..CONNECTIONS {
        silent.push(connect(address, "").await);
    }
    let answer = rest(connect(address, ASK_ONCE).await).await;
    assert!(answer.ends_with("here"), "{answer}");
    assert!(began.elapsed() >= HEAD_WITHIN, "it had a place at once");
}
