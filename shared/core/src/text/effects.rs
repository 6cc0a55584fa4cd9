//! What people read about effects of tools: titles of cards, words of receipts.

/// Where a task is to be found.
#[must_use]
pub fn in_backlog() -> &'static str {
    "your backlog"
}

/// Title of a card: a block goes.
#[must_use]
pub fn delete_block_title() -> &'static str {
    "Delete a time block"
}

/// Title of a card: a task goes.
#[must_use]
pub fn delete_task_title() -> &'static str {
    "Delete a task"
}

/// What becomes of a task whose block goes.
#[must_use]
pub fn back_in_backlog() -> &'static str {
    "back in your backlog"
}
