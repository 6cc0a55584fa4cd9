//! An IMAP server on this machine for tests: pymap, from PyPI.

use crate::python_server::PythonServer;
use crate::wait::LIMIT;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;

const PYMAP: &str = "0.36.7";
/// The password of everybody.
pub const PASSWORD: &str = "open sesame";

/// Whoever has the password may sign in under any name, and has mailboxes of their own. By itself it keeps no
/// keywords, unlike nearly every server there is.
const SERVER: &str = r#"
import asyncio, os, sys, threading
import pymap.main
from pymap.backend import mailbox
from pymap.backend.dict import Identity, Login
from pymap.exceptions import InvalidAuth
from pymap.parsing.specials.flag import Recent, Wildcard, get_system_flags
from pymap.user import UserMetadata
from pysasl.identity import ClearIdentity

password, keywords = sys.argv[1], sys.argv[2] == "keywords"

async def authenticate(self, credentials):
    if not credentials.verify(ClearIdentity(credentials.authcid, password)):
        raise InvalidAuth()
    return Identity(credentials.authcid, self, None, set())
async def get(self):
    return UserMetadata(self.config, self.name)
Login.authenticate, Identity.get = authenticate, get
known = get_system_flags() - {Recent} | ({Wildcard} if keywords else set())
mailbox.MailboxDataInterface.permanent_flags = property(lambda self: known)

start = asyncio.start_server
async def told(*args, **named):
    server = await start(*args, **named)
    print(server.sockets[0].getsockname()[1], flush=True)
    return server
asyncio.start_server = told
def watch():
    sys.stdin.buffer.read()
    os._exit(0)
threading.Thread(target=watch, daemon=True).start()
sys.argv = ["pymap", "--host", "127.0.0.1", "--port", "0", "--no-tls", "--no-service", "admin", "--no-service", "managesieve", "dict"]
pymap.main.main()
"#;

/// A running server.
#[derive(Debug)]
pub struct Pymap(PythonServer);

impl Pymap {
    /// One that keeps keywords, or one that keeps none.
    ///
    /// # Panics
    /// When it can't be installed, or doesn't start.
    pub fn start(keywords: bool) -> Self {
        let kind = if keywords { "keywords" } else { "plain" };
        let pins = [("pymap", PYMAP)];
        Self(PythonServer::start(&pins, SERVER, &[PASSWORD, kind]))
    }

    /// Where it listens, on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.0.port()
    }

    /// Puts a mail into somebody's inbox.
    ///
    /// # Panics
    /// When the server takes none.
    pub fn deliver(&self, user: &str, mail: &[u8]) {
        self.put(user, "INBOX", "", mail);
    }

    /// Puts a mail into one of somebody's mailboxes, which is made if need be; `how` is its flags and its date, as
    /// `APPEND` has them.
    ///
    /// # Panics
    /// When the server takes none.
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
