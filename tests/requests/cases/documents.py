"""Documents and sheets."""

from script import LONG, ask, call, clicks, request, says

REQUESTS = [
    request(
        says(
            "draft a document about the repair programme",
            call(
                "docs_createDocument",
                title="Repair programme",
                text="# Repair programme\n\nWe repair every chair for ten years.",
            ),
            "It is ready.",
        ),
        says("undo", call("system_undo"), "Gone again."),
    ),
    request(
        says(
            "add to the offsite notes: Chiyo joins remotely on day one",
            call(
                "docs_appendToDocument", documentId="offsite notes", text="- Chiyo joins remotely on day one"
            ),
            "Added.",
        ),
        clicks("Approve"),
    ),
    ask(
        "what did we decide for the offsite?",
        call("docs_readDocument", documentId="offsite notes"),
        "No slides, and dinner at the house.",
    ),
    request(
        says(
            "the train is at 9:11, fix it in the notes",
            call(
                "docs_updateDocument",
                documentId="offsite notes",
                oldText="train at 08:41",
                newText="train at 09:11",
            ),
            "Fixed.",
        ),
        clicks("Approve"),
    ),
    request(
        says(
            "delete the offsite notes",
            call("docs_deleteDocument", documentId="offsite notes"),
            "They are in the bin.",
        ),
        clicks("Approve"),
        says("undo", call("system_undo"), "They are back."),
    ),
    ask(
        "which of my documents says something about cars?",
        call("docs_findDocuments", words="cars"),
        lambda results: f"That is {results[0]['documents'][0]['title']}.",
    ),
    ask(
        "how large are the offsite notes?",
        call("docs_findDocuments", words="offsite notes"),
        lambda results: f"They have {results[0]['documents'][0]['size']}.",
    ),
    request(
        says(
            "mail the offsite notes to Ben",
            call(
                "email_sendEmail",
                to=["Ben"],
                subject="Offsite notes",
                text="Hi Ben,\n\nhere are the notes.\n\nAna",
                attach=[{"document": "offsite notes"}],
            ),
            "Sent.",
        ),
        clicks("Approve"),
    ),
    ask(
        "share the offsite notes with Chiyo",
        call("docs_shareDocument", documentId="offsite notes", person="Chiyo", access="reader"),
        "They are shared.",
    ),
    request(
        says(
            "set dinner to paid in the offsite budget",
            call("sheets_readSheet", sheetId="offsite budget"),
            call("sheets_updateCells", sheetId="offsite budget", range="C4", values=[["TRUE"]]),
            "Done.",
        ),
        clicks("Approve"),
    ),
    request(
        says(
            "add a row to the budget: Taxi, 45, not paid",
            call("sheets_appendRows", sheetId="offsite budget", rows=[["Taxi", "45", "FALSE"]]),
            "Added.",
        ),
        clicks("Approve"),
    ),
    ask(
        "save this as a document called Trip: " + LONG,
        call("docs_createDocument", title="Trip", text=LONG),
        "Saved.",
    ),
]
