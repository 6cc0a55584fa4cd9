# Runs pymap on a free port and prints it. Everybody who knows the password may sign in under any name.
# The second argument says whether it stores keywords, as nearly all servers do; by itself it doesn't.
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
