//! A server on loopback that gives its answers in turn, a connection each.

use serde_json::Value;
use std::io::{BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::case::{Answer, End};
use crate::support::request_of;

/// Between the pieces of an endless answer.
const PING: Duration = Duration::from_millis(10);

pub struct Server {
    pub url: String,
    bodies: Arc<Mutex<Vec<Value>>>,
}

impl Server {
    pub fn start(answers: Vec<Answer>, lookups: Vec<(String, String)>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let bodies = Arc::new(Mutex::new(Vec::new()));
        let noted = bodies.clone();
        std::thread::spawn(move || {
            let (mut answers, mut last) = (answers.into_iter(), Answer::default());
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let Some((line, body)) = request_of(&mut BufReader::new(&stream)) else {
                    continue;
                };
                if let Some(path) = line.strip_prefix("GET ") {
                    let path = path.split(' ').next().unwrap();
                    look(&mut stream, lookups.iter().find(|(known, _)| known == path));
                    continue;
                }
                noted
                    .lock()
                    .unwrap()
                    .push(serde_json::from_slice(&body).unwrap());
                // The last one again and again.
                last = answers.next().unwrap_or(last);
                give(&mut stream, &last);
            }
        });
        Self { url, bodies }
    }

    /// What was posted.
    pub fn bodies(&self) -> Vec<Value> {
        self.bodies.lock().unwrap().clone()
    }
}

fn look(stream: &mut TcpStream, found: Option<&(String, String)>) {
    let (status, body) = found.map_or((404, "no"), |(_, body)| (200, body));
    let length = body.len();
    // A client that has gone wants nothing.
    let _ = write!(
        stream,
        "HTTP/1.1 {status} X\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}"
    );
}

fn give(stream: &mut TcpStream, answer: &Answer) {
    let body = answer.bytes();
    let mut head = format!("HTTP/1.1 {} X\r\nconnection: close\r\n", answer.status);
    for header in &answer.headers {
        let (name, value) = header.split_once(':').unwrap();
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    match answer.end {
        End::Whole => head.push_str(&format!("content-length: {}\r\n", body.len())),
        End::Cut | End::Hanging => {
            head.push_str(&format!("content-length: {}\r\n", body.len() + 1))
        }
        End::Silent | End::Endless => {}
    }
    head.push_str("\r\n");
    let bytes = [head.as_bytes(), &body].concat();
    let size = if answer.bytewise { 1 } else { bytes.len() };
    stream.set_nodelay(true).unwrap();
    for piece in bytes.chunks(size) {
        // A client that has read enough closes.
        if stream.write_all(piece).is_err() {
            return;
        }
    }
    match answer.end {
        End::Hanging => drop(stream.read(&mut [0])),
        End::Endless => while !is_gone(stream) && stream.write_all(&body).is_ok() {},
        End::Whole | End::Cut | End::Silent => {}
    }
}

/// Whether the client has left; looks for a moment.
fn is_gone(stream: &mut TcpStream) -> bool {
    stream.set_read_timeout(Some(PING)).unwrap();
    stream.read(&mut [0]).is_ok()
}
