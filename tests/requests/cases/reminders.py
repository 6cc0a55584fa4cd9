"""Reminders, some at hours that do not exist."""

from script import REMINDERS, ask, call, jobs

REQUESTS = [
    ask(
        "remind me at 3 to call Ben",
        call("job_createJob", say="Call Ben", date="today", time="15:00"),
        "I will.",
    ),
    ask(
        "remind me in 20 min to drink water",
        call("job_createJob", say="Drink water", inMinutes=20),
        "I will.",
    ),
    ask(
        "every weekday at 8:45 remind me to check the till",
        call("job_createJob", say="Check the till", days=["mon", "tue", "wed", "thu", "fri"], time="08:45"),
        "I will.",
    ),
    ask(
        "remind me at 24:00 to sleep",
        call("job_createJob", say="Sleep", date="today", time="24:00"),
        "I will.",
    ),
    ask(
        "remind me on 28 March 2027 at 01:30 to change the clocks",
        call("job_createJob", say="Change the clocks", date="2027-03-28", time="01:30"),
        "I will.",
    ),
    ask(
        "remind me yesterday at 10 to buy flowers",
        call("job_createJob", say="Buy flowers", date="yesterday", time="10:00"),
        "I will.",
    ),
    ask("remind me to breathe every minute", call("job_createJob", say="Breathe", everyMinutes=1), "I will."),
    ask("what reminders do I have?", call("job_viewJobs"), jobs, things=REMINDERS),
    ask("forget the reminder about Ben", call("job_deleteJob", jobId="ben"), "It is gone.", things=REMINDERS),
    ask(
        "the Ben reminder: make it 4:30",
        call("job_updateJob", jobId="ben", time="16:30"),
        "Moved to 4:30 PM.",
        things=REMINDERS,
    ),
    ask("remind me at 7am to jog", call("job_createJob", say="Jog", date="today", time="07:00"), "I will."),
]
