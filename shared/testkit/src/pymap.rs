//! An IMAP server on this machine for tests: pymap, from PyPI.

use crate::python_server::PythonServer;
use crate::wait::LIMIT;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;

const PYMAP: &str = "0.36.7";
pub const PASSWORD: &str = "open sesame";

const SERVER: &str = include_str!("pymap.py");

#[derive(Debug)]
pub struct Pymap(PythonServer);

impl Pymap {
    /// One that keeps keywords, or one that keeps none.
    pub fn start(keywords: bool) -> Self {
        let kind = if keywords { "keywords" } else { "plain" };
        let pins = [("pymap", PYMAP)];
        Self(PythonServer::start(&pins, SERVER, &[PASSWORD, kind]))
    }

    pub fn port(&self) -> u16 {
        self.0.port()
    }

    pub fn deliver(&self, user: &str, mail: &[u8]) {
        self.put(user, "INBOX", "", mail);
    }

    /// Puts a mail into one of somebody's mailboxes, which is made if need be; `how` is its flags and its date, as
    /// `APPEND` has them.
    pub fn put(&self, user: &str, mailbox: &str, how: &str, mail: &[u8]) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port())).unwrap();
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        let mut answers = BufReader::new(stream.try_clone().unwrap()).lines();
        let mut until = |start: &str| {
            let line = answers.find(|line| line.as_ref().is_ok_and(|line| line.starts_with(start)));
            line.unwrap().unwrap()
        };
        until("* OK");
        let length = mail.len();
        for (command, answer) in [
            (format!("a LOGIN {user} \"{PASSWORD}\"\r\n"), "a OK"),
            // One that is there already stays.
            (format!("c CREATE {mailbox}\r\n"), "c "),
            (format!("b APPEND {mailbox}{how} {{{length}}}\r\n"), "+"),
        ] {
            stream.write_all(command.as_bytes()).unwrap();
            until(answer);
        }
        stream.write_all(&[mail, b"\r\n"].concat()).unwrap();
        until("b OK");
    }
}
