"""Looking at the day and the week."""

from script import THINGS, ask, call, day, listed, meetings

REQUESTS = [
    ask("what's on today?", call("schedule_viewSchedule"), day, things=THINGS),
    ask("what's on Friday?", call("schedule_viewSchedule", date="friday"), day, things=THINGS),
    ask("how does my week look?", call("schedule_viewWeek"), day, things=THINGS),
    ask(
        "when am I free tomorrow for an hour?",
        call("schedule_findGaps", date="tomorrow", minDuration=60),
        listed("gaps", lambda one: f"{one['startTime']}–{one['endTime']}"),
        things=THINGS,
    ),
    ask(
        "anything after 5 on thursday?",
        call("calendar_viewMeetings", **{"from": "thursday 5pm", "until": "thursday 11pm"}),
        meetings,
        things=THINGS,
    ),
    ask("whats my next meeting", call("calendar_viewMeetings", **{"from": "today"}), meetings, things=THINGS),
    ask(
        "how busy is tomorrow?",
        call("schedule_analyzeUtilization", date="tomorrow"),
        "Lightly: about 16 % is planned, nearly all of it meetings.",
        things=THINGS,
    ),
    ask(
        "what do I have on 31 February?", call("schedule_viewSchedule", date="2026-02-31"), day, things=THINGS
    ),
]
