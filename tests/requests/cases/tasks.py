"""The list of tasks."""

from script import THINGS, ask, call, clicks, request, says, tasks

REQUESTS = [
    ask(
        "add a task: call the bank, 20 minutes, due Friday",
        call("task_createTask", title="Call the bank", estimatedMinutes=20, dueDate="friday"),
        "Added.",
        things=THINGS,
    ),
    ask("what's on my list?", call("task_viewTasks"), tasks, things=THINGS),
    ask("dentist is done", call("task_completeTask", taskId="dentist"), "Marked as done.", things=THINGS),
    ask(
        "the board report is low priority actually, due next monday",
        call("task_updateTask", taskId="board report", priority="low", dueDate="2026-12-07"),
        "Changed.",
        things=THINGS,
    ),
    request(
        says("delete the train task", call("task_deleteTask", taskId="train"), "Deleted."),
        clicks("Approve"),
        things=THINGS,
    ),
    request(
        says("delete the train task", call("task_deleteTask", taskId="train"), "Deleted."),
        clicks("Reject"),
        things=THINGS,
    ),
    ask(
        "I have 30 minutes, what should I do?",
        call("task_suggestForDuration", duration=30, strategy="mixed"),
        "I suggest calling the dentist or booking the train.",
        things=THINGS,
    ),
    ask(
        "put the brief review into my board report block",
        call("task_assignToTimeBlock", blockId="board report", taskIds=["chiyo's brief"]),
        "Planned.",
        things=THINGS,
    ),
    ask("what is overdue?", call("task_viewTasks", dueUntil="yesterday"), tasks, things=THINGS),
    ask(
        "add these: buy milk, print badges, order chairs",
        [call("task_createTask", title=t) for t in ("Buy milk", "Print badges", "Order chairs")],
        "Added all three.",
        things=THINGS,
    ),
    ask(
        "add task pay rent due 30 feb",
        call("task_createTask", title="Pay rent", dueDate="2027-02-30"),
        "Added.",
        things=THINGS,
    ),
    ask(
        "done with the report thing",
        call("task_completeTask", taskId="report"),
        "Marked as done.",
        things=THINGS,
    ),
    ask(
        "add a task: شراء هدية لأمي",
        call("task_createTask", title="شراء هدية لأمي"),
        "أُضيفت.",
        things=THINGS,
    ),
    ask(
        "the dentist task takes 0 minutes",
        call("task_updateTask", taskId="dentist", estimatedMinutes=0),
        "Changed.",
        things=THINGS,
    ),
]
