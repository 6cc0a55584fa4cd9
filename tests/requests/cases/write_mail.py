"""Answering, forwarding and writing mail."""

from script import ask, call, clicks, request, says

REQUESTS = [
    request(
        says(
            "reply to Chiyo's brief mail: I'll read it by Wednesday",
            call(
                "email_processEmail",
                emailId="Research brief",
                action="send_reply",
                replyText="Hi Chiyo,\n\nI'll read it by Wednesday.\n\nAll the best\nAna",
            ),
            "Sent.",
        ),
        clicks("Approve"),
    ),
    request(
        says(
            "tell Marta yes, send it",
            call(
                "email_processEmail",
                emailId="Marta",
                action="send_reply",
                replyText="Dear Marta,\n\nYes, please send it.\n\nAll the best\nAna",
            ),
            "Sent.",
        ),
        clicks(
            "Edit",
            "Sent.",
            types={"text": "Dear Marta,\n\nYes, please send it today.\n\nAna"},
        ),
        clicks("Approve"),
    ),
    ask(
        "draft an answer to Nuno's questions",
        call(
            "email_processEmail",
            emailId="Nuno",
            action="draft_reply",
            replyText="Hello Nuno,\n\nabout 40 chairs a year come back, and yes, our prices are public.\n\n"
            "Ana",
        ),
        "The draft is ready.",
    ),
    request(
        says(
            "reply all on the offsite: yes, reserve it, 12 for dinner",
            call("email_viewEmails", query="They hold the room"),
            lambda results: [
                call(
                    "email_processEmail",
                    emailId=results[0]["emails"][0]["id"],
                    action="send_reply",
                    replyText="Yes, please reserve it. We are 12 for dinner.\n\nAna",
                    replyAll=True,
                )
            ],
            "Sent.",
        ),
        clicks("Approve"),
    ),
    request(
        says(
            "answer Joana that we can talk on Thursday",
            call(
                "email_processEmail",
                emailId="Joana",
                action="send_reply",
                replyText="Dear Joana,\n\nwe can talk on Thursday.\n\nAna",
            ),
            "Sent.",
        ),
        clicks("Reject"),
    ),
    request(
        says(
            "forward the agency invoice to Ben",
            call("email_viewEmails", query="AN-1187"),
            lambda results: [call("email_sendEmail", to=["@ben"], forward=results[0]["emails"][0]["id"])],
            "Forwarded.",
        ),
        clicks("Approve"),
    ),
    ask(
        "email Cleo that I am late",
        call("email_sendEmail", to=["Cleo"], subject="Late", text="I am late."),
        "Sent.",
    ),
    request(
        says(
            "write to marta.reis@harbourlegal.example, subject Thanks: thank you!",
            call(
                "email_sendEmail",
                to=["marta.reis@harbourlegal.example"],
                subject="Thanks",
                text="Thank you!\n\nAna",
            ),
            "Sent.",
        ),
        says("yes"),
    ),
    request(
        says(
            "answer Tom: Tuesday at 10 works",
            call(
                "email_processEmail",
                emailId="Meeting next week",
                action="send_reply",
                replyText="Hello Tom,\n\nTuesday at 10 works.\n\nAna",
            ),
            call(
                "email_processEmail",
                emailId="Meeting next week",
                action="send_reply",
                replyText="Hello Tom,\n\nWednesday at 3 PM works.\n\nAna",
            ),
            "Sent.",
        ),
        says(
            "no, say Wednesday at 3 pm",
            call(
                "email_processEmail",
                emailId="Meeting next week",
                action="send_reply",
                replyText="Hello Tom,\n\nWednesday at 3 PM works.\n\nAna",
            ),
            "Sent.",
        ),
        clicks("Approve"),
    ),
    ask(
        "reply to Tom",
        call("email_processEmail", emailId="Tom", action="draft_reply"),
        "What shall I answer?",
    ),
]
