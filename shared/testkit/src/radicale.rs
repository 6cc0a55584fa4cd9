//! A CalDAV server on this machine for tests: Radicale, from PyPI.

use crate::python_server::PythonServer;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;

const RADICALE: &str = "3.9.0";
pub const PASSWORD: &str = "open sesame";

const SERVER: &str = include_str!("radicale.py");

#[derive(Debug)]
pub struct Radicale(PythonServer);

impl Radicale {
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
        let headers = [
            ("authorization", format!("Basic {login}")),
            ("content-type", "text/calendar".to_owned()),
        ];
        let (status, answer) = self.0.ask(&format!("PUT {path}"), &headers, body);
        assert!([201, 204].contains(&status), "{path}: {status} {answer}");
    }
}
