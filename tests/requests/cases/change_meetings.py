"""Meetings that are already in the calendar: moving, cancelling and answering them."""

from script import THINGS, ask, call, clicks, request, says

REQUESTS = [
    request(
        says(
            "cancel the 3 pm",
            call("schedule_deleteTimeBlock", blockId="Prepare the campaign review"),
            "Cancelled.",
        ),
        clicks("Approve"),
        things=THINGS,
    ),
    request(
        says(
            "cancel the team meeting today",
            call("calendar_viewMeetings", **{"from": "today", "until": "tomorrow"}),
            lambda results: [call("calendar_cancelMeeting", eventId=results[0]["meetings"][0]["eventId"])],
            "Cancelled.",
        ),
        clicks("Approve"),
    ),
    request(
        says(
            "move the team meeting to 11:30",
            call("calendar_rescheduleMeeting", eventId="team meeting", newTime="11:30"),
            "Moved.",
        ),
        clicks("Approve"),
    ),
    request(
        says(
            "move my 1:1 with Ben to Thursday at 3",
            call("calendar_rescheduleMeeting", eventId="1:1 Ana and Ben", newTime="2026-12-03T15:00"),
            "Moved.",
        ),
    ),
    request(
        says(
            "decline the campaign review",
            call("calendar_answerInvitation", eventId="campaign review", answer="declined"),
            "Declined.",
        ),
        clicks("Approve"),
    ),
    request(
        says(
            "actually I can come to the supplier drinks",
            call("calendar_answerInvitation", eventId="supplier drinks", answer="accepted"),
            "Accepted.",
        ),
        clicks("Approve"),
    ),
    request(
        says(
            "cancel all team meetings",
            call("calendar_viewMeetings", **{"from": "today"}),
            lambda results: [call("calendar_cancelMeeting", eventId=results[0]["meetings"][0]["seriesId"])],
            "Cancelled.",
        ),
        clicks("Approve"),
    ),
    request(
        says(
            "move the team meeting to 11:30",
            call("calendar_rescheduleMeeting", eventId="team meeting", newTime="11:30"),
            "Moved.",
        ),
        clicks("Approve"),
        says("undo", call("system_undo"), "It is back at 10."),
    ),
    ask("cancel the budget meeting", call("calendar_cancelMeeting", eventId="budget meeting"), "Cancelled."),
    request(
        says(
            "add tom@nordwood.example to today's team meeting, in Room 2",
            call(
                "calendar_changeMeeting",
                eventId="team meeting",
                add=["tom@nordwood.example"],
                location="Room 2",
            ),
            "Done.",
        ),
        clicks("Approve"),
    ),
    request(
        says(
            "take Chiyo out of today's team meeting",
            call("calendar_changeMeeting", eventId="team meeting", remove=["Chiyo"]),
            "Done.",
        ),
        clicks("Approve"),
    ),
    ask(
        "the campaign review is in Room 5 now, tell everybody",
        call("calendar_changeMeeting", eventId="campaign review", location="Room 5"),
        "Only its organiser can change it.",
    ),
]
