#!/usr/bin/env python3
"""Measures how soon a person sees the first word that the model writes: in a real process, on the local page.

    cargo build -p alfred-local && tests/requests/first_word.py

A stand-in of a model writes a word every 100 ms. Each request is asked alone. The time runs from the moment the first
word leaves the stand-in to the moment the page is told of a message that has it. Fails if the median is over a second.
Slack's own network isn't part of it. ALFRED_BIN names the executable.
"""

import http.server
import json
import os
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.dont_write_bytecode = True

from alfred import ANA, Alfred
from model import Handler

ROOT = Path(__file__).resolve().parent.parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
BINARY = Path(os.environ.get("ALFRED_BIN", TARGET / "debug" / "alfred"))
REQUESTS = 12
WORDS = 30
# In seconds.
EACH_WORD, LIMIT, PATIENCE = 0.1, 1.0, 30


class Writer(Handler):
    def do_POST(self):
        asked = self.rfile.read(int(self.headers["content-length"])).decode()
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        if '"predicate"' in asked:
            self.says('{"result": false, "toolsets": []}')
        else:
            number = int(asked.rsplit("question number ", 1)[1].split("!")[0])
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


def watch(alfred, seen):
    """Notes when the page is told of the first word of each answer."""
    with alfred.open("/client/events") as events:
        for line in events:
            now = time.monotonic()
            for number in range(REQUESTS):
                if f"word-{number}-0" in line.decode():
                    seen.setdefault(number, now)


def measure(alfred, written):
    """The seconds of each request."""
    seen = {}
    threading.Thread(target=watch, args=(alfred, seen), daemon=True).start()
    for number in range(REQUESTS):
        text = f"Answer question number {number}!"
        alfred.page("/client/post", {"user": ANA, "channel": alfred.direct, "text": text})
        alfred.until(PATIENCE, f"the first word of answer {number}", lambda: number in seen)
    return [seen[number] - written[number] for number in range(REQUESTS)]


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Writer)
    server.daemon_threads, server.written = True, {}
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/v1"
    with tempfile.TemporaryDirectory() as folder, Alfred(BINARY, Path(folder), None, url) as alfred:
        took = measure(alfred, server.written)
    middle, most = statistics.median(took), max(took)
    print(f"first word of {len(took)} answers: median {middle * 1000:.0f} ms, at most {most * 1000:.0f} ms")
    assert middle <= LIMIT, f"the median is over {LIMIT} s"


main()
