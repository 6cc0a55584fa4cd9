"""The recorded files: what each request showed, and the verdict that a person gave on it.

    # plan my day / [Approve]
    verdict: served
    why: (only for declined and wrong)
    > Ana: plan my day
    Alfred writes
    | …
    then:
    + what changed

Only a person writes a verdict. When what is shown changes, `--record` replaces the verdict by `verdict: judge again`,
which fails the run until a person has read the new text.
"""

from dataclasses import dataclass, field
from pathlib import Path

SEEN = Path(__file__).resolve().parent / "seen"
SERVED, DECLINED, WRONG, OPEN = "served", "declined", "wrong", "judge again"
VERDICTS = (SERVED, DECLINED, WRONG, OPEN)


class BadRecord(Exception):
    """A recorded file that this program can't read."""


@dataclass
class Record:
    title: str
    verdict: str = OPEN
    why: str = ""
    lines: list = field(default_factory=list)


def file_of(theme):
    return SEEN / f"{theme}.txt"


def read(theme):
    """The records of a theme by title."""
    found = {}
    path = file_of(theme)
    if not path.exists():
        return found
    record = None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        where = f"{path.name}:{number}"
        if line.startswith("# "):
            record = Record(line[2:])
            if record.title in found:
                raise BadRecord(f"{where}: this request is recorded twice")
            found[record.title] = record
        elif not line:
            continue
        elif record is None:
            raise BadRecord(f"{where}: a line before the first request")
        elif not record.lines and line.startswith("verdict: "):
            record.verdict = line.removeprefix("verdict: ").split(",")[0]
            if record.verdict not in VERDICTS:
                raise BadRecord(f"{where}: a verdict is one of {', '.join(VERDICTS)}")
        elif not record.lines and line.startswith("why: "):
            record.why = line.removeprefix("why: ")
        else:
            record.lines.append(line)
    for record in found.values():
        if record.verdict in (DECLINED, WRONG) and not record.why:
            raise BadRecord(f"{path.name}: “{record.title}” needs a line “why:”")
    return found


def write(theme, records):
    parts = []
    for one in records:
        head = [f"# {one.title}", f"verdict: {one.verdict}"] + ([f"why: {one.why}"] if one.why else [])
        parts.append("\n".join(head + one.lines) + "\n")
    SEEN.mkdir(exist_ok=True)
    file_of(theme).write_text("\n".join(parts))


def renewed(old, title, lines):
    """The record with what is shown now. A changed one has to be judged again."""
    if old is None:
        return Record(title, lines=lines)
    if old.lines == lines:
        return old
    why = old.why if old.verdict == OPEN else f"was {old.verdict}" + (f": {old.why}" if old.why else "")
    return Record(title, OPEN, why, lines)
