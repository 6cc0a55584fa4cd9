"""Plays one case and returns, line by line, what the person did and saw, and what changed."""

import re
import tempfile
import time
from collections import Counter
from pathlib import Path

from alfred import ANA, Alfred, BadAnswer, NothingToPress
from model import Script
from screen import buttons, lines, plain, readable
from script import Says

FORM = 20
"""Seconds until a form has opened."""


class Player:
    def __init__(self, alfred, script):
        self.alfred, self.script = alfred, script
        self.names = {one["id"]: one["name"] for one in alfred.team["users"]}
        self.seen, self.forms_seen, self.log = {}, [], []

    def play(self, case):
        self.seen = self.alfred.messages()
        if case.things:
            self.take(Says("Set up my things please", (list(case.things), "All set.")))
            if wrong := [line for line in self.log if "didn't work" in line]:
                raise BadAnswer(f"the things of this case can't be set up: {wrong}")
            self.log.clear()
        before = Counter(self.alfred.facts())
        for step in case.steps:
            self.take(step)
        after = Counter(self.alfred.facts())
        changes = [f"- {one}" for one in (before - after).elements()]
        changes += [f"+ {one}" for one in (after - before).elements()]
        return self.log + ["then:"] + (changes or ["(nothing changed)"])

    def take(self, step):
        self.script.take(step)
        if isinstance(step, Says):
            self.log.append(f"> Ana: {step.text[:300]}" + (" …" if len(step.text) > 300 else ""))
            self.alfred.page("/client/post", {"user": ANA, "channel": self.alfred.direct, "text": step.text})
        else:
            self.press(step)
        self.alfred.settle(self.script, self.log[-1])
        self.show()

    def press(self, step):
        shown = []
        for (channel, at), message in sorted(self.seen.items(), key=lambda one: one[0][1]):
            shown += [(channel, at, label, action) for label, action in buttons(message)]
        fitting = [one for one in shown if one[2] == step.label]
        if not fitting:
            there = ", ".join(sorted({label for _, _, label, _ in shown}))
            raise NothingToPress(f"there is no button “{step.label}”, only: {there}")
        channel, at, label, action = fitting[0 if step.oldest else -1]
        self.log.append(f"> presses [{label}]")
        self.alfred.page("/client/click", {"user": ANA, "channel": channel, "ts": at, "action_id": action})
        if step.types is not None:
            self.fill(step.types)

    def fill(self, types):
        """Fills and submits the form that the button has opened."""

        def opened():
            views = self.alfred.forms()
            return views[-1] if views and views[-1]["view"].get("submit") else None

        form = self.alfred.until(FORM, "a form", opened)
        view = form["view"]
        self.log.append(f"the form “{plain(view['title'])}” opens")
        self.log += [
            f"| {line}" for line in lines(view["blocks"], self.names) + [f"[{plain(view['submit'])}]"]
        ]
        values, filled = {}, False
        for block in view["blocks"]:
            if block["type"] != "input":
                continue
            element, label = block["element"], plain(block["label"])
            value = None
            if element["type"] == "plain_text_input":
                value = element.get("initial_value")
                for part, text in types.items():
                    if part in label.lower():
                        value, filled = text, True
                        self.log.append(f"> types into “{label}”: {text}".replace("\n", " ⏎ "))
                value = {"type": element["type"], "value": None} if value is None else value
            elif element["type"] == "checkboxes":
                value = [option["value"] for option in element.get("initial_options", [])]
            elif element["type"] == "static_select":
                value = element["initial_option"]["value"]
            values.setdefault(block["block_id"], {})[element["action_id"]] = value
        if not filled:
            raise NothingToPress(f"the form has no field with {' or '.join(types)} in its label")
        self.log.append(f"> presses [{plain(view['submit'])}]")
        answer = self.alfred.page(
            "/client/view/submit", {"user": ANA, "view_id": form["id"], "values": values}
        )
        said = answer.get("answer") or {}
        if isinstance(said, dict) and said.get("response_action") == "errors":
            self.log += [f"| the form says: {text}" for text in said["errors"].values()]

    def show(self):
        """Adds what is new on the screen: a new message whole, a changed one by its lines."""
        now = self.alfred.messages()
        for place, message in sorted(now.items(), key=self.turn):
            before = self.seen.get(place)
            own = not message.get("bot_id") and message.get("user") == ANA
            if before == message or (own and place[0] != "only you see this"):
                continue
            self.log.append(self.heading(place, message, changed=before is not None))
            if before is None:
                self.log += [f"| {line}" for line in self.body(message) + self.notification(message)]
                continue
            old, new = Counter(self.body(before)), Counter(self.body(message))
            self.log += [f"| gone: {line.strip()}" for line in (old - new).elements()]
            self.log += [f"| new: {line.strip()}" for line in (new - old).elements()]
        self.seen = now

    def turn(self, item):
        """Old messages come first, then new cards: which of two requests writes first is chance. Then what others get: the
        reply may have begun before."""
        place, message = item
        is_card = any(label == "Approve" for label, _ in buttons(message))
        return place not in self.seen, not is_card, place[0] == self.alfred.direct, place[1]

    def heading(self, place, message, changed):
        who = self.names.get(message.get("user"), "Alfred")
        what = f"{who}'s message changes" if changed else f"{who} writes"
        if place[0] == self.alfred.direct:
            return what
        if place[0] == "only you see this":
            return f"{what}, only Ana sees it"
        return f"{what} in {self.place(place[0])}"

    def place(self, channel):
        for user, direct in (("Ben", "D0BEN00001"), ("Chiyo", "D0CHIYO001")):
            if channel == direct:
                return f"{user}'s direct message"
        return "#marketing" if channel == "C0MARKET01" else channel

    def body(self, message):
        if shown := lines(message.get("blocks"), self.names):
            return shown
        return [line for line in readable(message.get("text") or "", self.names).split("\n") if line.strip()]

    def notification(self, message):
        """What a phone shows for a new message, unless it is the beginning of the message."""
        text = readable(message.get("text") or "", self.names)
        beginning = letters(text)[:60]
        if not beginning or beginning in letters(" ".join(self.body(message))):
            return []
        return [f"(notification: {text[:160]})"]


def letters(text):
    return re.sub(r"[\W_]+", "", text.lower())


def play(binary, clock, server, number, case):
    """The record of a case, and the seconds that it took."""
    began = time.monotonic()
    script = server.scripts[number] = Script()
    with tempfile.TemporaryDirectory() as folder:
        with Alfred(binary, Path(folder), clock, server.url(number)) as alfred:
            record = Player(alfred, script).play(case)
    if script.problems:
        raise BadAnswer(f"the script failed: {'; '.join(script.problems)}")
    return record, time.monotonic() - began
