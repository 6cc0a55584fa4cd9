//! Plays text files of commands and of what each command shows.
//!
//! A case begins with `# title`. A line that begins with `> ` is a command; indented lines continue it. Lines that begin
//! with `|` are the output of the command before. Other lines are comments.

use async_trait::async_trait;
use futures_util::{FutureExt, StreamExt, stream};
use std::fmt::Write as _;
use std::panic::AssertUnwindSafe;

use crate::wait::panic_message;

/// Cases of one file that are played at the same time.
const AT_ONCE: usize = 4;

#[async_trait]
pub trait Interpreter: Send {
    async fn perform(&mut self, command: &str) -> String;

    /// Panics if something is left over at the end of the case.
    async fn end(&mut self) {}
}

/// Plays all cases of a text, each in a fresh interpreter. Returns the text with the outputs of now.
pub async fn play<I: Interpreter>(text: &str, open: impl AsyncFn() -> I) -> String {
    // Collected, because a future that holds the closures isn't `Send`.
    let cases = cases(text).into_iter();
    let played: Vec<_> = cases.map(|case| play_case(case, &open)).collect();
    stream::iter(played).buffered(AT_ONCE).collect().await
}

async fn play_case<I: Interpreter>(case: &str, open: &impl AsyncFn() -> I) -> String {
    let mut interpreter = open().await;
    let mut played = String::new();
    let inputs: Vec<&str> = case.lines().filter(|line| !line.starts_with('|')).collect();
    let mut lines = inputs.into_iter().peekable();
    while let Some(line) = lines.next() {
        let _ = writeln!(played, "{line}");
        let Some(command) = line.strip_prefix("> ") else {
            continue;
        };
        let mut command = command.to_owned();
        while let Some(more) = lines.next_if(|line| line.starts_with(' ')) {
            let _ = writeln!(played, "{more}");
            command += more;
        }
        played += &shown(interpreter.perform(&command)).await;
    }
    played + &shown(interpreter.end().map(|()| String::new())).await
}

/// What a command shows, also its panic, so that the failure names the case and the command.
async fn shown(run: impl Future<Output = String>) -> String {
    let shown = AssertUnwindSafe(run).catch_unwind().await;
    let shown = shown.unwrap_or_else(|cause| format!("panic: {}", panic_message(&*cause)));
    let line = |line: &str| format!("| {line}").trim_end().to_owned() + "\n";
    shown.lines().map(line).collect()
}

/// The cases of a text, each with its title and its line ends. The first one may be a comment.
pub(crate) fn cases(text: &str) -> Vec<&str> {
    let mut starts: Vec<usize> = text.match_indices("\n# ").map(|(at, _)| at + 1).collect();
    starts.insert(0, 0);
    starts.push(text.len());
    let cases = starts.windows(2).map(|ends| &text[ends[0]..ends[1]]);
    cases.collect()
}

/// Plays a file. Fails as [`assert_reviewed`] if a command shows something else than the file has.
pub async fn assert_played<I: Interpreter>(path: &str, open: impl AsyncFn() -> I) {
    let text = std::fs::read_to_string(path).unwrap();
    let now = play(&text, open).await;
    assert_reviewed(path, &text, &now);
}

/// Fails with the first difference of each case. `INSTA_UPDATE=always` writes the text of now to the file instead.
#[track_caller]
pub fn assert_reviewed(path: &str, reviewed: &str, now: &str) {
    if reviewed == now {
        return;
    }
    let updates = std::env::var("INSTA_UPDATE").is_ok_and(|how| how == "always");
    // A panic is never what a command should show.
    if updates && !now.contains("\n| panic: ") {
        return std::fs::write(path, now).unwrap();
    }
    let differences = differences(reviewed, now);
    panic!("{path}:\n{differences}Accept intended changes with INSTA_UPDATE=always.");
}

/// The first difference of each case; empty if there is none.
pub(crate) fn differences(reviewed: &str, now: &str) -> String {
    let pairs = cases(reviewed).into_iter().zip(cases(now));
    let differing = pairs.filter(|(reviewed, now)| reviewed != now);
    differing.map(|(old, new)| difference(old, new)).collect()
}

fn difference(reviewed: &str, now: &str) -> String {
    let pairs = reviewed.lines().zip(now.lines());
    let same = pairs.take_while(|(old, new)| old == new).count();
    let part = |text: &str, sign: &str| -> String {
        let lines = text.lines().skip(same).take(8);
        lines.map(|line| format!("{sign} {line}\n")).collect()
    };
    let title = reviewed.lines().next().unwrap_or_default();
    let before = reviewed.lines().take(same).last().unwrap_or_default();
    let parts = part(reviewed, "-") + &part(now, "+");
    format!("{title}\n  {before}\n{parts}")
}
