"""Ana's settings."""

from script import ask, call, clicks, request, says

REQUESTS = [
    ask(
        "I work 8 to 16 from now on",
        call("preference_updatePreferences", workStartTime="08:00", workEndTime="16:00"),
        "Noted.",
    ),
    ask("lunch at 1 please, always", call("preference_updatePreferences", lunchTime="13:00"), "Noted."),
    ask("be more detailed", call("preference_updatePreferences", verbosity="detailed"), "I will."),
    ask("I'm in Tokyo now", call("preference_updatePreferences", timezone="Tokyo"), "Noted."),
    ask("my time zone is Mars", call("preference_updatePreferences", timezone="Mars"), "Noted."),
    ask(
        "I start at 18:00 and stop at 9:00",
        call("preference_updatePreferences", workStartTime="18:00", workEndTime="09:00"),
        "Noted.",
    ),
    request(
        says(
            "don't write to me unasked",
            call("preference_updatePreferences", proactiveNotifications=False),
            "I will not.",
        ),
        clicks("Undo"),
    ),
]
