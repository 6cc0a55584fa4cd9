//! What came of a call of a tool, for models as much as for people.

/// How a tool is called without a model.
pub fn run_usage() -> String {
    "I didn't get that. Try `/alfred run schedule_viewSchedule date=tomorrow`, with quotes around words that belong together.".into()
}

/// A tool there isn't, with the names that come near.
pub fn no_such_tool(name: &str, near: &[String]) -> String {
    if near.is_empty() {
        return format!("There is no tool called {name}.");
    }
    format!(
        "There is no tool called {name}. Did you mean {}?",
        near.join(", ")
    )
}

/// Arguments that a tool can't take; what is wrong names the field.
pub fn bad_call(tool: &str, wrong: &str) -> String {
    format!("{tool} can't take that: {wrong}.")
}

/// A tool said no; its reason is for people as much as for models.
pub fn did_not_work(reason: &str) -> String {
    format!("That didn't work: {}.", reason.trim_end_matches('.'))
}

/// A change to what is so already.
pub fn nothing_would_change() -> &'static str {
    "That is so already."
}

/// An id that nothing has.
pub fn nothing_of_that_id() -> &'static str {
    "There is nothing like that."
}

/// A call whose arguments no tool can read: not a mistake of the person.
pub fn not_asked_rightly() -> &'static str {
    "I asked for it in a way that nothing understands. Put in other words it may work."
}

/// A function of a worker that failed, or gave nothing that can be used.
pub fn not_calculated() -> &'static str {
    "I couldn't calculate that."
}

/// Something was done, all but these lines.
pub fn done_but_for(lines: &str) -> String {
    format!("This couldn't be done:\n{lines}")
}

/// A tool that did its work and has nothing to show.
pub fn done() -> &'static str {
    "Done."
}

/// A call that the configuration blocks; for the model.
pub fn blocked(tool: &str) -> String {
    format!("Not allowed: {tool} is blocked here. Nothing was done.")
}

/// A call while all effects are paused; for the model.
pub fn effects_paused() -> String {
    "Not allowed now: an administrator has paused everything that sends or changes something. Nothing was done. Reading still works.".into()
}

/// A call where approvals are denied; for the model.
pub fn auto_denied(tool: &str) -> String {
    format!(
        "Denied: {tool} needs an approval, and here approvals are always denied. Nothing was done."
    )
}

/// What was approved is no longer what would run.
pub fn drifted() -> String {
    "Not done: what was approved is no longer what would run now. It has to be asked anew.".into()
}

/// The owner said no; for the model.
pub fn rejected(note: Option<&str>) -> String {
    match note {
        Some(note) => format!(
            "The person rejected this, and said: \"{note}\". Nothing was done. Don't call it again unchanged."
        ),
        None => "The person rejected this. Nothing was done. Don't call it again unchanged.".into(),
    }
}

/// A request of the same person's took it back; for the model.
pub fn called_off_unseen() -> String {
    "This was called off before the person decided. Nothing was done. Don't call it again.".into()
}

/// Nobody decided in time.
pub fn expired_unseen() -> String {
    "The approval expired before anybody decided. Nothing was done. The button on its card renews it.".into()
}

/// An effect nobody can tell the outcome of, left so by its owner.
pub fn left_unknown() -> String {
    "Nobody can tell whether this happened, and it was left at that.".into()
}

/// An effect that certainly didn't happen because its provider is away.
pub fn not_reached() -> String {
    "It could not be reached, and certainly nothing was done. It can be asked for again in a moment.".into()
}

/// An effect that certainly didn't happen because its provider asked to wait again and again.
pub fn not_taken_in_time() -> String {
    "The service kept asking to wait, for longer than the approval was good for, so it was given up and certainly nothing was done. It can be asked for again later.".into()
}

/// On the card of what its provider takes later.
pub fn waits_for_provider(minutes: u64) -> String {
    match minutes {
        0 | 1 => "The service takes no more just now; I'll try again in a minute.".into(),
        minutes => format!(
            "The service takes no more just now; I'll try again in about {minutes} minutes."
        ),
    }
}

/// A request that a button makes: which of the things that were offered is meant, by its number from 1.
pub fn the_nth_of_these(number: usize) -> String {
    let nth = match number {
        1 => "first",
        2 => "second",
        3 => "third",
        4 => "fourth",
        _ => "fifth",
    };
    format!("The {nth} of these.")
}

/// Before what was chosen by a button.
pub fn you_chose() -> &'static str {
    "You chose:"
}

/// To a button of a question that was answered otherwise, or is forgotten.
pub fn choice_too_late() -> String {
    "That question isn't open any more. Tell me which one you mean.".into()
}

/// To a second button of the same question.
pub fn chosen_already() -> String {
    "You've chosen already; I'm going on with that one.".into()
}
