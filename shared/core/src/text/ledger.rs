//! The lines under a reply: what was done, what waits, what was not done and why.

/// How a receipt begins.
pub const RECEIPT: char = '✓';

/// What lines of a ledger begin with, and what looks like it.
pub const LEDGER_MARKS: [char; 9] = [RECEIPT, '✔', '✅', '☑', '✗', '✘', '❌', '⏳', '⌛'];

/// A line of the ledger: done.
pub fn ledger_done(what: &str, place: &str) -> String {
    if place.is_empty() {
        format!("{RECEIPT} {what}")
    } else {
        format!("{RECEIPT} {what} ({place})")
    }
}

/// A line of the ledger: waiting.
pub fn ledger_waiting(what: &str) -> String {
    format!("⏳ Waiting for your decision: {what}")
}

/// A line of the ledger: not done.
pub fn ledger_not_done(what: &str, why: &str) -> String {
    format!("✗ Not done: {what} ({why})")
}

/// A line of the ledger: nobody knows.
pub fn ledger_unknown(what: &str) -> String {
    format!("? I can't tell whether this happened: {what}")
}

/// Why a line of the ledger isn't done.
pub fn rejected_by_you() -> &'static str {
    "you rejected it"
}

/// Why a line of the ledger isn't done.
pub fn called_off() -> &'static str {
    "called off before you decided"
}

/// Why a line of the ledger isn't done.
pub fn nobody_decided() -> &'static str {
    "the approval expired"
}

/// Why a line of the ledger isn't done.
pub fn not_allowed_here() -> &'static str {
    "not allowed"
}

/// Why a line of the ledger isn't done.
pub fn changed_since() -> &'static str {
    "it changed after you approved it"
}

/// Why a line of the ledger isn't done.
pub fn request_ended() -> &'static str {
    "the request ended before"
}

/// Why a line of the ledger isn't done.
pub fn it_failed() -> &'static str {
    "it failed"
}

/// The ledger of a reply after which nothing was changed.
pub fn nothing_changed() -> &'static str {
    "Nothing was sent or changed."
}

/// The notification of a ledger that stands alone.
pub fn what_was_done() -> &'static str {
    "What was done"
}

/// The end of a ledger too long to show whole.
pub fn more_done(count: usize) -> String {
    format!("{RECEIPT} and {count} more; `alfred trace` lists them all")
}
