//! What is said of habits, of earlier words, and of workflows that ended or didn't.

/// Habits that were looked for without the mail.
pub fn mail_not_read() -> &'static str {
    "The mail could not be read just now, so who is answered is missing here."
}

/// Entries of the person's own that this release can't read.
pub fn newer_entries_left_out(count: usize) -> String {
    match count {
        1 => "One entry was written by a newer version of me and is left out.".into(),
        n => format!("{n} entries were written by a newer version of me and are left out."),
    }
}

/// Something said before that a plan of this day can't follow.
pub fn earlier_left_aside(wish: &str) -> String {
    format!("You said \"{wish}\" before; this plan can't follow it, so I left it aside.")
}

/// A remark that plans won't follow, since other people's words may have shaped it.
pub fn remark_of_others() -> &'static str {
    "Kept, but plans don't follow it: words the person didn't write may have shaped it."
}

/// A complaint that names a time or a length.
pub fn remark_is_no_suggestion() -> &'static str {
    "Kept, but plans follow its changes only where its type is a suggestion."
}

/// A suggestion that asks nothing of plans.
pub fn remark_without_changes() -> &'static str {
    "Kept as words: plans of days follow only what stands in changes."
}

/// A suggestion of which no change says a part.
pub fn remark_unmet(parts: &[String]) -> String {
    format!("Kept; plans can't follow this of it: {}.", parts.join("; "))
}

/// A remark that no plan can follow.
pub fn remark_unusable(problem: &str) -> String {
    format!("Kept, but plans don't follow it: {problem}")
}

/// What a workflow changed, in numbers.
pub fn workflow_changed(what: &str, count: usize) -> String {
    let (one, several) = match what {
        "blocks" => ("block created", "blocks created"),
        "moved" => ("block moved", "blocks moved"),
        "removed" => ("block removed", "blocks removed"),
        "planned" | "assigned" => ("task planned", "tasks planned"),
        "archived" => ("mail archived", "mails archived"),
        "processed" => ("mail marked", "mails marked"),
        "conflicts" => ("block not created", "blocks not created"),
        _ => ("part not done", "parts not done"),
    };
    format!("{count} {}", if count == 1 { one } else { several })
}

/// A wish that a plan follows since it was made so often.
pub fn asked_before(wish: &str, agree: usize, of: usize) -> String {
    format!(
        "{}: you asked for it {agree} of {of} times.",
        capitalized(wish)
    )
}

/// A wish that a plan follows since days usually are so.
pub fn as_on_other_days(wish: &str, agree: usize, of: usize) -> String {
    format!("{}: it was so {agree} of {of} times.", capitalized(wish))
}

/// A task that isn't proposed again.
pub fn task_left_out_before(title: &str, agree: usize, of: usize) -> String {
    format!("Not proposed again: \"{title}\", which you left out {agree} of {of} times.")
}

/// Less than the whole block is filled, since tasks take longer than they are estimated at.
pub fn room_for_overruns(percent: u32, minutes: u32, free: u32, agree: usize, of: usize) -> String {
    format!(
        "{minutes} of {free} minutes are filled: your tasks took about {percent} % of their estimates ({agree} of {of} of them)."
    )
}

/// Mail that isn't proposed for the archive again.
pub fn mail_kept_before(sender: &str, agree: usize, of: usize) -> String {
    format!(
        "Not proposed for the archive: mail from {sender}, which you kept {agree} of {of} times."
    )
}

/// A workflow that waits for its owner, and whose card is shown again.
pub fn card_shown_again() -> &'static str {
    "It waits for you; its card is below again, and the older one is void."
}

/// A workflow that waits for its owner, among others.
pub fn waits_on_its_card() -> &'static str {
    "It waits for you on its card."
}

/// A workflow whose card has expired.
pub fn card_expired() -> &'static str {
    "Its card has expired; it can be proposed anew."
}

/// A workflow that was cut off and is set going again.
pub fn set_going_again() -> &'static str {
    "It was cut off half-way and goes on now where it stopped."
}

/// What setting workflows going is called in a receipt.
pub fn set_going(count: usize) -> String {
    match count {
        1 => "Set an interrupted workflow going again".into(),
        several => format!("Set {several} interrupted workflows going again"),
    }
}

/// A workflow of which something didn't work.
pub fn can_be_completed() -> &'static str {
    "Some of it didn't work; exactly that can be proposed again."
}

/// Nothing to go on with.
pub fn nothing_to_resume() -> &'static str {
    "No workflow of yours is interrupted, waits or ended with something undone."
}

fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().into_iter().flat_map(char::to_uppercase);
    first.chain(chars).collect()
}
