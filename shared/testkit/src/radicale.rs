//! A CalDAV server on this machine for tests: Radicale, from PyPI.

use crate::python_server::PythonServer;
use crate::wait::LIMIT;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use std::io::{Read, Write};
use std::net::TcpStream;

const RADICALE: &str = "3.9.0";
pub const PASSWORD: &str = "open sesame";

const SERVER: &str = include_str!("radicale.py");

#[derive(Debug)]
pub struct Radicale(PythonServer);

impl Radicale {
    /// One for these people.
    pub fn start(people: &[&str]) -> Self {
        let arguments = [&[PASSWORD], people].concat();
        let pins = [("radicale", RADICALE)];
        Self(PythonServer::start(&pins, SERVER, &arguments))
    }

    pub fn port(&self) -> u16 {
        self.0.port()
    }

    /// Puts a calendar, or an event of one, where this path is.
    pub fn put(&self, user: &str, path: &str, body: &str) {
        let login = BASE64_STANDARD.encode(format!("{user}:{PASSWORD}"));
        let length = body.len();
        let request = format!(
            "PUT {path} HTTP/1.0\r\nAuthorization: Basic {login}\r\nContent-Type: text/calendar\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        let mut stream = TcpStream::connect(("127.0.0.1", self.port())).unwrap();
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        let read = stream.read_to_string(&mut answer);
        read.expect("Radicale answers");
        let taken = [" 201 ", " 204 "].iter().any(|code| answer.contains(code));
        assert!(taken, "{path}: {answer}");
    }
}
