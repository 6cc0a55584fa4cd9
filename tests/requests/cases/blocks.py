"""Blocks of the day: making, moving and deleting them, and times that make no sense."""

from script import THINGS, ask, call, clicks, request, says

REQUESTS = [
    ask(
        "block 4 to 5 this afternoon for the board report",
        call(
            "schedule_createTimeBlock",
            date="today",
            startTime="16:00",
            endTime="17:00",
            title="Board report, part two",
            type="work",
        ),
        "Blocked.",
        things=THINGS,
    ),
    ask(
        "move the lunch to 1",
        call("schedule_moveTimeBlock", blockId="lunch", newStartTime="13:00"),
        "Lunch is at 1 PM.",
        things=THINGS,
    ),
    ask(
        "put lunch at 12 tomorrow, 45 min",
        call(
            "schedule_createTimeBlock",
            date="tomorrow",
            startTime="12:00",
            endTime="12:45",
            title="Lunch",
            type="break",
        ),
        "Done.",
        things=THINGS,
    ),
    request(
        says("delete the e-mail block", call("schedule_deleteTimeBlock", blockId="e-mail"), "Deleted."),
        clicks("Approve"),
        things=THINGS,
    ),
    ask(
        "move the board report to 24:00",
        call("schedule_moveTimeBlock", blockId="board report", newStartTime="24:00"),
        "Moved.",
        things=THINGS,
    ),
    ask(
        "block 9 to 10 yesterday for travel",
        call(
            "schedule_createTimeBlock",
            date="yesterday",
            startTime="09:00",
            endTime="10:00",
            title="Travel",
            type="blocked",
        ),
        "Blocked.",
        things=THINGS,
    ),
    ask(
        "coffee 10:15 to 10:45 today",
        call(
            "schedule_createTimeBlock",
            date="today",
            startTime="10:15",
            endTime="10:45",
            title="Coffee",
            type="break",
        ),
        "It is in, but it overlaps your team meeting.",
        things=THINGS,
    ),
    ask(
        "move lunch and email half an hour later",
        [
            call("schedule_moveTimeBlock", blockId="lunch", newStartTime="13:00"),
            call("schedule_moveTimeBlock", blockId="e-mail", newStartTime="14:30"),
        ],
        "Both moved.",
        things=THINGS,
    ),
    ask(
        "🎉 friday 4-5pm",
        call(
            "schedule_createTimeBlock",
            date="friday",
            startTime="16:00",
            endTime="17:00",
            title="🎉",
            type="blocked",
        ),
        "Done.",
        things=THINGS,
    ),
    ask(
        "block 14:00 to 13:00 today",
        call(
            "schedule_createTimeBlock",
            date="today",
            startTime="14:00",
            endTime="13:00",
            title="Blocked",
            type="blocked",
        ),
        "Blocked.",
        things=THINGS,
    ),
    ask(
        "move the team lunch to tomorrow",
        call("schedule_moveTimeBlock", blockId="team lunch", newDate="tomorrow", newStartTime="12:30"),
        "Moved.",
        things=THINGS,
    ),
]
