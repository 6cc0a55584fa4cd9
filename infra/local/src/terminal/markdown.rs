//! Shows Markdown in a terminal: bold, italic and headings lose their marks, and are styled if there are
//! colours.

use alfred_core::text::RECEIPT;
use pulldown_cmark::{Event, Options, Parser, Tag};
use std::ops::Range;

const BOLD: [&str; 2] = ["\x1b[1m", "\x1b[22m"];
const ITALIC: [&str; 2] = ["\x1b[3m", "\x1b[23m"];

/// The text without marks. Its input is already free of control characters; with `colours` this adds some.
pub fn shown(markdown: &str, colours: bool) -> String {
    let mut shown = String::with_capacity(markdown.len());
    let mut at = 0;
    for (mark, code) in marks(markdown) {
        let Some(before) = markdown.get(at..mark.start) else {
            continue;
        };
        shown.push_str(before);
        if colours {
            shown.push_str(code);
        }
        at = mark.end;
    }
    shown.push_str(&markdown[at..]);
    let lines: Vec<String> = shown.split('\n').map(unreceipted).collect();
    lines.join("\n")
}

/// The marks in order, each with its replacement.
fn marks(markdown: &str) -> Vec<(Range<usize>, &'static str)> {
    let mut marks = Vec::new();
    for (event, range) in Parser::new_ext(markdown, Options::empty()).into_offset_iter() {
        let Range { start, end } = range;
        let ([before, behind], [on, off]) = match event {
            Event::Start(Tag::Strong) => ([start..start + 2, end - 2..end], BOLD),
            Event::Start(Tag::Emphasis) => ([start..start + 1, end - 1..end], ITALIC),
            Event::Start(Tag::Heading { .. }) => {
                let line = markdown[start..end].trim_end();
                let text = line.trim_start_matches('#').trim_start();
                let end = start + line.len();
                ([start..end - text.len(), end..end], BOLD)
            }
            _ => continue,
        };
        marks.push((before, on));
        marks.push((behind, off));
    }
    marks.sort_by_key(|(mark, _)| mark.start);
    marks
}

/// An answer's line must not look like a receipt, which only the ledger may contain.
fn unreceipted(line: &str) -> String {
    if unstyled(line).trim_start().starts_with(RECEIPT) {
        return line.replacen(RECEIPT, "•", 1);
    }
    line.to_owned()
}

fn unstyled(text: &str) -> String {
    let codes = BOLD.into_iter().chain(ITALIC);
    codes.fold(text.to_owned(), |text, code| text.replace(code, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines of Markdown, each with what is shown of it.
    const EXAMPLES: &str = include_str!("markdown_examples.txt");

    #[test]
    fn marks_are_shown_as_what_they_mean_and_nothing_passes_for_a_receipt() {
        let ([bold, no_bold], [italic, no_italic]) = (BOLD, ITALIC);
        for example in EXAMPLES.lines() {
            let (markdown, wanted) = example.split_once(" => ").unwrap();
            let styled = shown(&markdown.replace("\\n", "\n"), true).replace('\n', "\\n");
            let styled = styled.replace(bold, "<b>").replace(no_bold, "</b>");
            let styled = styled.replace(italic, "<i>").replace(no_italic, "</i>");
            assert_eq!(styled, wanted, "{markdown}");
        }
    }

    #[test]
    fn whatever_is_written_is_shown_with_and_without_colours_alike() {
        let mut texts = vec![String::new()];
        for _ in 0..6 {
            let longer =
                |text: &String| ["*", "_", "#", " ", "é", "\n"].map(|more| format!("{text}{more}"));
            texts = texts.iter().flat_map(longer).collect();
            for text in &texts {
                let plain = shown(text, false);
                assert_eq!(unstyled(&shown(text, true)), plain, "{text:?}");
                let accents = |text: &str| text.matches('é').count();
                assert_eq!(accents(&plain), accents(text), "{text:?}");
            }
        }
    }
}
