# Runs Radicale on a free port and prints it. The arguments are the password of everybody, then the users.
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
