"""Meetings with others: finding a time and booking it."""

from script import ask, call, clicks, request, says, times

REQUESTS = [
    ask(
        "find time with Ben tomorrow",
        call("calendar_findTimes", attendees=["@ben"], **{"from": "tomorrow", "until": "tomorrow"}),
        times,
    ),
    request(
        says(
            "30 min with Ben and Chiyo this week about the budget",
            call("calendar_scheduleMeeting", attendees=["@ben", "@chiyo"], title="Budget"),
            "It is booked.",
        ),
        clicks("Approve"),
    ),
    request(
        says(
            "book Ben tomorrow at 9",
            call("calendar_scheduleMeeting", attendees=["@ben"], preferredTimes=["tomorrow 9:00"]),
            "9 is taken. When else?",
        ),
        clicks(
            "Tue 1 Dec, 13:00",
            call("calendar_scheduleMeeting", attendees=["@ben"], preferredTimes=["2026-12-01T13:00"]),
            "Booked.",
        ),
        clicks("Approve"),
    ),
    request(
        says(
            "weekly 1:1 with Chiyo, mondays at 9",
            call(
                "calendar_scheduleMeeting",
                attendees=["@chiyo"],
                title="1:1 Ana and Chiyo",
                preferredTimes=["2026-12-07T09:00"],
                repeat="FREQ=WEEKLY;BYDAY=MO",
            ),
            "Booked.",
        ),
        clicks("Approve"),
    ),
    request(
        says(
            "meeting with tom@nordwood.example on 8 December at 10, with Ben",
            call(
                "calendar_scheduleMeeting",
                attendees=["tom@nordwood.example", "@ben"],
                title="Spring deliveries",
                preferredTimes=["2026-12-08T10:00"],
            ),
            "Booked.",
        ),
        clicks("Approve"),
    ),
    ask("book a meeting with Cleo", call("calendar_scheduleMeeting", attendees=["Cleo"]), "Booked."),
    ask(
        "meeting yesterday at 3 with Ben",
        call("calendar_scheduleMeeting", attendees=["@ben"], preferredTimes=["2026-11-29T15:00"]),
        "Booked.",
    ),
    request(
        says(
            "lunch with Ben on Wednesday at 1 for an hour",
            call(
                "calendar_scheduleMeeting",
                attendees=["@ben"],
                title="Lunch",
                duration=60,
                preferredTimes=["2026-12-02T13:00"],
            ),
            "Booked.",
        ),
        clicks("Edit", "Booked.", types={"title": "Long lunch"}),
        clicks("Approve"),
    ),
    request(
        says(
            "put the concert on Friday 20:00 at the Opera in my calendar",
            call(
                "calendar_scheduleMeeting",
                title="Concert",
                duration=120,
                preferredTimes=["2026-12-04T20:00"],
                location="Opera",
            ),
            "It is in your calendar.",
        ),
        clicks("Approve"),
        says("undo", call("system_undo"), "It has a button."),
        clicks("Undo"),
    ),
    request(
        says(
            "dentist today at 10",
            call("calendar_scheduleMeeting", title="Dentist", preferredTimes=["2026-11-30T10:00"]),
            "It is in your calendar.",
        ),
        clicks("Approve"),
    ),
]
