//! What stands on a card: why it is asked, whom it reaches, and what is shown elsewhere.

/// A reason.
pub fn reason_outward() -> String {
    "it reaches other people".into()
}

/// A reason.
pub fn reason_destructive() -> String {
    "it can't be undone".into()
}

/// A reason.
pub fn reason_always() -> String {
    "this is always asked".into()
}

/// A reason.
pub fn reason_tool() -> String {
    "it asks by default".into()
}

/// A reason.
pub fn reason_configured() -> String {
    "an administrator wants it asked".into()
}

/// A reason: what the file of a worker says, or its own tool.
pub fn reason_worker_asks() -> String {
    "this worker asks before it does that".into()
}

/// A reason.
pub fn reason_unknown_outcome() -> String {
    "it may have happened already, and repeating it could do it twice".into()
}

/// A reason: the three that met.
pub fn reason_rule_of_two(untrusted: &[String], private: &[String]) -> String {
    format!(
        "three things meet in this request: other people's words ({}), private data ({}), and something that leaves to others",
        sources(untrusted),
        sources(private)
    )
}

/// Where words came from, as a person knows it: tools are called by what they look at.
pub(super) fn sources(from: &[String]) -> String {
    let mut known: Vec<&str> = Vec::new();
    for source in from.iter().map(|from| source(from)) {
        if !known.contains(&source) {
            known.push(source);
        }
    }
    known.join(", ")
}

fn source(from: &str) -> &str {
    match from.split_once('_').map_or(from, |(toolset, _)| toolset) {
        "email" => "your mail",
        "calendar" => "your calendar",
        "docs" => "your documents",
        "sheets" => "your sheets",
        "schedule" => "your days",
        "task" => "your tasks",
        "slack" => "Slack",
        "web" => "the web",
        "mcp" => "other programs",
        "user" => "people's names",
        "approval" | "system" | "workflow" => "what was proposed before",
        "preference" | "preferences" | "personality" => "your settings",
        "files" => "files",
        "quote" => "a quotation",
        "thread" => "this thread",
        "memory" => "what was said before",
        _ => from,
    }
}

/// A reason: who may have asked for it.
pub fn reason_tainted(untrusted: &[String]) -> String {
    format!(
        "I've read other people's words ({}), and they may have asked for it instead of you",
        sources(untrusted)
    )
}

/// A reason: a stranger.
pub fn reason_unknown_recipient(who: &str) -> String {
    format!("you didn't name {who}, and your workspace doesn't know them")
}

/// Behind a recipient nobody vouches for.
pub fn stranger_mark() -> &'static str {
    "⚠️ not known to your workspace"
}

/// Before those whom a call reaches.
pub fn recipients_label() -> &'static str {
    "To"
}

/// Before those who are invited.
pub fn attendees_label() -> &'static str {
    "With"
}

/// How many are reached, and how many of them the workspace doesn't know.
pub fn people_reached(people: usize, outside: usize) -> String {
    match outside {
        0 => format!("{people} people, nobody outside your workspace"),
        outside => format!("{people} people, {outside} outside your workspace"),
    }
}

/// One of those whom a call reaches, and how many more.
pub fn and_more_people(first: &str, more: usize) -> String {
    format!("{first} and {more} more")
}

/// More people than a card can name.
pub fn too_many_to_show(people: usize) -> String {
    format!(
        "this reaches {people} people, more than the person could look through on a card, so it isn't asked and isn't done. Reach fewer at once, or let the person do it themselves."
    )
}

/// More than anybody would read before deciding.
pub fn too_much_to_show(characters: usize) -> String {
    format!(
        "this has {characters} characters, more than the person could look through before deciding, so it isn't asked and isn't done. Make it shorter, or do it in parts."
    )
}

/// In place of a value that is empty.
pub fn nothing_there() -> &'static str {
    "(empty)"
}

/// Before a change, on a card.
pub fn as_it_is(label: &str) -> String {
    format!("{label}, as it is")
}

/// After a change, on a card.
pub fn as_it_would_be(label: &str) -> String {
    format!("{label}, as it would be")
}

/// A card about something nobody can tell the outcome of.
pub fn cant_tell_title(title: &str) -> String {
    format!("Did this happen? {title}")
}

/// What happened, and what can be done.
pub fn cant_tell() -> String {
    "I can't tell whether this was sent. Look at it yourself, let me look again, repeat it (it may then happen twice), or leave it.".into()
}

/// An edit that couldn't be used.
pub fn edit_not_used(trouble: &str) -> String {
    format!("⚠️ Your edit couldn't be used, so this is as it was before: {trouble}")
}

/// What is said where words about a proposal changed nothing of it, with what a model answered to them.
pub fn words_change_nothing(answer: &str) -> String {
    const MOST: usize = 300;
    match crate::invisible::shown_on_one_line(answer) {
        answer if answer.is_empty() => "your words change nothing of it.".into(),
        answer => {
            let short: String = answer.chars().take(MOST).collect();
            format!("your words change nothing of it. The answer to them: \"{short}\"")
        }
    }
}

/// What is said where a model's answer to words about a proposal can't be read.
pub fn words_not_used(problem: &str) -> String {
    format!("your words led to arguments that can't be read ({problem}).")
}

/// Why a call that proposes nothing isn't changed in words.
pub fn not_changed_in_words() -> &'static str {
    "This can't be changed in words."
}

/// Behind a body that is cut on the card.
pub fn body_is_longer(characters: usize) -> String {
    format!("{characters} characters in all; \"View full\" shows every one of them.")
}

/// Behind facts that are cut on the card.
pub fn more_behind_full(count: usize) -> String {
    format!("and {count} more: \"View full\" shows all")
}
