"""Reading and finding mail."""

from script import ask, call, mails


def words(results):
    return results[-1].get("email", {}).get("text", "")[:400]


REQUESTS = [
    ask("any new mail?", call("email_getBacklog", limit=5), mails),
    ask(
        "what does Marta want?",
        call("email_readEmail", emailId="Marta"),
        "She wants to know today whether to send the signed extension of the Nordwood contract; "
        "it expires on Tuesday.",
    ),
    ask(
        "summarize the offsite thread",
        call("email_viewEmails", query="offsite"),
        "Ben suggests Sintra, Chiyo agrees, and Ben needs your yes or no by Friday.",
    ),
    ask("anything from Tom?", call("email_viewEmails", **{"from": "tom"}), mails),
    ask("find the invoice from the agency", call("email_viewEmails", query="invoice"), mails),
    ask("show the mail about the offsite", call("email_readEmail", emailId="offsite"), words),
    ask("what did I last send to Tom?", call("email_viewEmails", sent=True, **{"from": "tom"}), mails),
    ask(
        "has Marta answered my mail about Nordwood?",
        call("email_viewEmails", sent=True, query="Nordwood"),
        lambda results: [call("email_checkAnswered", emailId=results[0]["emails"][0]["id"])],
        "No, she has not answered yet.",
    ),
]
