"""Undo, and what was done today."""

from script import THINGS, ask, call, clicks, request, says

REQUESTS = [
    request(
        says("add a task: water plants", call("task_createTask", title="Water plants"), "Added."),
        says("undo", call("system_undo"), "Taken back."),
    ),
    request(
        says("add a task: water plants", call("task_createTask", title="Water plants"), "Added."),
        clicks("Undo"),
    ),
    ask("undo", call("system_undo"), "Taken back."),
    request(
        says("add a task: water plants", call("task_createTask", title="Water plants"), "Added."),
        says("undo", call("system_undo"), "Taken back."),
        says("undo again", call("system_undo"), "Taken back."),
    ),
    request(
        says("delete the train task", call("task_deleteTask", taskId="train"), "Deleted."),
        clicks("Approve"),
        says("no wait, bring it back", call("system_undo"), "It is back."),
        things=THINGS,
    ),
    request(
        says("plan my day", call("workflow_schedule")),
        clicks("Approve"),
        says("what did you do today?", call("system_showWorkflowHistory"), "I planned your day."),
        things=THINGS,
    ),
    request(
        says("plan my day", call("workflow_schedule")),
        clicks("Approve"),
        clicks("Undo all of it"),
        things=THINGS,
    ),
    ask("what did you do today?", call("system_showWorkflowHistory"), "Nothing so far."),
]
