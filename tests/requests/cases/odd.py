"""Greetings, one sign, a long text, and a yes to nothing."""

from script import LONG, ask, call, request, says

REQUESTS = [
    ask("hi", "Good morning, Ana. What can I do for you?"),
    ask("thanks!", "You're welcome."),
    ask("?", "What would you like me to do?"),
    ask("🎉", "🎉"),
    ask("yes", "There is nothing waiting for a yes. What do you mean?"),
    ask("stop", "There is nothing to stop."),
    ask(LONG + " What do you think?", "It sounds like a good trip with a late train."),
    request(says("cancel that", call("approval_list"), "Nothing is waiting.")),
]
