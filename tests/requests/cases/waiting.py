"""What waits for a yes, and filling a work block."""

from script import THINGS, ask, call, clicks, request, says

REQUESTS = [
    request(
        says(
            "tell Ben lunch is at noon",
            call("slack_sendMessage", to="@ben", text="Lunch is at noon."),
            "Sent.",
        ),
        says("what is waiting for me?", call("approval_list"), "A message to Ben waits for your yes."),
        things=THINGS,
    ),
    request(
        says(
            "tell Ben lunch is at noon",
            call("slack_sendMessage", to="@ben", text="Lunch is at noon."),
            "Sent.",
        ),
        says("no"),
        things=THINGS,
    ),
    request(
        says("fill my board report block", call("workflow_fillWorkBlock", blockId="board report")),
        clicks("Approve"),
        things=THINGS,
    ),
    ask(
        "just fill the board report block",
        call("schedule_fillWorkBlock", blockId="board report"),
        "Filled.",
        things=THINGS,
    ),
]
