"""One Alfred with a data folder of its own, and what a person does on its page."""

import json
import os
import re
import signal
import sqlite3
import subprocess
import time
import urllib.error
import urllib.request
from datetime import datetime, timezone
from email import message_from_bytes, policy
from pathlib import Path

ANA = "U0ANA00001"
# Monday, ten seconds after 8:40 in Lisbon, so that a case of less than 50 seconds ends in the same minute.
NOW = datetime(2026, 11, 30, 8, 40, 10, tzinfo=timezone.utc)
# Documents show when they were last changed.
CHANGED = datetime(2026, 11, 20, 15, 0, 0, tzinfo=timezone.utc).timestamp()
# In seconds. A case takes about 5 on an idle machine.
START, IDLE, COMMAND, END = 60, 60, 60, 20
LOOK_EVERY = 0.05


class Failure(Exception):
    """A case that couldn't be played to its end."""


class EndedEarly(Failure):
    """The process isn't there any more."""


class WaitedTooLong(Failure):
    """Something didn't happen within its time."""


class PageRefused(Failure):
    """A route of the page answered with an error."""


class NothingToPress(Failure):
    """The button or the form that the script wants isn't shown."""


class BadAnswer(Failure):
    """The program's output or files aren't what this reader knows."""


class Alfred:
    """`clock` is the library that sets its time, or None for the machine's."""

    def __init__(self, binary, folder, clock, model):
        self.binary, self.data = binary, folder / "data"
        self.log = folder / "alfred.log"
        self.environment = {
            "HOME": str(folder),
            "PATH": "/usr/bin:/bin",
            "ALFRED_MODEL": "stand-in:scripted",
            "ALFRED_MODEL_URL": model,
            "RUST_BACKTRACE": "0",
        }
        if clock:
            shift = str(int(NOW.timestamp() - time.time()))
            self.environment |= {"LD_PRELOAD": str(clock), "SHIFT_SECONDS": shift}
        self.process, self.owner = None, {}

    def __enter__(self):
        command = ["nice", "-n", "15", self.binary, "--data", self.data, "--port", "0", "serve"]
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                command, env=self.environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL
            )
        try:
            self.until(START, "the page", self.serves)
            self.team = self.page("/client/team")
            self.direct = self.page("/client/home", {"user": ANA})["channel"]["id"]
            for document in (self.data / "workspace/ana/documents").iterdir():
                os.utime(document, (CHANGED, CHANGED))
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(END)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(END)

    def serves(self):
        try:
            self.owner = json.loads((self.data / "alfred.lock").read_text())
            return bool(self.owner.get("address")) and self.page("/client/team")
        except (OSError, ValueError):
            return False

    def until(self, seconds, what, look):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise EndedEarly(
                    f"Alfred ended with {self.process.returncode}: {self.log.read_text()[-500:]}"
                )
            if found := look():
                return found
            time.sleep(LOOK_EVERY)
        raise WaitedTooLong(f"waited {seconds} s for {what}")

    def open(self, path, body=None):
        """A route of the page, as a program of this account calls it."""
        headers = {"authorization": f"Bearer {self.owner['token']}", "content-type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.owner["address"] + path, data, headers)
        try:
            return urllib.request.urlopen(request, timeout=COMMAND)
        except urllib.error.HTTPError as error:
            reason = error.read().decode(errors="replace")[:300]
            raise PageRefused(f"{path}: {error.code} {reason}") from error

    def page(self, path, body=None):
        """The JSON that a route answers."""
        with self.open(path, body) as answer:
            said = json.load(answer)
        if not said.get("ok"):
            raise PageRefused(f"{path}: {said.get('error')}")
        return said

    def messages(self):
        """What Ana sees, and what reaches the others' direct messages: (channel, time) and message."""
        channels = [one["id"] for one in self.page(f"/client/channels?user={ANA}")["channels"]]
        channels += [one for one in ("D0BEN00001", "D0CHIYO001") if one not in channels]
        found = {}
        for channel in channels:
            for one in self.page(f"/client/messages?channel={channel}&limit=200")["messages"]:
                found[channel, one["ts"]] = one
                if one.get("reply_count"):
                    thread = self.page(f"/client/thread?channel={channel}&thread_ts={one['ts']}")
                    found |= {(channel, reply["ts"]): reply for reply in thread["messages"]}
        for one in self.page(f"/client/screen?user={ANA}")["ephemerals"]:
            found["only you see this", one["ts"]] = one
        return found

    def forms(self):
        return self.page(f"/client/screen?user={ANA}")["views"]

    def settle(self, script, what):
        """Waits until no event is on its way, no message in a queue, and no request at the model."""
        quiet = 0

        def idle():
            nonlocal quiet
            # In this order: an event is queued before it counts as delivered.
            waits = self.rows("slack.db", "delivery") or self.rows("alfred.db", "messages") or script.busy
            quiet = 0 if waits else quiet + 1
            return quiet >= 3

        self.until(IDLE, f"the end of the work after {what}", idle)

    def rows(self, file, table):
        try:
            database = sqlite3.connect(f"file:{self.data / file}?mode=ro", uri=True, timeout=COMMAND)
            try:
                return database.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
            finally:
                database.close()
        except sqlite3.Error as error:
            raise BadAnswer(f"{file}: {error}") from error

    def tool(self, name, **arguments):
        command = [self.binary, "--data", self.data, "--json", "run-tool", name, json.dumps(arguments)]
        try:
            done = subprocess.run(
                command, env=self.environment, capture_output=True, text=True, timeout=COMMAND
            )
            return json.loads(done.stdout)
        except subprocess.TimeoutExpired as error:
            raise WaitedTooLong(f"waited {COMMAND} s for the tool {name}") from error
        except ValueError as error:
            raise BadAnswer(f"{name}: {done.stdout[-200:]} {done.stderr[-200:]}") from error

    def facts(self):
        """Ana's tasks, two weeks of her schedule, reminders, mail that left the inbox, and documents: line by line."""
        lines = []
        for status in (None, "completed"):
            for task in (
                self.tool("task_viewTasks", **({"status": status} if status else {})).get("tasks") or []
            ):
                due = f", due {task['dueDate']}" if task.get("dueDate") else ""
                size = f"{task['status']}, {task['priority']}, {task['estimatedMinutes']} min"
                lines.append(f"task {task['title'][:60]}: {size}{due}")
        for week in ("today", "2026-12-07"):
            for day in self.tool("schedule_viewWeek", date=week).get("days") or []:
                lines += [block_fact(day, block) for block in day.get("blocks") or []]
        for job in self.tool("job_viewJobs").get("jobs") or []:
            lines.append(
                f"reminder or job {job['name']}: {job['when']}, {job['status']}, next {job.get('next')}"
            )
        home = self.data / "workspace/ana"
        for folder in ("sent", "archive", "drafts", "outbox"):
            # Names of files say nothing about the order in which mails were sent.
            files = (home / "mail" / folder).glob("*.eml")
            lines += sorted(mail_fact(folder, file) for file in files)
        for file in sorted(home.glob("documents/[!.]*")):
            lines += [
                f"document {file.name}: {line}"
                for line in file.read_text(errors="replace")[:2000].split("\n")
            ]
        return lines


def block_fact(day, block):
    tasks = ", ".join(task["title"][:30] for task in block.get("tasks") or [])
    times = f"{day['date']} {block['startTime']}-{block['endTime']}"
    return f"{block['type']} {times} {block['title'][:60]}" + (f" [{tasks}]" if tasks else "")


def mail_fact(folder, file):
    mail = message_from_bytes(file.read_bytes(), policy=policy.default)
    body = mail.get_body(("plain", "html"))
    words = re.sub(r"\s+", " ", body.get_content() if body else "")[:80].strip()
    others = "; ".join(str(mail[name]) for name in ("to", "cc", "bcc") if mail[name])
    return f"mail in {folder}, to {others}: {mail['subject']}: {words}"
