"""An OpenAI-compatible model server on loopback that plays the scripts of the cases."""

import http.server
import json
import re
import threading

from script import Call, Clicks, Says, report

CASE = re.compile(r"/case/(\d+)/")
SPOKEN = re.compile(r"<([#@])\w+\|([^>]*)>")
SHORT = 5
"""A text of so many letters must be the whole message. A longer one may be a part of it."""


class NoTurn(Exception):
    """The script has nothing for this message, or calls a tool that wasn't offered."""


def text_of(message):
    content = message.get("content")
    if isinstance(content, str):
        return content
    return " ".join(part.get("text", "") for part in content or [])


def letters(text):
    """What is left of a text in any markup; an emoji alone stays."""
    text = SPOKEN.sub(r"\1\2", text.replace("C0MARKET01", "marketing")).lower()
    return re.sub(r"[\W_]+", "", text) or text.strip()


class Script:
    """The turns of one case. The page's thread adds a step when the person takes it."""

    def __init__(self):
        self.taken = []
        self.problems = []
        self.busy = 0
        self.lock = threading.Lock()

    def take(self, step):
        with self.lock:
            self.taken.append(step)

    def answer(self, body):
        """The delta of an answer. A problem is noted for the runner and said aloud."""
        with self.lock:
            self.busy += 1
        try:
            if "response_format" in body:
                # Whether the request is complex, and the like.
                return {"content": json.dumps({"result": False})}
            return self.turn(body)
        except (NoTurn, LookupError, TypeError, ValueError) as error:
            with self.lock:
                self.problems.append(f"{type(error).__name__}: {error}")
            return {"content": f"(the script failed: {error})"}
        finally:
            with self.lock:
                self.busy -= 1

    def turn(self, body):
        messages = body["messages"]
        asked = max(
            at for at, one in enumerate(messages) if one["role"] == "user" and not is_notice(text_of(one))
        )
        turns = self.turns_for(text_of(messages[asked]))
        after = messages[asked + 1 :]
        number = sum(one["role"] == "assistant" for one in after)
        results = [result_of(one) for one in after if one["role"] == "tool"]
        turn = turns[number] if number < len(turns) else "Done."
        if callable(turn):
            turn = turn(results)
        if isinstance(turn, str):
            return {"content": report(results, turn)}
        calls = [turn] if isinstance(turn, Call) else turn
        offered = {tool["function"]["name"] for tool in body.get("tools", [])}
        if missing := [one.tool for one in calls if one.tool not in offered]:
            raise NoTurn(f"Alfred didn't offer {', '.join(missing)}")
        return {"tool_calls": [tool_call(number, at, one) for at, one in enumerate(calls)]}

    def turns_for(self, words):
        """The latest step that said these words, or the button that stands for words of its own."""
        words = letters(words)
        with self.lock:
            taken = list(reversed(self.taken))
        for step in taken:
            if isinstance(step, Says):
                keys = [step.text]
            else:
                keys = list((step.types or {}).values())
            for key in map(letters, keys):
                if key and (key == words or (len(key) > SHORT and key in words)):
                    return step.turns
        for step in taken:
            if isinstance(step, Clicks) and step.turns and not step.types:
                return step.turns
        raise NoTurn(f"nothing is scripted for: {words[:200]}")


def is_notice(text):
    """Alfred's own notes in the place of the person's words."""
    return text.startswith("Time has passed") or "last step" in text


def result_of(message):
    try:
        return json.loads(text_of(message))
    except ValueError:
        return {"text": text_of(message)}


def tool_call(turn, at, one):
    function = {"name": one.tool, "arguments": json.dumps(one.arguments, ensure_ascii=False)}
    return {"index": at, "id": f"call_{turn}_{at}", "type": "function", "function": function}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        delta = self.server.scripts[int(CASE.search(self.path)[1])].answer(body)
        end = "tool_calls" if "tool_calls" in delta else "stop"
        events = [
            {"choices": [{"index": 0, "delta": delta}]},
            {"choices": [{"index": 0, "delta": {}, "finish_reason": end}]},
        ]
        stream = "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("content-length", str(len(stream.encode())))
        self.end_headers()
        self.wfile.write(stream.encode())

    def log_message(self, *_):
        pass


class ModelServer(http.server.ThreadingHTTPServer):
    request_queue_size = 128
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.scripts = {}
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def url(self, number):
        return f"http://127.0.0.1:{self.server_port}/case/{number}/v1"
