//! A server on loopback that answers as it is told, a request a connection.

use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Between the pieces of an endless answer.
const PING: Duration = Duration::from_millis(10);

pub struct Asked {
    pub method: String,
    pub path: String,
    /// Names in small letters.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Asked {
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

#[derive(Clone, Default)]
pub struct Reply {
    /// As it stands behind the version, such as `200`.
    pub status: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    pub end: End,
    pub bytewise: bool,
}

impl Reply {
    pub fn new(status: u16, kind: &str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status: status.to_string(),
            headers: vec![("content-type".into(), kind.into())],
            body: body.into(),
            ..Self::default()
        }
    }

    pub fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }
}

/// How a connection ends behind an answer.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub enum End {
    #[default]
    Whole,
    /// In the middle of what was promised.
    Cut,
    /// Without a promise, so that nothing tells a cut from an end.
    Silent,
    Hanging,
    /// Not at all: the body comes again and again.
    Endless,
}

/// Serves as long as the process does.
///
/// Returns its address, such as `http://127.0.0.1:1234`.
pub fn serve(mut answer: impl FnMut(Asked) -> Reply + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let asked = read_request(&mut BufReader::new(&stream));
            if let Some(asked) = asked {
                give(&mut stream, &answer(asked));
            }
        }
    });
    url
}

pub fn nowhere() -> String {
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}", free.local_addr().unwrap())
}

pub type Log = Arc<Mutex<Vec<Asked>>>;

/// As [`serve`], and logs each request.
pub fn serve_logged(mut answer: impl FnMut(&Asked) -> Reply + Send + 'static) -> (String, Log) {
    let log = Log::default();
    let noted = log.clone();
    let url = serve(move |asked| {
        let reply = answer(&asked);
        noted.lock().unwrap().push(asked);
        reply
    });
    (url, log)
}

/// As [`serve_logged`], with these answers in turn and the last one again and again.
pub fn serve_in_turn(answers: Vec<Reply>) -> (String, Log) {
    let (mut answers, mut last) = (answers.into_iter(), Reply::default());
    serve_logged(move |_| {
        last = answers.next().unwrap_or(std::mem::take(&mut last));
        last.clone()
    })
}

/// Reads a request; `None` when the connection is closed.
pub fn read_request(reader: &mut impl BufRead) -> Option<Asked> {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 {
            return None;
        }
        if line == "\r\n" {
            break;
        }
        lines.push(line.trim_end().to_owned());
    }
    let (first, headers) = lines.split_first()?;
    let mut words = first.split(' ').map(str::to_owned);
    let headers = headers.iter().filter_map(|line| line.split_once(':'));
    let mut asked = Asked {
        method: words.next()?,
        path: words.next()?,
        headers: headers
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
            .collect(),
        body: Vec::new(),
    };
    let length = asked.header("content-length").unwrap_or("0").parse();
    asked.body = vec![0; length.ok()?];
    reader.read_exact(&mut asked.body).ok()?;
    Some(asked)
}

fn give(stream: &mut TcpStream, reply: &Reply) {
    // Without a status the connection ends without an answer.
    if reply.status.is_empty() {
        return;
    }
    let mut head = format!("HTTP/1.1 {} X\r\nconnection: close\r\n", reply.status);
    for (name, value) in &reply.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    let length = reply.body.len();
    match reply.end {
        End::Whole => head.push_str(&format!("content-length: {length}\r\n")),
        End::Cut | End::Hanging => head.push_str(&format!("content-length: {}\r\n", length + 1)),
        End::Silent | End::Endless => {}
    }
    head.push_str("\r\n");
    let bytes = [head.as_bytes(), &reply.body].concat();
    let size = if reply.bytewise { 1 } else { bytes.len() };
    stream.set_nodelay(true).unwrap();
    for piece in bytes.chunks(size) {
        // A client that has read enough closes.
        if stream.write_all(piece).is_err() {
            return;
        }
    }
    match reply.end {
        End::Hanging => drop(stream.read(&mut [0])),
        End::Endless => while !is_gone(stream) && stream.write_all(&reply.body).is_ok() {},
        End::Whole | End::Cut | End::Silent => {}
    }
}

/// Whether the client has left; looks for a moment.
fn is_gone(stream: &mut TcpStream) -> bool {
    stream.set_read_timeout(Some(PING)).unwrap();
    stream.read(&mut [0]).is_ok()
}
