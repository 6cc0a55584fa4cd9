//! A CalDAV server on this machine for tests: Radicale, from PyPI.

use crate::python_server::PythonServer;
use crate::wait::LIMIT;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use std::io::{Read, Write};
use std::net::TcpStream;

const RADICALE: &str = "3.9.0";
/// The password of everybody.
pub const PASSWORD: &str = "open sesame";

/// Behind the standard library's HTTP server, so that it takes a free port. Each of its people has a home of their own.
const SERVER: &str = r#"
import os, shutil, socketserver, sys, tempfile, threading
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server
from radicale import Application, config
folder = tempfile.mkdtemp(prefix="radicale-")
def end():
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)
os.makedirs(folder + "/collection-root")
configuration = config.load([])
configuration.update({
    "storage": {"filesystem_folder": folder},
    "auth": {"type": "htpasswd", "htpasswd_filename": folder + "/people", "htpasswd_encryption": "plain"},
    "rights": {"type": "owner_only"},
    "logging": {"level": "critical"},
}, "test", privileged=True)
with open(folder + "/people", "w") as people:
    people.write("".join(f"{name}:{sys.argv[1]}\n" for name in sys.argv[2:]))

class Server(socketserver.ThreadingMixIn, WSGIServer):
    daemon_threads = True

class Quiet(WSGIRequestHandler):
    def log_message(self, *args):
        pass

server = make_server("127.0.0.1", 0, Application(configuration), Server, Quiet)
print(server.server_port, flush=True)
def watch():
    sys.stdin.buffer.read()
    end()
threading.Thread(target=watch, daemon=True).start()
server.serve_forever()
"#;

/// A running server.
#[derive(Debug)]
pub struct Radicale(PythonServer);

impl Radicale {
    /// One for these people.
    ///
    /// # Panics
    /// When it can't be installed, or doesn't start.
    pub fn start(people: &[&str]) -> Self {
        let arguments = [&[PASSWORD], people].concat();
        let pins = [("radicale", RADICALE)];
        Self(PythonServer::start(&pins, SERVER, &arguments))
    }

    /// Where it listens, on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.0.port()
    }

    /// Puts a calendar, or an event of one, where this path is.
    ///
    /// # Panics
    /// When the server doesn't take it.
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
