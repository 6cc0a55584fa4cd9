//! A server from PyPI in a child process, on a free port of 127.0.0.1. It is installed once into `target/tools`, and
//! ends with its standard input, which only the test process holds open.

use crate::tools;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// A running server.
#[derive(Debug)]
pub(crate) struct PythonServer {
    child: Child,
    port: u16,
}

impl PythonServer {
    /// Runs a script that says its port on a line of its own, and ends with its standard input.
    pub fn start(pins: &[(&str, &str)], script: &str, arguments: &[&str]) -> Self {
        let home = tools::python_with(pins);
        let mut child = Command::new(home.join("bin/python"))
            .args(["-c", script])
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut said = BufReader::new(child.stdout.take().unwrap());
        said.read_line(&mut line).unwrap();
        let port = line.trim().parse().expect("the server says its port");
        Self { child, port }
    }

    pub fn port(&self) -> u16 {
        self.port
    }
}

impl Drop for PythonServer {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        // Nothing can be done about a child that is gone already.
        drop(self.child.wait());
    }
}
