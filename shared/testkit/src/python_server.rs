//! A server from PyPI in a child process, on a free port of 127.0.0.1. It is installed once into `target/tools`, and
//! ends with its standard input, which only the test process holds open.

use crate::tools;
use crate::wait::{ChildGuard, LIMIT, Parts};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Longest wait for an answer, on a busy machine too.
const ASK: Duration = Duration::from_secs(60);

#[derive(Debug)]
pub(crate) struct PythonServer {
    child: ChildGuard,
    port: u16,
}

impl PythonServer {
    /// Installs the packages if need be, and runs a script with them.
    pub fn start(pins: &[(&str, &str)], script: &str, arguments: &[&str]) -> Self {
        let mut command = Command::new(tools::python_with(pins).join("bin/python"));
        Self::run(command.args(["-c", script]).args(arguments), LIMIT)
    }

    /// Starts a command that prints its port on the first line and ends with its standard input.
    pub fn run(command: &mut Command, limit: Duration) -> Self {
        let mut child = ChildGuard::spawn(command.stdin(Stdio::piped()).stdout(Stdio::piped()));
        let lines = Parts::lines(child.stdout.take().unwrap());
        let line = lines.next(limit, &format!("the port of {:?}", command.get_program()));
        let port = line.and_then(|line| line.trim().parse().ok());
        let port = port.expect("the server prints its port");
        Self { child, port }
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn ask(&self, call: &str, headers: &[(&str, String)], body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("it listens");
        stream.set_read_timeout(Some(ASK)).unwrap();
        let mut head = format!("{call} HTTP/1.0\r\nhost: 127.0.0.1:{}\r\n", self.port);
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        head += &format!("content-length: {}\r\n\r\n{body}", body.len());
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        let (head, body) = answer.split_once("\r\n\r\n").expect("an HTTP answer");
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok());
        (status.expect("a status code"), body.to_owned())
    }

    /// Closes its standard input, upon which it removes its files and ends. `None` when it still runs at the limit.
    pub fn end(&mut self) -> Option<ExitStatus> {
        drop(self.child.stdin.take());
        self.child.ended_before(Instant::now() + LIMIT)
    }
}

impl Drop for PythonServer {
    fn drop(&mut self) {
        // One that still runs is killed by the guard.
        self.end();
    }
}
