//! What buttons and modals say.

/// A button.
#[must_use]
pub fn button_approve() -> &'static str {
    "Approve"
}

/// A button.
#[must_use]
pub fn button_remember() -> &'static str {
    "Approve, and remember"
}

/// A button.
#[must_use]
pub fn button_edit() -> &'static str {
    "Edit"
}

/// A button of a proposal.
#[must_use]
pub fn button_modify() -> &'static str {
    "Modify"
}

/// A button of a proposal.
#[must_use]
pub fn button_cancel() -> &'static str {
    "Cancel"
}

/// A button.
#[must_use]
pub fn button_reject() -> &'static str {
    "Reject"
}

/// A button.
#[must_use]
pub fn button_reject_reason() -> &'static str {
    "Reject, and say why"
}

/// A button.
#[must_use]
pub fn button_full() -> &'static str {
    "View full"
}

/// A button.
#[must_use]
pub fn button_renew() -> &'static str {
    "Renew"
}

/// A button.
#[must_use]
pub fn button_look() -> &'static str {
    "Look again"
}

/// A button.
#[must_use]
pub fn button_repeat() -> &'static str {
    "Repeat it"
}

/// A button.
#[must_use]
pub fn button_leave() -> &'static str {
    "Leave it"
}

/// A button.
#[must_use]
pub fn button_undo_all() -> &'static str {
    "Undo all of it"
}

/// On a button.
#[must_use]
pub fn button_undo() -> &'static str {
    "Undo"
}

/// The button of a modal.
#[must_use]
pub fn button_save() -> &'static str {
    "Save"
}

/// The label of one part of a long value.
#[must_use]
pub fn part_of(name: &str, part: usize, parts: usize) -> String {
    format!("{name} ({part} of {parts})")
}

/// Where an edit leaves nothing to be done.
#[must_use]
pub fn nothing_left_to_do() -> String {
    "nothing would be left to do; press Cancel if that is what you want.".into()
}

/// The label above what somebody wants otherwise.
#[must_use]
pub fn feedback_label() -> &'static str {
    "What should be different?"
}

/// What could be written there.
#[must_use]
pub fn feedback_example() -> &'static str {
    "No meetings before 10, lunch at one"
}

/// The label above the parts of a proposal, a group at a time.
#[must_use]
pub fn items_label(group: usize) -> &'static str {
    match group {
        0 => "Untick what you don't want",
        _ => "More",
    }
}

/// The label above a reason.
#[must_use]
pub fn reason_label() -> &'static str {
    "Why not? I'll go by it"
}

/// The title of the modal in which a proposal is changed; Slack takes 24 characters.
#[must_use]
pub fn modify_title() -> &'static str {
    "Modify the proposal"
}

/// The title of the modal that asks for a reason; Slack takes 24 characters.
#[must_use]
pub fn reject_title() -> &'static str {
    "Reject"
}

/// Title of the modal in which a pending action is edited; Slack takes 24 characters.
#[must_use]
pub fn edit_title() -> &'static str {
    "Edit before approval"
}

/// In a modal that is still being filled.
#[must_use]
pub fn loading() -> &'static str {
    "One moment…"
}

/// Under a field of a modal that was left empty.
#[must_use]
pub fn field_needed() -> &'static str {
    "Please fill this in."
}
