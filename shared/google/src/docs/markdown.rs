//! Converts a line's letters to Markdown and back (<https://spec.commonmark.org/0.31.2/#inlines>). Text
//! survives a round trip: a literal mark is escaped only where it would be read as markup.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use std::sync::Arc;

use super::glyph::{Glyph, Style, insertable, settle};

/// Guards both ends of a line. As punctuation it lets adjacent marks work.
const EDGE: char = '…';
/// Characters that may be markup.
const MARKS: &str = "\\`*_~[]<>&!";

fn is_mark(letter: char) -> bool {
    MARKS.contains(letter)
}

/// Parses a line into letters without markup.
pub(super) fn read(line: &str) -> Vec<Glyph> {
    let line: String = line.chars().filter(|c| insertable(*c)).collect();
    if !line.contains(is_mark) {
        let plain = Arc::default();
        return line.chars().map(|c| Glyph::letter(c, &plain)).collect();
    }
    let guarded = format!("{EDGE}{line}{EDGE}");
    let (mut read, mut style) = (Vec::new(), Style::default());
    let mut picture = 0_usize;
    let events = Parser::new_ext(&guarded, Options::ENABLE_STRIKETHROUGH).into_offset_iter();
    for (event, range) in events {
        let mut put = |text: &str, style: &Style| {
            let style = Arc::new(style.clone());
            read.extend(text.chars().map(|c| Glyph::letter(c, &style)));
        };
        match event {
            Event::Start(Tag::Image { .. }) => {
                // An image can't be fetched, so its Markdown stays as text.
                if picture == 0 {
                    put(&guarded[range], &style);
                }
                picture += 1;
            }
            Event::End(TagEnd::Image) => picture -= 1,
            _ if picture > 0 => {}
            Event::Start(tag) => mark(&mut style, &tag, true),
            Event::End(TagEnd::Strong) => style.bold = false,
            Event::End(TagEnd::Emphasis) => style.italic = false,
            Event::End(TagEnd::Strikethrough) => style.struck = false,
            Event::End(TagEnd::Link) => style.link = None,
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => put(&text, &style),
            Event::Code(text) => {
                let code = Style {
                    code: true,
                    ..style.clone()
                };
                put(&text, &code);
            }
            _ => {}
        }
    }
    read.pop();
    read.drain(..1.min(read.len()));
    settle(&mut read);
    read
}

fn mark(style: &mut Style, tag: &Tag<'_>, on: bool) {
    match tag {
        Tag::Strong => style.bold = on,
        Tag::Emphasis => style.italic = on,
        Tag::Strikethrough => style.struck = on,
        Tag::Link { dest_url, .. } => style.link = Some(dest_url.to_string()),
        _ => {}
    }
}

/// Writes letters as Markdown with few escapes. A style without Markdown notation is dropped.
pub(super) fn written(glyphs: &mut [Glyph]) -> String {
    let plain = glyphs
        .iter()
        .all(|glyph| !is_mark(glyph.letter) && *glyph.style == Style::default());
    if plain {
        return glyphs.iter().map(|glyph| glyph.letter).collect();
    }
    for plain in [false, true] {
        if plain {
            glyphs
                .iter_mut()
                .for_each(|glyph| glyph.style = Arc::default());
        }
        for escaped in [false, true] {
            let text = marked(glyphs, escaped);
            let again = read(&text);
            if again.len() == glyphs.len() && again.iter().zip(&*glyphs).all(|(a, b)| a.same(b)) {
                return text;
            }
        }
    }
    marked(glyphs, true)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Link,
    Struck,
    Bold,
    Italic,
    Code,
}

impl Style {
    fn has(&self, mark: Mark) -> bool {
        match mark {
            Mark::Link => self.link.is_some(),
            Mark::Struck => self.struck,
            Mark::Bold => self.bold,
            Mark::Italic => self.italic,
            Mark::Code => self.code,
        }
    }

    fn shares(&self, other: &Self, mark: Mark) -> bool {
        other.has(mark) && (mark != Mark::Link || self.link == other.link)
    }
}

fn marked(glyphs: &[Glyph], with_escapes: bool) -> String {
    let runs: Vec<&[Glyph]> = glyphs.chunk_by(|a, b| a.style == b.style).collect();
    let (mut text, mut open) = (String::new(), Vec::<(Mark, Arc<Style>)>::new());
    for (at, run) in runs.iter().enumerate() {
        let style = &run[0].style;
        while open.iter().any(|(mark, since)| !since.shares(style, *mark)) {
            close(&mut text, open.pop());
        }
        let letters: String = run.iter().map(|glyph| glyph.letter).collect();
        if is_address(&letters, style) {
            text.push_str(&format!("<{letters}>"));
            continue;
        }
        let all = [
            Mark::Link,
            Mark::Struck,
            Mark::Bold,
            Mark::Italic,
            Mark::Code,
        ];
        let mut missing: Vec<Mark> = all.into_iter().filter(|mark| style.has(*mark)).collect();
        missing.retain(|mark| !open.iter().any(|(is, _)| is == mark));
        let lasts = |mark: Mark| {
            let runs = runs[at..].iter();
            runs.take_while(|run| style.shares(&run[0].style, mark))
                .count()
        };
        // The longest mark is the outermost. Code contains no other marks.
        missing.sort_by_key(|mark| (*mark == Mark::Code, std::cmp::Reverse(lasts(*mark))));
        // A mark can't begin next to a space, and a space between styled words has the style anyway.
        let gap = match missing.is_empty() {
            true => 0,
            false => letters.len() - letters.trim_start().len(),
        };
        text.push_str(&letters[..gap]);
        for mark in missing {
            text.push_str(match mark {
                Mark::Link => "[",
                Mark::Struck => "~~",
                Mark::Bold => "**",
                Mark::Italic => "*",
                Mark::Code => "`",
            });
            open.push((mark, style.clone()));
        }
        match with_escapes && !style.code {
            true => text.push_str(&escaped(&letters[gap..], MARKS)),
            false => text.push_str(&letters[gap..]),
        }
    }
    while !open.is_empty() {
        close(&mut text, open.pop());
    }
    text
}

fn escaped(text: &str, marks: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        escaped.extend(Some('\\').filter(|_| marks.contains(letter)));
        escaped.push(letter);
    }
    escaped
}

/// Whether a link shows its own URL and has no other style.
fn is_address(letters: &str, style: &Style) -> bool {
    let bare = Style {
        link: Some(letters.to_owned()),
        ..Style::default()
    };
    *style == bare && letters.starts_with("http") && !letters.contains([' ', '<', '>', '\\'])
}

fn close(text: &mut String, mark: Option<(Mark, Arc<Style>)>) {
    let Some((mark, style)) = mark else { return };
    match mark {
        Mark::Link => {
            let url = style.link.as_deref().unwrap_or_default();
            let odd = |c: char| " ()<>\\".contains(c);
            let url = match url.is_empty() || url.contains(odd) {
                true => format!("<{}>", escaped(url, "<>\\")),
                false => url.to_owned(),
            };
            text.push_str(&format!("]({url})"));
        }
        Mark::Struck => text.push_str("~~"),
        Mark::Bold => text.push_str("**"),
        Mark::Italic => text.push('*'),
        Mark::Code => text.push('`'),
    }
}

#[cfg(test)]
#[path = "markdown_tests.rs"]
mod tests;
