"""Who somebody is, and what time it is elsewhere."""

from script import ask, call

REQUESTS = [
    ask("who is Ben?", call("user_lookup", query="Ben"), "Ben Okafor, @ben, in New York."),
    ask("who is Tom?", call("user_lookup", query="Tom"), "Nobody of that name is here."),
    ask("who works here?", call("user_list"), "Ana, Ben and Chiyo."),
    ask(
        "what time is it for Chiyo?",
        call("user_lookup", query="Chiyo"),
        call("time_now", timezone="Asia/Tokyo"),
        lambda results: f"In Tokyo it is {results[-1].get('time')}.",
    ),
    ask(
        "3pm here in New York?",
        call("time_convert", **{"from": "Lisbon", "to": "New York", "time": "15:00"}),
        "10 AM.",
    ),
    ask("what time is it in Springfield?", call("time_now", timezone="Springfield"), "See above."),
    ask(
        "what date is 3 weeks from friday", call("time_add", start="friday", weeks=3), "Friday, 25 December."
    ),
    ask(
        "02:30 on 28 march 2027 in Berlin, what is that here?",
        call("time_convert", **{"from": "Berlin", "to": "Lisbon", "time": "2027-03-28T02:30"}),
        "There is no 02:30 in Berlin that day, as the clocks go forward. 03:30 there is 02:30 here.",
    ),
]
