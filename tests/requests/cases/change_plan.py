"""Changing or refusing the plan of a day that Alfred proposed."""

from script import THINGS, call, clicks, request, says, summary

REQUESTS = [
    request(
        says("plan my day", call("workflow_schedule")),
        clicks(
            "Modify",
            call("system_modifyProposal", changes={"lunchAt": "13:00", "noEmail": True}),
            "It is on the new card.",
            types={"different": "lunch at 1 and no e-mail block"},
        ),
        clicks("Approve"),
        things=THINGS,
    ),
    request(says("plan my day", call("workflow_schedule")), clicks("Cancel"), things=THINGS),
    request(
        says("Plan my day", call("workflow_schedule"), summary),
        says(
            "make lunch half an hour and start with the dentist",
            call("system_modifyProposal", changes={"lunchMinutes": 30, "first": ["Call the dentist"]}),
            "It is on the new card.",
        ),
        says("yes", "The new plan waits on its card. Press Approve there."),
        things=THINGS,
    ),
    request(
        says("Plan my day", call("workflow_schedule"), summary),
        says(
            "make lunch half an hour and start with the dentist",
            call("system_modifyProposal", changes={"lunchMinutes": 30, "first": ["Call the dentist"]}),
            "It is on the new card.",
        ),
        clicks("Approve"),
        things=THINGS,
    ),
]
