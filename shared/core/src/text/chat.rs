//! What people read in a chat with one worker.

/// What a worker's chat begins with in a terminal.
pub fn chat_opens(worker: &str) -> String {
    format!("You are talking to {worker}. /new begins anew, /exit leaves.")
}

/// What a worker's thread in Slack begins with. Slack takes what begins with a slash for a command of its own.
pub fn chat_thread_opens(worker: &str) -> String {
    format!(
        "This thread is a conversation with {worker}: write what you want to say in it. With a space before it, /new begins anew, and /exit ends it."
    )
}

/// A thread is no chat any more.
pub fn chat_left() -> String {
    "That was it. If you write here again, I answer myself.".into()
}

/// Nobody by that name can be talked to.
pub fn no_such_worker(name: &str) -> String {
    format!("I have no worker called {name} to talk to.")
}

/// All that was said is forgotten.
pub fn chat_begins_anew() -> String {
    "All right, from the beginning: what we said here is forgotten.".into()
}

/// A chat that is too long, and couldn't be shortened.
pub fn chat_is_full() -> String {
    "This conversation has become longer than I can keep in mind. Say /new, and we begin anew."
        .into()
}

/// What can be typed behind a card in a terminal.
pub fn chat_choices(can_be_changed: bool, can_be_remembered: bool) -> String {
    let mut choices = vec!["y: yes", "n: no (a reason may follow)"];
    if can_be_changed {
        choices.push("e: change it first");
    }
    if can_be_remembered {
        choices.push("r: yes, and the same again for 12 hours");
    }
    choices.join(" · ")
}

/// How a call is changed in a terminal.
pub fn chat_changes() -> String {
    "Write what should stand there instead; an empty line keeps it.".into()
}

/// How a proposal is changed in a terminal.
pub fn chat_wishes() -> String {
    "What should be different?".into()
}

/// A card that nobody answered.
pub fn chat_still_waits() -> String {
    "It still waits for you; `alfred approvals list` shows it.".into()
}
