//! Why a file isn't passed on to the worker that is called, as the caller is told.

/// It isn't, for this reason.
pub fn not_handed_on(file: &str, why: &str) -> String {
    format!("{file} can't be passed on: {why}")
}

/// There are too many, and this one is the first that is too much.
pub fn handed_on_beyond(worker: &str, most: usize) -> String {
    match most {
        0 => format!("{worker} takes no files"),
        1 => format!("{worker} takes one file at a time"),
        most => format!("{worker} takes {most} files at most"),
    }
}

/// With it they are too large together.
pub fn handed_on_too_large(worker: &str, most: u64) -> String {
    let most = match most {
        0..1_000 => format!("{most} bytes"),
        1_000..1_000_000 => format!("{} kB", most / 1_000),
        _ => format!("{} MB", most / 1_000_000),
    };
    format!("{worker} takes files of {most} together")
}

/// It is none of the files that the caller was shown.
pub fn not_among_shown() -> &'static str {
    "you weren't shown a file of this name"
}

/// It was shown, and is gone since.
pub fn shown_no_more() -> &'static str {
    "it isn't kept any more"
}
