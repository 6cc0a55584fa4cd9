//! What is said where a meeting lands on a focus block.

/// What the guard is called among what is scheduled.
pub fn focus_guard_name() -> &'static str {
    "Focus guard"
}

/// What it does.
pub fn focus_guard_words() -> &'static str {
    "Tell me when a meeting lands on one of my focus blocks, and offer to move the block."
}

/// Title of a card.
pub fn focus_title(blocks: usize) -> &'static str {
    match blocks {
        1 => "A meeting landed on your focus block",
        _ => "Meetings landed on your focus blocks",
    }
}

/// Title of a card about a block that goes back to where it was.
pub fn focus_back_title() -> &'static str {
    "Move a focus block back"
}

/// A button.
pub fn button_move(blocks: usize) -> &'static str {
    match blocks {
        1 => "Move it",
        _ => "Move them",
    }
}

/// A button.
pub fn button_leave_block(blocks: usize) -> &'static str {
    match blocks {
        1 => "Leave it",
        _ => "Leave them",
    }
}

/// What became of a card whose owner leaves things as they are.
pub fn was_left_alone(who: Option<&str>, when: &str) -> String {
    let by = who.map(|who| format!(" by <@{who}>")).unwrap_or_default();
    format!(":ok_hand: Left as it is{by} {when}. Nothing was changed.")
}

/// Blocks for which there is no other place, each on a line of its own.
pub fn focus_no_room(days: i64, blocks: &[String]) -> String {
    format!(
        "I found no free place in the next {days} days for:\n{}",
        blocks.join("\n")
    )
}

/// The same where there is nothing else to be said.
pub fn focus_landed_no_room(days: i64, blocks: &[String]) -> String {
    let what = match blocks.len() {
        1 => "A meeting landed on your focus block",
        _ => "Meetings landed on your focus blocks",
    };
    format!(
        "{what}, and I found no free place in the next {days} days. You may want to shorten a block or decline a meeting:\n{}",
        blocks.join("\n")
    )
}

/// A block that was to be moved, and stays.
pub fn focus_left(when: &str, why: &str) -> String {
    format!("I left the focus block of {when} where it is: {why}")
}

/// Why.
pub fn focus_meeting_gone() -> &'static str {
    "the meeting isn't on it any more."
}

/// Why.
pub fn focus_block_changed() -> &'static str {
    "it was moved, changed or deleted since I asked."
}
