//! An IMAP server on this machine for tests: pymap, from PyPI.

use crate::python_server::PythonServer;

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
    #[must_use]
    pub fn start(keywords: bool) -> Self {
        let kind = if keywords { "keywords" } else { "plain" };
        let pins = [("pymap", PYMAP)];
        Self(PythonServer::start(&pins, SERVER, &[PASSWORD, kind]))
    }

    /// Where it listens, on 127.0.0.1.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.0.port()
    }
}
