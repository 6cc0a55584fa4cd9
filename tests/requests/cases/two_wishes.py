"""Two wishes in one message, and changes in the next."""

from script import THINGS, ask, call, clicks, day, request, says, tasks

REQUESTS = [
    request(
        says(
            "move lunch to 1 and tell Ben",
            [
                call("schedule_moveTimeBlock", blockId="lunch", newStartTime="13:00"),
                call("slack_sendMessage", to="@ben", text="My lunch is at 1 PM now."),
            ],
            "Lunch is moved and Ben knows.",
        ),
        clicks("Approve"),
        things=THINGS,
    ),
    request(
        says(
            "move lunch to 1 and tell Ben",
            [
                call("schedule_moveTimeBlock", blockId="lunch", newStartTime="13:00"),
                call("slack_sendMessage", to="@ben", text="My lunch is at 1 PM now."),
            ],
            "Lunch is moved.",
        ),
        clicks("Reject"),
        things=THINGS,
    ),
    ask(
        "add call mum to my tasks and remind me at 6pm",
        [
            call("task_createTask", title="Call mum"),
            call("job_createJob", say="Call mum", date="today", time="18:00"),
        ],
        "Both done.",
    ),
    request(
        says(
            "dentist is done, and delete the train one",
            [call("task_completeTask", taskId="dentist"), call("task_deleteTask", taskId="train")],
            "Done.",
        ),
        clicks("Approve"),
        things=THINGS,
    ),
    ask(
        "whats on today and whats on my list",
        [call("schedule_viewSchedule"), call("task_viewTasks")],
        lambda results: day(results) + "\n" + tasks(results),
        things=THINGS,
    ),
    request(
        says("add a task: order badges", call("task_createTask", title="Order badges"), "Added."),
        says(
            "make it high priority and due friday",
            call("task_updateTask", taskId="order badges", priority="high", dueDate="friday"),
            "Changed.",
        ),
        says("undo that", call("system_undo"), "Back to before."),
    ),
]
