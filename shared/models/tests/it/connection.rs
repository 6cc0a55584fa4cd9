use crate::model_conformance::player::{endpoint, request::request};

use alfred_core::ports::{Model, Usage};
use alfred_models::Fallbacks;
use alfred_testkit::ManualClock;
use alfred_testkit::stand_in::read_request;
use std::io::{BufReader, Write};
use std::net::TcpListener;
use std::sync::Arc;

const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n\
    55\r\ndata: {\"choices\":[{\"delta\":{\"content\":\"ok\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n\r\n0\r\n\r\n";

#[tokio::test]
async fn ten_turns_share_one_connection() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    // It takes one connection, so that the next one is refused.
    std::thread::spawn(move || {
        let mut stream = listener.accept().unwrap().0;
        drop(listener);
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        while read_request(&mut reader).is_some() {
            stream.write_all(ANSWER).unwrap();
        }
    });
    let endpoints = vec![endpoint(&url, "mine:m", "chat", None)];
    let model = Fallbacks::new(endpoints, None, Arc::new(ManualClock::default())).unwrap();
    for _ in 0..10 {
        model.turn(&request(), &mut Usage::default()).await.unwrap();
    }
}
