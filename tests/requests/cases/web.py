"""The web, and what Alfred can't do."""

from script import ask, call

REQUESTS = [
    ask(
        "search the web for chair repair prices",
        call("web_search", query="chair repair prices"),
        "Here it is.",
    ),
    ask("order a pizza", "I can't order food."),
    ask("read http://127.0.0.1:9/x for me", call("web_readPage", url="http://127.0.0.1:9/x"), "Read."),
    ask("call my mother", "I can't make phone calls. I can remind you to call her."),
    ask("what's the weather in Porto?", call("web_search", query="weather Porto"), "Sunny."),
    ask("pay the agency invoice", "I can't pay. I can remind you before it is due on Friday, 11 December."),
]
