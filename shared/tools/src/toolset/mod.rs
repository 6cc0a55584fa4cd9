//! The toolsets, in words from which a model chooses those it needs.

pub mod open;

/// Every toolset by name, with what it is for.
pub const TOOLSETS: &[(&str, &str)] = &[
    ("time", "dates, time zones and durations: convert, add"),
    ("user", "colleagues: who somebody is, their address"),
    (
        "preference",
        "settings: hours, time zone, tone, notifications",
    ),
    (
        "schedule",
        "the day and week: look at it, create, move, delete or fill single blocks of time",
    ),
    (
        "task",
        "to-do items: add, list, change, complete, rank, put into a block",
    ),
    ("email", "mail: read, reply, archive, sort"),
    ("calendar", "meetings with other people: book or move one"),
    ("slack", "send a message to a person or channel"),
    ("approval", "what waits for a yes or no"),
    (
        "workflow",
        "plan a whole day or week, a work block or a block of mail",
    ),
    (
        "system",
        "an open proposal, feedback about plans, habits, past or interrupted work, forgetting",
    ),
];
