"""Sorting the inbox."""

from script import ask, call, clicks, request, says

REQUESTS = [
    request(says("triage my inbox", call("workflow_fillEmailBlock")), clicks("Approve")),
    request(
        says("triage my inbox", call("workflow_fillEmailBlock")),
        clicks(
            "Modify",
            call("system_modifyProposal", changes={"keep": ["Design Weekly"]}),
            "It is on the new card.",
            types={"different": "keep Design Weekly"},
        ),
        clicks("Approve"),
    ),
    ask(
        "archive Ledgerly's summary",
        call("email_processEmail", emailId="Ledgerly", action="archive"),
        "Archived.",
    ),
    request(
        says(
            "unsubscribe from Design Weekly",
            call("email_processEmail", emailId="Design Weekly", action="unsubscribe"),
            "I asked them to take you off the list.",
        ),
        clicks("Approve"),
    ),
    ask(
        "unsubscribe me from Nuno Faria",
        call("email_processEmail", emailId="Nuno", action="unsubscribe"),
        "You are off the list.",
    ),
    request(
        says(
            "archive the receipt from the font people",
            call("email_processEmail", emailId="Fontfoundry", action="archive"),
            "Archived.",
        ),
        says("undo", call("system_undo"), "It is back."),
    ),
    ask("make a task of Marta's mail", call("email_createTaskFromEmail", emailId="Marta"), "Added."),
    ask(
        "keep the mails of Tom for later",
        call("email_viewEmails", **{"from": "tom"}),
        lambda results: [call("email_markBatch", emailIds=[mail["id"] for mail in results[0]["emails"]])],
        "Kept for later.",
    ),
    ask(
        "which mails need an answer?",
        call("email_getBacklog"),
        lambda results: [
            call("email_batchCategorize", emailIds=[mail["id"] for mail in results[0]["emails"]])
        ],
        "Marta, Ben, Tom, Nuno and Jörg wait for an answer.",
    ),
]
