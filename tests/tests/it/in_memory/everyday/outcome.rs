//! Compares what a request did with what its script expects.

use std::fmt;

use super::page::Post;
use super::script::{Exchange, Model};

pub struct Outcome<'a> {
    posted: Vec<&'a str>,
    changed: Vec<&'a str>,
    results: Vec<String>,
    unused_turns: Vec<String>,
}

impl<'a> Outcome<'a> {
    pub fn new(before: &[Post], now: &'a [Post], model: &Model) -> Self {
        let (mut posted, mut changed) = (Vec::new(), Vec::new());
        for post in now.iter().filter(|post| !before.contains(post)) {
            if before.iter().any(|known| known.id == post.id) {
                changed.push(&*post.text);
            } else {
                posted.push(&*post.text);
            }
        }
        Self {
            posted,
            changed,
            results: model.results(),
            unused_turns: model.unused_turns(),
        }
    }

    /// One line per deviation. The script must name each effect, card, message to others and failed call;
    /// other text is free.
    pub fn problems(&self, exchange: &Exchange) -> Vec<String> {
        let mut problems = Vec::new();
        if exchange.on_page.is_empty() && exchange.in_results.is_empty() {
            problems.push("the script expects nothing of this request".to_owned());
        }
        for turn in &self.unused_turns {
            problems.push(format!("the model was not asked for: {turn}"));
        }
        let on_page = |text: &str| self.on_page().any(|post| post.contains(text));
        let in_results = |text: &str| self.results.iter().any(|result| result.contains(text));
        let answers = exchange.turns.iter();
        let answers = answers.filter_map(|turn| turn.strip_prefix(": "));
        for text in exchange.on_page.iter().map(String::as_str).chain(answers) {
            if !on_page(text) {
                problems.push(format!("not on the page: {text}"));
            }
        }
        for text in exchange.in_results.iter().filter(|text| !in_results(text)) {
            problems.push(format!("not in a result: {text}"));
        }
        for text in &exchange.nowhere {
            if on_page(text) || in_results(text) {
                problems.push(format!("must not be there: {text}"));
            }
        }
        let failed = |result: &&String| result.contains("\"error\"");
        for result in self.results.iter().filter(failed) {
            if !names(&exchange.in_results, result) {
                problems.push(format!("the script doesn't name the failed call: {result}"));
            }
        }
        for post in &self.posted {
            if post.contains("Why I ask:") && !names(&exchange.on_page, post) {
                problems.push(format!("the script doesn't name the card: {post}"));
            }
            for line in post.lines().filter(|line| is_effect(line)) {
                if !names(&exchange.on_page, line) {
                    problems.push(format!("the script doesn't name the effect: {line}"));
                }
            }
        }
        problems
    }

    fn on_page(&self) -> impl Iterator<Item = &str> {
        self.posted.iter().chain(&self.changed).copied()
    }
}

impl fmt::Display for Outcome<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for post in self.on_page() {
            writeln!(f, "  on the page: {post}")?;
        }
        for result in &self.results {
            writeln!(f, "  read by the model: {result}")?;
        }
        Ok(())
    }
}

fn names(expected: &[String], text: &str) -> bool {
    expected.iter().any(|part| text.contains(part))
}

/// Whether a line is a receipt or starts a message to other people.
fn is_effect(line: &str) -> bool {
    ["✓ ", "✗ ", "(in "]
        .iter()
        .any(|start| line.starts_with(start))
}
