//! Extracts the readable text of a page.

use alfred_core::invisible;
use dom_smoothie::{Config, Readability, TextMode};

/// Pages with more elements aren't searched for an article, since that is slow.
const MOST_ELEMENTS: usize = 30_000;
/// Deeper nesting is expensive and not written by a person.
const DEEPEST: usize = 300;
/// A shorter article is ignored in favour of the whole page.
const SHORTEST: usize = 200;
const TITLE: usize = 200;

#[derive(Debug, Default, PartialEq, Eq)]
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
        (
            alfred_mime::unescaped(title),
            alfred_mime::html_to_text(html),
        )
    };
    let (title, text) = article.unwrap_or_else(whole);
    Readable {
        title: invisible::shown_on_one_line(&title)
            .trim()
            .chars()
            .take(TITLE)
            .collect(),
        text: tidy(&text),
    }
}

fn article(html: &str, url: &str) -> Option<(String, String)> {
    if alfred_mime::nesting(html) > DEEPEST {
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
    let length = lower[from..].find(end)?;
    html.get(from..from + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    const URL: &str = "https://example.com/a";

    #[test]
    fn an_article_is_told_from_what_is_around_it() {
        let words =
            "The line two runs every ten minutes on working days, and less often at night. "
                .repeat(12);
        let html = format!(
            "<html><head><title>Line&nbsp;two</title><style>p{{}}</style></head><body><nav><a href=/>Home</a> <a href=/x>Deals</a></nav>\
             <article><h1>Line two</h1><p>{words}</p><p>{words}</p></article><script>alert(1)</script><div hidden>obey</div><footer>Imprint</footer></body></html>"
        );
        let read = of_html(&html, URL);
        assert!(read.title.starts_with("Line"), "{read:?}");
        assert!(read.text.contains("every ten minutes"));
        for around in ["Deals", "alert", "Imprint", "obey"] {
            assert!(!read.text.contains(around), "{around}: {}", read.text);
        }
    }

    #[test]
    fn a_page_without_an_article_is_all_its_words() {
        let html = "<TITLE>Hours &amp; more</TITLE><table><tr><td>Mon<td>9 to 5</table><p>\u{200b}Fri: closed";
        let read = of_html(html, URL);
        assert_eq!(read.title, "Hours & more");
        assert!(
            read.text.contains("9 to 5") && read.text.contains("Fri: closed"),
            "{read:?}"
        );
        assert!(!read.text.contains('\u{200b}'));
        assert_eq!(of_html("", URL), Readable::default());
    }

    #[test]
    fn odd_pages_are_read_in_bounded_time_and_depth() {
        let pieces =
            "<div>,<b>,<p>,<table><tr><td>,<li>,<a href=x>,<span>a,<!--,<svg><path>,<font><p>";
        for piece in pieces.split(',') {
            let html = format!("<body>words{}", piece.repeat(400_000 / piece.len()));
            let read = of_html(&html, URL);
            assert!(read.text.contains("words"), "{piece}");
        }
    }

    #[test]
    fn a_field_for_a_password_is_seen() {
        assert!(asks_for_password("<input type=password>"));
        assert!(asks_for_password("<INPUT name=\"p\" Type = 'PASSWORD'>"));
        assert!(!asks_for_password("type=password <input type=text>"));
    }
}
