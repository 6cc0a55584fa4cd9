#!/usr/bin/env python3
"""Measures how soon a person sees the first word that the model writes: in a real process, on the local page.

    cargo build -p alfred-local && tests/first_word.py

A stand-in of a model writes a word every 100 ms. Each request is asked in a thread of its own. The time runs from the
moment the first word leaves the stand-in to the moment the page is told of a message that has it. Fails if the median
is over a second. Slack's own network isn't part of it.
"""

import http.server
import json
import os
import signal
import statistics
import subprocess
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
BINARY = os.environ.get("ALFRED_BIN", str(TARGET / "debug" / "alfred"))
ANA = "U0ANA00001"
REQUESTS = 12
WORDS = 30
# In seconds.
EACH_WORD, LIMIT, PATIENCE = 0.1, 1.0, 30


class WaitedTooLong(Exception):
    """The message names what for."""


class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        asked = self.rfile.read(int(self.headers["content-length"])).decode()
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        if '"predicate"' in asked:
            self.says('{"result": false, "toolsets": []}')
        else:
            number = asked.rsplit("question number ", 1)[1].split("!")[0]
            self.server.written[number] = time.monotonic()
            for at in range(WORDS):
                self.says(f"word-{number}-{at} ")
                time.sleep(EACH_WORD)
        self.says("", "stop")
        self.wfile.write(b"data: [DONE]\n\n")

    def says(self, text, end=None):
        choice = {"index": 0, "delta": {"content": text}, "finish_reason": end}
        self.wfile.write(f"data: {json.dumps({'choices': [choice]})}\n\n".encode())
        self.wfile.flush()

    def log_message(self, *_):
        pass


def until(what, look):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if found := look():
            return found
        time.sleep(0.02)
    raise WaitedTooLong(what)


def watch(page, seen):
    """Notes when a message with the first word of each answer is there."""
    with page("/client/events") as events:
        for line in events:
            now = time.monotonic()
            for number in range(REQUESTS):
                if f"word-{number}-0" in line.decode():
                    seen.setdefault(str(number), now)


def measure(folder, server):
    environment = {
        "HOME": folder,
        "PATH": "/usr/bin:/bin",
        "ALFRED_MODEL": "stand-in:slow",
        "ALFRED_MODEL_URL": f"http://127.0.0.1:{server.server_port}/v1",
    }
    command = [BINARY, "--data", f"{folder}/data", "--port", "0", "serve"]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)

    def owner():
        lock = Path(folder, "data", "alfred.lock")
        found = json.loads(lock.read_text() or "{}") if lock.exists() else {}
        return found if found.get("address") else None

    def page(path, body=None):
        known = owner()
        headers = {"authorization": f"Bearer {known['token']}", "content-type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(known["address"] + path, data, headers)
        return urllib.request.urlopen(request, timeout=PATIENCE)

    try:
        until("the page", owner)
        direct = json.load(page("/client/home", {"user": ANA}))["channel"]["id"]
        seen = {}
        threading.Thread(target=watch, args=(page, seen), daemon=True).start()
        for number in range(REQUESTS):
            asked = {"user": ANA, "channel": direct, "text": f"Answer question number {number}!"}
            page("/client/post", asked).close()
            until(f"answer {number}", lambda: str(number) in seen)
        return [seen[number] - server.written[number] for number in seen]
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE)


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
    server.daemon_threads, server.written = True, {}
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        took = measure(folder, server)
    middle, most = statistics.median(took), max(took)
    print(f"first word of {len(took)} answers: median {middle * 1000:.0f} ms, at most {most * 1000:.0f} ms")
    assert middle <= LIMIT, f"the median is over {LIMIT} s"


main()
