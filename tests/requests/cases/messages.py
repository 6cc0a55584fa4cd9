"""Messages to other people in Slack."""

from script import THINGS, ask, call, clicks, request, says

REQUESTS = [
    request(
        says(
            "tell Ben that lunch is at noon",
            call("slack_sendMessage", to="@ben", text="Lunch is at noon."),
            "Sent.",
        ),
        clicks("Approve"),
        things=THINGS,
    ),
    request(
        says(
            "tell Ben that lunch is at noon",
            call("slack_sendMessage", to="@ben", text="Lunch is at noon."),
            "Sent.",
        ),
        clicks("Reject"),
        things=THINGS,
    ),
    request(
        says(
            "tell Ben that lunch is at noon",
            call("slack_sendMessage", to="@ben", text="Lunch is at noon."),
            "Sent.",
        ),
        clicks("Edit", "Sent.", types={"text": "Lunch is at one, not at noon."}),
        clicks("Approve"),
        things=THINGS,
    ),
    request(
        says(
            "post in #marketing: the agency review is tomorrow at 2",
            call("slack_sendMessage", to="#marketing", text="The agency review is tomorrow at 2 PM."),
            "Posted.",
        ),
        clicks("Approve"),
        things=THINGS,
    ),
    ask(
        "tell Bob the parcel is here",
        call("slack_sendMessage", to="Bob", text="The parcel is here."),
        "Sent.",
        things=THINGS,
    ),
    request(
        says(
            "tell Ben and Chiyo the offsite is on",
            [
                call("slack_sendMessage", to="@ben", text="The offsite is on."),
                call("slack_sendMessage", to="@chiyo", text="The offsite is on."),
            ],
            "Both have it.",
        ),
        clicks("Approve", oldest=True),
        clicks("Approve"),
        things=THINGS,
    ),
    request(
        says("tell Ben 🎉", call("slack_sendMessage", to="@ben", text="🎉"), "Sent."),
        says("yes"),
        things=THINGS,
    ),
    request(
        says(
            "tell Ben happy birthday", call("slack_sendMessage", to="@ben", text="Happy birthday!"), "Sent."
        ),
        clicks("Approve"),
        says("undo that", call("system_undo"), "Undone."),
        things=THINGS,
    ),
    request(
        says(
            "tell Chiyo: الاجتماع غدا في العاشرة",
            call("slack_sendMessage", to="@chiyo", text="الاجتماع غدا في العاشرة"),
            "Sent.",
        ),
        clicks("Reject, and say why", types={"why not": "she does not read Arabic"}),
        things=THINGS,
    ),
]
