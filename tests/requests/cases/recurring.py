"""What Alfred does again and again."""

from script import REMINDERS, ask, call, request, says

REQUESTS = [
    ask(
        "give me a morning brief at 8 on weekdays",
        call("job_createJob", kind="brief", time="08:00", days=["mon", "tue", "wed", "thu", "fri"]),
        "You get it.",
    ),
    ask(
        "every friday at 4 summarize my week",
        call("job_createJob", request="Summarize my week.", days=["fri"], time="16:00"),
        "I will.",
    ),
    ask(
        "pause the brief", call("job_updateJob", jobId="brief", status="paused"), "Paused.", things=REMINDERS
    ),
    request(
        says("pause the brief", call("job_updateJob", jobId="brief", status="paused"), "Paused."),
        says("ok resume it", call("job_updateJob", jobId="brief", status="active"), "It is back."),
        things=REMINDERS,
    ),
    ask(
        "warn me 10 minutes before each meeting",
        call("job_createJob", kind="meetingReminder", minutesBefore=10),
        "I will.",
    ),
    ask("tell me when a meeting lands on a focus block", call("job_createJob", kind="focusGuard"), "I will."),
    ask(
        "stop the morning brief for good",
        call("job_deleteJob", jobId="brief"),
        "It is gone.",
        things=REMINDERS,
    ),
    ask(
        "brief at 7 instead, also on saturdays",
        call("job_updateJob", jobId="brief", time="07:00", days=["mon", "tue", "wed", "thu", "fri", "sat"]),
        "Changed.",
        things=REMINDERS,
    ),
]
