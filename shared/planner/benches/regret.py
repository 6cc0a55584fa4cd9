"""Sets the exact optimum (CP-SAT) beside the planner's placements of 500 days.

python3 shared/planner/benches/regret.py    installs ortools into target/ortools
"""

import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
ORTOOLS = "ortools==9.15.6755"
PAUSE = [0, 2, 5, 5]
FIRST, LATER, LAST = 64, 4, 15


def solver():
    place = TARGET / "ortools"
    if not place.exists():
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(place), ORTOOLS]
        subprocess.run(pip, check=True)
    sys.path.insert(0, str(place))
    from ortools.sat.python import cp_model

    return cp_model


def days():
    out = TARGET / "varied-days.json"
    command = ["cargo", "bench", "-p", "alfred-planner", "--bench", "varied_days"]
    subprocess.run(command, check=True, cwd=ROOT, env={**os.environ, "VARIED_DAYS_OUT": str(out)})
    return json.loads(out.read_text())


def model(cp, rooms, jobs):
    """The objective of shared/planner/README.md, written down a second time: a worth for each tier."""
    m = cp.CpModel()
    count = len(rooms)
    crossing = [[] for _ in rooms]
    filled = [[] for _ in rooms]
    begins = [[] for _ in rooms]
    worth = [[] for _ in range(4)]
    for j, (minutes, tier, score, split) in enumerate(jobs):
        x = [m.new_int_var(0, min(minutes, room), f"x{j},{r}") for r, room in enumerate(rooms)]
        start = [m.new_bool_var(f"s{j},{r}") for r in range(count)]
        # It goes on in the next stretch, or is left unfinished in the last.
        on = [m.new_bool_var(f"o{j},{r}") for r in range(count)]
        here = [start[r] + (on[r - 1] if r else 0) for r in range(count)]
        for r in range(count):
            m.add(here[r] <= 1)
            m.add(on[r] <= here[r])
            m.add(x[r] <= minutes * here[r])
            m.add(x[r] >= here[r])
            if split is None:
                m.add(on[r] == 0)
            else:
                begun, left = split
                m.add(x[r] >= begun).only_enforce_if(start[r], on[r])
                m.add(x[r] <= minutes - left).only_enforce_if(start[r], on[r])
                begins[r].append((start[r], on[r]))
            if r:
                # What goes on from before to behind fills the stretch.
                m.add(x[r] == rooms[r]).only_enforce_if(on[r - 1], on[r])
            crossing[r].append(on[r])
            filled[r].append(x[r])
            worth[tier].append(x[r] * score * (FIRST - LATER * min(r, LAST)))
            worth[tier].append(on[r] * -PAUSE[tier] * FIRST * score)
        placed = m.new_bool_var(f"p{j}")
        m.add(sum(start) == placed)
        m.add(sum(x) <= minutes)
        m.add(sum(x) == minutes).only_enforce_if(placed, on[count - 1].negated())
    for r, room in enumerate(rooms):
        m.add(sum(filled[r]) <= room)
        m.add(sum(crossing[r]) <= 1)
        for begun in begins[r]:
            # It takes all that is left of the stretch.
            m.add(sum(filled[r]) == room).only_enforce_if(*begun)
    return m, worth


def optimum(cp, day):
    """The best worth of each tier, the first tier first."""
    if not day["rooms"] or not day["jobs"]:
        return [0, 0, 0, 0]
    m, worth = model(cp, day["rooms"], day["jobs"])
    best = []
    for tier in range(4):
        if not worth[tier]:
            best.append(0)
            continue
        m.maximize(sum(worth[tier]))
        search = cp.CpSolver()
        search.parameters.max_time_in_seconds = 60
        search.parameters.num_workers = 2
        status = search.solve(m)
        if status != cp.OPTIMAL:
            raise SystemExit(f"day {day['day']}: {search.status_name(status)}")
        found = round(search.objective_value)
        best.append(found)
        m.add(sum(worth[tier]) == found)
    return best


def main():
    cp = solver()
    ours, theirs, equal, found = [0] * 4, [0] * 4, 0, [0] * 4
    for day in days():
        best = optimum(cp, day)
        if day["worth"] == best:
            equal += 1
        else:
            print(f"day {day['day']}: {day['worth']} of {best}")
        for tier in range(4):
            ours[tier] += day["worth"][tier]
            theirs[tier] += day["greedy"][tier]
            found[tier] += best[tier]
    print(f"\noptimal days: {equal}")
    print("| worth by tier | wanted first | due | due the day after | the rest |")
    print("|---|---:|---:|---:|---:|")
    for name, sums in [("the planner", ours), ("greedy", theirs), ("CP-SAT", found)]:
        print(f"| {name} | " + " | ".join(str(one) for one in sums) + " |")


main()
