"""The vocabulary of the cases: what a person does, and what a good model answers.

A case is a list of steps. Each step that starts a request has the turns of the model for it:

    request(
        says("tell Ben that lunch is at noon", call("slack_sendMessage", to="@ben", text="Lunch is at noon."), "Sent."),
        clicks("Approve"),
    )

A turn is one call, a list of calls, a text, or a function. A function gets the results of the tools so far, as
a list of objects, and returns a turn. A text after calls is said only if they succeeded: otherwise the model reports
the error, as a good model does. When the turns are used up, the model says "Done.".
"""

from dataclasses import dataclass, field

REFUSED = "rejected"


@dataclass(frozen=True)
class Call:
    tool: str
    arguments: dict


@dataclass(frozen=True)
class Says:
    """Ana writes this in her direct message with Alfred."""

    text: str
    turns: tuple


@dataclass(frozen=True)
class Clicks:
    """Ana presses the newest button with this label, or the oldest one.

    `types` fills the fields of the form that opens: a part of the field's label, in lower case, and the text. The
    form is then submitted. The turns answer the words that a button such as "Tue 1 Dec, 13:00" stands for.
    """

    label: str
    turns: tuple
    types: dict | None = None
    oldest: bool = False


@dataclass(frozen=True)
class Request:
    steps: tuple
    things: tuple = field(default=())
    """Calls that prepare Ana's tasks, blocks or reminders before the first step."""

    @property
    def title(self):
        parts = []
        for step in self.steps:
            text = step.text if isinstance(step, Says) else f"[{step.label}]"
            parts.append(text if len(text) <= 90 else text[:80].rsplit(" ", 1)[0] + " …")
        return " / ".join(parts)


def says(text, *turns):
    return Says(text, turns)


def clicks(label, *turns, types=None, oldest=False):
    return Clicks(label, turns, types, oldest)


def call(tool, **arguments):
    return Call(tool, arguments)


def request(*steps, things=()):
    return Request(steps, tuple(things))


def ask(text, *turns, things=()):
    """A case of one message."""
    return Request((says(text, *turns),), tuple(things))


def errors(results):
    failed = (one for one in results if one.get("success") is False or one.get("error"))
    return [str(one.get("say") or one.get("error")) for one in failed]


def report(results, sentence):
    """What a good model says at the end: the sentence, or why it didn't work."""
    wrong = errors(results)
    last_worked = bool(results) and not errors(results[-1:])
    if last_worked and any(REFUSED in one for one in wrong):
        # It was refused first and then allowed, after a change.
        wrong = []
    if not wrong:
        return sentence
    if all(REFUSED in one for one in wrong):
        return "All right, I left that."
    return "That didn't work: " + "; ".join(wrong)


def listed(key, line):
    """A turn that lists what the tools returned under this key."""

    def turn(results):
        found = [line(one) for result in results for one in result.get(key) or []]
        return "\n".join(f"• {one}" for one in found) or "There is nothing."

    return turn


def day(results):
    """A turn that lists the blocks and the all-day events of a day or a week."""
    lines = []
    for result in results:
        for one in result.get("days") or [result]:
            lines += [
                f"• {block['startTime']}–{block['endTime']} {block['title']}"
                for block in one.get("blocks", [])
            ]
    for result in results:
        lines += [f"• all day: {name}" for name in result.get("allDay", [])]
        for one in result.get("days", []):
            lines += [f"• all day: {name} ({one['weekday']})" for name in one.get("allDay", [])]
    return "\n".join(lines) or "Nothing is planned."


def summary(results):
    """A turn that says what came of an approved plan, and which blocks couldn't be made."""
    lines = [results[-1].get("summary") or "Done."]
    for one in results[-1].get("conflicts") or []:
        block = one["block"]
        lines.append(f"Not done: {block['startTime']}–{block['endTime']} {block['title']}: {one['reason']}")
    return "\n".join(lines)


meetings = listed(
    "meetings", lambda one: f"{one['weekday']} {one.get('startTime', 'all day')} {one.get('title', 'busy')}"
)
tasks = listed("tasks", lambda one: one["title"])
mails = listed("emails", lambda one: f"{one['from'].split(' <')[0]}: {one['subject']}")
times = listed("times", lambda one: f"{one['weekday']} {one['startTime']}–{one['endTime']}")
jobs = listed("jobs", lambda one: f"{one['name']}: {one['when']}")

THINGS = [
    call(
        "task_createTask", title="Call the dentist", estimatedMinutes=15, priority="low", dueDate="tomorrow"
    ),
    call(
        "task_createTask",
        title="Write the board report",
        estimatedMinutes=90,
        priority="high",
        dueDate="2026-12-03",
    ),
    call("task_createTask", title="Review Chiyo's brief", estimatedMinutes=45, dueDate="wednesday"),
    call("task_createTask", title="Book the train to Porto", estimatedMinutes=20, dueDate="2026-12-07"),
    call(
        "schedule_batchCreateBlocks",
        date="today",
        blocks=[
            {"type": "work", "title": "Board report", "startTime": "11:00", "endTime": "12:30"},
            {"type": "break", "title": "Lunch", "startTime": "12:30", "endTime": "13:30"},
            {"type": "email", "title": "E-mail", "startTime": "14:00", "endTime": "14:30"},
            {
                "type": "work",
                "title": "Prepare the campaign review",
                "startTime": "15:00",
                "endTime": "16:00",
            },
        ],
    ),
]
REMINDERS = [
    call("job_createJob", say="Call Ben", date="today", time="15:00"),
    call("job_createJob", kind="brief", time="08:00", days=["mon", "tue", "wed", "thu", "fri"]),
]
LONG = " ".join(
    [
        "The workshop in Sintra went well and everybody liked the house, "
        "although the train was late and the dinner was cold."
    ]
    * 26
)
