//! Prints output. Parts of it come from others or a model, so control characters are replaced. That also
//! holds for pipes and files, whose content ends up in a terminal. Programs use `--json`, which escapes those
//! characters as `\u…`.

mod markdown;

pub use alfred_core::text::one_line;
use anyhow::Context;
use serde::Serialize;
use std::io::{BufRead, ErrorKind, IsTerminal, Read, Stderr, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::exit::Usage;

/// Whether some output couldn't be written.
pub static UNWRITTEN: AtomicBool = AtomicBool::new(false);
const DIM: &str = "\x1b[2m";
const PLAIN: &str = "\x1b[0m";
/// Returns to the start of the line and clears it.
const FRESH_LINE: &str = "\r\x1b[K";

/// This program as it was started, for commands that its person can repeat.
pub fn started_as() -> String {
    let by_cargo = std::env::var_os("CARGO_MANIFEST_DIR").is_some();
    let named = std::env::args().next().filter(|_| !by_cargo);
    named.unwrap_or_else(|| "cargo run --".to_owned())
}

pub fn say(text: &str) {
    print(&printable(text));
}

/// Prints an answer in Markdown, text below it as it is, and a remark, dim in a terminal.
pub fn say_answer(markdown: &str, below: &str, remark: Option<&str>) {
    let colours = colours(&std::io::stdout());
    let mut text = markdown::shown(&printable(markdown), colours);
    text.push_str(&printable(below));
    if let Some(remark) = remark.map(printable) {
        let (on, off) = if colours { (DIM, PLAIN) } else { ("", "") };
        text.push_str(&format!("\n\n{on}{remark}{off}"));
    }
    print(&text);
}

pub fn colours(stream: &impl IsTerminal) -> bool {
    let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    wanted && stream.is_terminal()
}

/// A progress line on stderr that is rewritten and finally cleared.
pub struct Line {
    stderr: Stderr,
    is_empty: bool,
}

impl Line {
    /// `None` if stderr isn't a terminal.
    pub fn of_terminal() -> Option<Self> {
        let (stderr, is_empty) = (std::io::stderr(), true);
        let is_terminal = stderr.is_terminal();
        is_terminal.then_some(Self { stderr, is_empty })
    }

    /// An empty text clears the line.
    pub fn show(&mut self, words: &str) {
        if self.is_empty && words.is_empty() {
            return;
        }
        self.is_empty = words.is_empty();
        let words = printable(words);
        // A progress line that can't be written is ignored.
        drop(write!(self.stderr, "{FRESH_LINE}{words}").and_then(|()| self.stderr.flush()));
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.show("");
    }
}

pub fn say_json(value: &impl Serialize) -> Result<(), serde_json::Error> {
    print(&escaped(&serde_json::to_string_pretty(value)?));
    Ok(())
}

/// An answer for [`say_made`].
pub fn made(
    json: bool,
    value: &impl Serialize,
    text: impl FnOnce() -> String,
) -> Result<String, serde_json::Error> {
    if json {
        serde_json::to_string_pretty(value)
    } else {
        Ok(text())
    }
}

/// Prints a prepared answer as JSON or text.
pub fn say_made(json: bool, text: &str) {
    print(&if json { escaped(text) } else { printable(text) });
}

/// Prints a problem on stderr. If that fails, the exit code remains.
pub fn complain(words: &str) {
    drop(writeln!(std::io::stderr(), "alfred: {}", printable(words)));
}

/// Longest line that is read, in bytes.
const LONGEST_LINE: u64 = 100_000;

/// Reads a line. The prompt is only shown in a terminal. `None` at the end of input.
pub fn typed(prompt: &str) -> anyhow::Result<Option<String>> {
    let mut stdin = std::io::stdin().lock();
    if stdin.is_terminal() && std::io::stderr().is_terminal() {
        // A prompt that can't be written is ignored.
        let mut stderr = std::io::stderr();
        drop(write!(stderr, "{}", printable(prompt)).and_then(|()| stderr.flush()));
    }
    let mut line = String::new();
    let read = (&mut stdin).take(LONGEST_LINE + 1).read_line(&mut line);
    read.context("stdin can't be read as text")?;
    if line.len() as u64 > LONGEST_LINE {
        return Err(Usage::error("stdin: a line is longer than 100 KB"));
    }
    let text = line.trim_end_matches(['\n', '\r']).to_owned();
    Ok((!line.is_empty()).then_some(text))
}

/// Asks a yes or no question. `None` if there is no terminal.
pub fn ask(question: &str) -> anyhow::Result<Option<bool>> {
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return Ok(None);
    }
    let answer = typed(question)?.unwrap_or_default().to_lowercase();
    Ok(Some(matches!(answer.trim(), "y" | "yes")))
}

fn print(text: &str) {
    let mut out = std::io::stdout().lock();
    let Err(error) = writeln!(out, "{text}").and_then(|()| out.flush()) else {
        return;
    };
    UNWRITTEN.store(true, Ordering::Relaxed);
    // A closed pipe is intended by its reader.
    if error.kind() != ErrorKind::BrokenPipe {
        complain(&format!("the answer can't be written: {error}"));
    }
}

/// Replaces characters that control a terminal by `�`, so other people's text can't hide or reorder anything.
/// They stay visible: a person must see what they approve.
fn printable(text: &str) -> String {
    text.replace("\r\n", "\n").replace(acts, "\u{fffd}")
}

/// Escapes control characters in JSON as `\u…`. They only occur inside strings.
pub fn escaped(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if acts(c) {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            out.push(c);
        }
    }
    out
}

/// Controls except newlines and tabs, bidirectional controls, and invisible tags.
fn acts(c: char) -> bool {
    let turns = matches!(c, '\u{61c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let is_tag = matches!(c, '\u{e0000}'..='\u{e007f}');
    (c.is_control() && c != '\n' && c != '\t') || turns || is_tag
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    const NASTY: &str =
        "a\u{1b}]0;t\u{7}\u{1b}[31mb\u{9b}2Jc\rd\u{8}e\u{7f}f\u{202e}g\u{e0041}h\u{0}";

    #[test]
    fn nothing_acts_and_nothing_is_left_out() {
        assert_eq!(printable(NASTY), "a�]0;t��[31mb�2Jc�d�e�f�g�h�");
        let kept = "Zwei Zeilen\n\tund 👩‍💻 שלום\u{200f}";
        assert_eq!(printable(kept), kept);
        assert_eq!(printable("a\r\nb"), "a\nb");
        assert_eq!(one_line("a\n\t b\u{2028}c\u{85}d"), "a b c d");
    }

    #[test]
    fn json_keeps_every_character() {
        let value = json!({ NASTY: [NASTY, "\n\t\\ü"] });
        let text = escaped(&serde_json::to_string_pretty(&value).unwrap());
        assert!(!text.chars().any(acts), "{text:?}");
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
    }
}
