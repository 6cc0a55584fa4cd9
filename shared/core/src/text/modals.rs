//! What buttons and modals say.

/// A button.
pub fn button_approve() -> &'static str {
    "Approve"
}

/// A button.
pub fn button_remember() -> &'static str {
    "Approve, and remember"
}

/// A button.
pub fn button_edit() -> &'static str {
    "Edit"
}

/// A button of a proposal.
pub fn button_modify() -> &'static str {
    "Modify"
}

/// A button of a proposal.
pub fn button_cancel() -> &'static str {
    "Cancel"
}

/// A button.
pub fn button_reject() -> &'static str {
    "Reject"
}

/// A button.
pub fn button_reject_reason() -> &'static str {
    "Reject, and say why"
}

/// A button.
pub fn button_full() -> &'static str {
    "View full"
}

/// A button.
pub fn button_renew() -> &'static str {
    "Renew"
}

/// A button.
pub fn button_look() -> &'static str {
    "Look again"
}

/// A button.
pub fn button_repeat() -> &'static str {
    "Repeat it"
}

/// A button.
pub fn button_leave() -> &'static str {
    "Leave it"
}

/// A button.
pub fn button_undo_all() -> &'static str {
    "Undo all of it"
}

/// On a button.
pub fn button_undo() -> &'static str {
    "Undo"
}

/// The button of a modal.
pub fn button_save() -> &'static str {
    "Save"
}

/// The label of one part of a long value.
pub fn part_of(name: &str, part: usize, parts: usize) -> String {
    format!("{name} ({part} of {parts})")
}

/// Where an edit leaves nothing to be done.
pub fn nothing_left_to_do() -> String {
    "nothing would be left to do; press Cancel if that is what you want.".into()
}

/// The label above what somebody wants otherwise.
pub fn feedback_label() -> &'static str {
    "What should be different?"
}

/// What could be written there.
pub fn feedback_example() -> &'static str {
    "No meetings before 10, lunch at one"
}

/// The label above the parts of a proposal, a group at a time.
pub fn items_label(group: usize) -> &'static str {
    match group {
        0 => "Untick what you don't want",
        _ => "More",
    }
}

/// The label above a reason.
pub fn reason_label() -> &'static str {
    "Why not? I'll go by it"
}

/// The title of the modal in which a proposal is changed; Slack takes 24 characters.
pub fn modify_title() -> &'static str {
    "Modify the proposal"
}

/// The title of the modal that asks for a reason; Slack takes 24 characters.
pub fn reject_title() -> &'static str {
    "Reject"
}

/// Title of the modal in which a pending action is edited; Slack takes 24 characters.
pub fn edit_title() -> &'static str {
    "Edit before approval"
}

/// In a modal that is still being filled.
pub fn loading() -> &'static str {
    "One moment…"
}

/// Under a field of a modal that was left empty.
pub fn field_needed() -> &'static str {
    "Please fill this in."
}
