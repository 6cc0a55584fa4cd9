//! What people read about programs of others that a worker uses.

use crate::invisible::shown_on_one_line;

/// Title of a card: a call of another program's tool.
pub fn mcp_title(tool: &str, server: &str) -> String {
    format!("Use {} of {server}", shown_on_one_line(tool))
}

/// On its card, before the value of an argument: its name is the other program's, and is never taken for our words.
pub fn mcp_argument(name: &str) -> String {
    format!("Argument {}", shown_on_one_line(name))
}

/// Receipt of such a call.
pub fn mcp_used(tool: &str, server: &str) -> String {
    format!("Used {} of {server}", shown_on_one_line(tool))
}

/// Another program can't be used now.
pub fn mcp_not_reached(server: &str) -> String {
    format!("I can't reach {server} right now, so nothing was done there.")
}

/// Another program isn't what it was.
pub fn mcp_changed(server: &str) -> String {
    format!(
        "{server} has changed what this does since we began, so I didn't use it. Ask me again to start with what it does now."
    )
}

/// Another program tried, and couldn't.
pub fn mcp_failed(tool: &str, server: &str) -> String {
    format!("{server} couldn't do {}.", shown_on_one_line(tool))
}
