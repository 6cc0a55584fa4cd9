"""Planning a whole day, with wishes."""

from script import THINGS, ask, call, clicks, request, says

REQUESTS = [
    request(says("plan my day", call("workflow_schedule")), clicks("Approve"), things=THINGS),
    request(
        says(
            "Plan tomorrow, no breaks please",
            call("workflow_schedule", date="tomorrow", changes={"noBreaks": True}),
        ),
        clicks("Approve"),
        things=THINGS,
    ),
    request(
        says(
            "plan my day but keep 3-4pm free, school play",
            call("workflow_schedule", changes={"keepFree": [{"from": "15:00", "to": "16:00"}]}),
        ),
        clicks("Approve"),
        things=THINGS,
    ),
    request(
        says(
            "plan wednesday, I start at 10 and stop at 4",
            call("workflow_schedule", date="wednesday", changes={"startAt": "10:00", "endAt": "16:00"}),
        ),
        clicks("Approve"),
        things=THINGS,
    ),
    ask(
        "plna my dya, board report first",
        call("workflow_schedule", changes={"first": ["board report"]}),
        things=THINGS,
    ),
    ask(
        "plan my day, and from now on nobody may book me on Fridays",
        call("workflow_schedule", changes={"unmet": ["nobody may book me on Fridays"]}),
        things=THINGS,
    ),
]
