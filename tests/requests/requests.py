#!/usr/bin/env python3
"""Plays everyday requests on the local page with a scripted model, and compares what a person sees with the records.

    cargo build -p alfred-local && tests/requests/requests.py            # all
    tests/requests/requests.py reminders undo                            # themes
    tests/requests/requests.py --only "plan my day" plan_day             # requests with these words
    tests/requests/requests.py --record undo                             # writes down what is shown now

`cases/` has the requests and the model's turns, `script.py` their vocabulary. `seen/` has what each request showed and
a person's verdict: served, declined (said plainly, rightly, nothing done) or wrong (untrue, incomplete without saying
so, internal text, something done that nobody wished, a needless question about one's own things). A run fails if
anything differs from the records, if a record has no verdict, or if more than 1 % are wrong.

To add a request: write it in `cases/`, run its theme with --record, read what it showed in `seen/`, and put a verdict
in the place of "judge again". Never make a request easier to hide a fault of Alfred; a script that no good model would
follow may be mended.

ALFRED_BIN names the executable, REQUEST_WORKERS how many cases run at once. Needs Linux and a C compiler: a small
library sets the wall clock of the processes to Monday, 30 November 2026, 8:40 in Lisbon. The network isn't used.
"""

import argparse
import concurrent.futures
import difflib
import importlib
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

sys.dont_write_bytecode = True

import records
from alfred import Failure
from model import ModelServer
from play import play

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
MOST_WRONG = 0.01
COMPILE = 60
"""In seconds."""


class BadCases(Exception):
    """Two requests have the same title, or a theme doesn't exist."""


class NoClock(Exception):
    """There is no C compiler, or it failed."""


@dataclass
class Played:
    theme: str
    title: str
    lines: list
    failure: str = ""
    seconds: float = 0.0


def load(wanted):
    """The requests of the wanted themes, or of all: (theme, request)."""
    themes = sorted(path.stem for path in (HERE / "cases").glob("[a-z]*.py"))
    if unknown := set(wanted) - set(themes):
        raise BadCases(f"no theme {', '.join(sorted(unknown))}; there are: {', '.join(themes)}")
    found = []
    for theme in wanted or themes:
        requests = importlib.import_module(f"cases.{theme}").REQUESTS
        twice = [title for title, count in Counter(one.title for one in requests).items() if count > 1]
        if twice:
            raise BadCases(f"{theme}: two requests are called “{twice[0]}”")
        found += [(theme, one) for one in requests]
    return found


def compile_clock(folder):
    library = Path(folder) / "clock.so"
    command = [os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O1", "-o", library, HERE / "clock.c"]
    try:
        subprocess.run(command, check=True, timeout=COMPILE)
    except (OSError, subprocess.SubprocessError) as error:
        raise NoClock(f"clock.c can't be compiled: {error}") from error
    return library


def play_all(binary, cases, workers):
    with tempfile.TemporaryDirectory() as folder:
        clock, server = compile_clock(folder), ModelServer()

        def one(numbered):
            number, (theme, case) = numbered
            try:
                lines, seconds = play(binary, clock, server, number, case)
                return Played(theme, case.title, lines, seconds=seconds)
            except (Failure, OSError) as error:
                return Played(theme, case.title, [], f"{type(error).__name__}: {error}")

        with concurrent.futures.ThreadPoolExecutor(workers) as threads:
            return list(threads.map(one, enumerate(cases)))


def compare(played, old):
    """Prints what differs from the record. True if nothing does."""
    if played.failure:
        difference = [played.failure]
    elif old is None:
        difference = ["nothing is recorded"] + played.lines
    else:
        difference = list(
            difflib.unified_diff(old.lines, played.lines, "recorded", "shown", n=2, lineterm="")
        )
    if difference:
        print(f"\n{played.theme}: {played.title}", *difference, sep="\n  ")
    return not difference


def print_table(known):
    """The counts for each theme. Returns all of them."""
    print(f"\n{'theme':18}{'served':>9}{'declined':>9}{'wrong':>9}{'judge again':>13}")
    total = Counter()
    for theme, found in known.items():
        counts = Counter(one.verdict for one in found.values())
        total += counts
        print_row(theme, counts)
    print_row("all", total)
    return total


def print_row(name, counts):
    numbers = (counts[verdict] for verdict in records.VERDICTS)
    print(f"{name:18}{next(numbers):9}{next(numbers):9}{next(numbers):9}{next(numbers):13}")


def main():
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("themes", nargs="*")
    arguments.add_argument("--only", default="", help="play only the requests with these words")
    arguments.add_argument("--record", action="store_true", help="write down what is shown now")
    wanted = arguments.parse_args()
    binary = Path(os.environ.get("ALFRED_BIN", TARGET / "debug" / "alfred")).resolve()
    if not binary.exists():
        sys.exit(f"{binary} doesn't exist: cargo build -p alfred-local")
    everything = load(wanted.themes)
    cases = [(theme, one) for theme, one in everything if wanted.only.lower() in one.title.lower()]
    began = time.monotonic()
    played = play_all(binary, cases, int(os.environ.get("REQUEST_WORKERS", "4")))
    known = {theme: records.read(theme) for theme in dict.fromkeys(theme for theme, _ in everything)}
    same = [compare(one, known[one.theme].get(one.title)) for one in played]
    if wanted.record:
        record(played, everything, known)
    slowest = max(played, key=lambda one: one.seconds, default=None)
    print(f"\n{len(played)} requests in {time.monotonic() - began:.0f} s", end="")
    print(f"; the slowest took {slowest.seconds:.0f} s: {slowest.title}" if slowest else "")
    total = print_table(known)
    most = int(MOST_WRONG * total.total())
    print(f"{same.count(False)} differ; {total[records.WRONG]} wrong, at most {most} are allowed.")
    bad = not all(same) and not wanted.record
    sys.exit(bad or total[records.OPEN] > 0 or total[records.WRONG] > most)


def record(played, everything, known):
    """Writes the records of the played requests, in the order of the cases."""
    for one in played:
        if not one.failure:
            old = known[one.theme].get(one.title)
            known[one.theme][one.title] = records.renewed(old, one.title, one.lines)
    for theme, found in known.items():
        titles = [one.title for name, one in everything if name == theme]
        known[theme] = {title: found[title] for title in titles if title in found}
        records.write(theme, known[theme].values())


if __name__ == "__main__":
    try:
        main()
    except (BadCases, NoClock, records.BadRecord) as error:
        sys.exit(str(error))
