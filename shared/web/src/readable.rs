//! Extracts the readable text of a page.

use alfred_core::invisible;
use alfred_mime::{html_to_text, nesting, unescaped};
use dom_smoothie::{Config, Readability, TextMode};

/// Pages with more elements aren't searched for an article, since that is slow.
const MOST_ELEMENTS: usize = 30_000;
/// Deeper nesting is expensive and not written by a person.
const DEEPEST: usize = 300;
/// A shorter article is ignored in favour of the whole page.
const SHORTEST: usize = 200;
const TITLE: usize = 200;

pub(super) struct Readable {
    pub title: String,
    pub text: String,
}

/// The article of a page, or all its text if there is none.
pub(super) fn of_html(html: &str, url: &str) -> Readable {
    let article = article(html, url);
    let whole = || {
        let title = between(html, "<title", "</title>").unwrap_or_default();
        let title = title.split_once('>').map_or("", |(_, title)| title);
        (unescaped(title), html_to_text(html))
    };
    let (title, text) = article.unwrap_or_else(whole);
    let title = invisible::shown_on_one_line(&title);
    Readable {
        title: title.trim().chars().take(TITLE).collect(),
        text: tidy(&text),
    }
}

fn article(html: &str, url: &str) -> Option<(String, String)> {
    if nesting(html) > DEEPEST {
        return None;
    }
    let config = Config {
        max_elements_to_parse: MOST_ELEMENTS,
        text_mode: TextMode::Formatted,
        ..Config::default()
    };
    let mut page = Readability::new(html, Some(url), Some(config)).ok()?;
    let article = page.parse().ok()?;
    let text = article.text_content.trim();
    (text.chars().count() >= SHORTEST).then(|| (article.title, text.to_owned()))
}

pub(super) fn asks_for_password(html: &str) -> bool {
    let html = html.to_ascii_lowercase();
    html.match_indices("<input").any(|(at, _)| {
        let tag = html[at..].split('>').next().unwrap_or_default();
        let plain: String = tag.chars().filter(|c| !"\"' ".contains(*c)).collect();
        plain.contains("type=password")
    })
}

/// Removes invisible characters, trailing blanks and repeated empty lines.
pub(super) fn tidy(text: &str) -> String {
    let text = invisible::removed(text);
    let mut lines: Vec<&str> = Vec::new();
    for line in text.lines().map(str::trim_end) {
        let empty = |line: &&str| line.trim().is_empty();
        if !(empty(&line) && lines.last().is_none_or(empty)) {
            lines.push(line);
        }
    }
    lines.join("\n").trim_end().to_owned()
}

fn between<'a>(html: &'a str, start: &str, end: &str) -> Option<&'a str> {
    let lower = html.to_ascii_lowercase();
    let from = lower.find(start)? + start.len();
    html.get(from..from + lower[from..].find(end)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_pages_are_read_in_bounded_time_and_depth() {
        let pieces =
            "<div>,<b>,<p>,<table><tr><td>,<li>,<a href=x>,<span>a,<!--,<svg><path>,<font><p>";
        for piece in pieces.split(',') {
            let html = format!("<body>words{}", piece.repeat(400_000 / piece.len()));
            let read = of_html(&html, "https://example.com/a");
            assert!(read.text.contains("words"), "{piece}");
        }
    }
}
