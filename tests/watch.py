#!/usr/bin/env python3
"""Starts `infra/watch` with a scripted model, writes to Alfred on the local page, and waits for the reply.

The message goes through every part as on AWS: receiver, queue, classifier, queue, worker, Slack. Building the five
functions takes most of the time.
"""

import http.server
import json
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
LOCK = TARGET / "watch" / "alfred.lock"
ANA, REPLY = "U0ANA00001", "Every function works."
# In seconds.
BUILD, ANSWER, END = 5400, 60, 30


class Model(http.server.BaseHTTPRequestHandler):
    """Says that no request is complex, and answers each with the same words."""

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        says = '{"result": false}' if "response_format" in asked else REPLY
        delta = {"choices": [{"index": 0, "delta": {"content": says}, "finish_reason": "stop"}]}
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        self.wfile.write(f"data: {json.dumps(delta)}\n\ndata: [DONE]\n\n".encode())

    def log_message(self, *_):
        pass


def client(path, body=None):
    """A route of the page, as a program of this account calls it."""
    owner = json.loads(LOCK.read_text())
    if not owner["address"]:
        raise ConnectionError("it isn't serving yet")
    headers = {"authorization": f"Bearer {owner['token']}", "content-type": "application/json"}
    data = json.dumps(body).encode() if body else None
    request = urllib.request.Request(owner["address"] + path, data, headers)
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer)


def eventually(within, what, look):
    end = time.monotonic() + within
    while time.monotonic() < end:
        if watch.poll() is not None:
            sys.exit(f"infra/watch ended with {watch.returncode}")
        try:
            if found := look():
                return found
        except (OSError, ValueError, KeyError):
            pass  # Not started yet.
        time.sleep(0.5)
    sys.exit(f"waited {within} s for {what}")


def replied():
    messages = client(f"/client/messages?channel={channel}")["messages"]
    return any(REPLY in message["text"] for message in messages)


model = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=model.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{model.server_address[1]}/v1"
LOCK.unlink(missing_ok=True)
settings = {"ALFRED_MODEL": "openai:scripted", "ALFRED_MODEL_URL": url, "OPENAI_API_KEY": "local"}
watch = subprocess.Popen([ROOT / "infra/watch"], env=os.environ | settings)
try:
    eventually(BUILD, "the page", lambda: client("/client/team"))
    began = time.monotonic()
    channel = client("/client/post", {"user": ANA, "text": "Are all functions there?"})["message"]["channel"]
    eventually(ANSWER, "the reply", replied)
    print(f"the reply came after {time.monotonic() - began:.1f} s")
finally:
    watch.send_signal(signal.SIGTERM)
    watch.wait(END)
