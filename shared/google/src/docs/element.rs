//! The visible parts of a paragraph: text, and chips that represent one element each. Suggestions of others
//! are skipped.

use std::sync::Arc;

use super::glyph::{Glyph, Role, Style};
use super::wire::{Element, Inline, Paragraph, Structural, TextStyle};

/// Adds glyphs that exist only in the text. `after` is the insertion index after the last of them.
pub(super) fn put(glyphs: &mut Vec<Glyph>, text: &str, after: Option<u32>) {
    glyphs.extend(text.chars().map(|letter| Glyph::syntax(letter, None)));
    if let Some(last) = glyphs.last_mut() {
        last.after = after;
    }
}

/// All paragraphs of a cell, separated by a space.
pub(super) fn cell_letters(content: &[Structural]) -> Vec<Glyph> {
    let mut glyphs = Vec::new();
    let paragraphs = content
        .iter()
        .filter_map(|one| Some((one, one.paragraph.as_ref()?)));
    for (number, (element, paragraph)) in paragraphs.enumerate() {
        if number > 0 {
            put(&mut glyphs, " ", Some(element.start_index));
        }
        letters(paragraph, &mut glyphs);
    }
    glyphs
}

/// Adds the visible glyphs of a paragraph. Returns the index of its newline, unless that is only suggested.
pub(super) fn letters(paragraph: &Paragraph, glyphs: &mut Vec<Glyph>) -> Option<u32> {
    let mut end = None;
    for element in &paragraph.elements {
        let Some((inline, chip)) = element.words() else {
            continue;
        };
        if !inline.suggested_insertion_ids.is_empty() {
            continue;
        }
        let style = Arc::new(inline.style());
        if let Some(chip) = chip {
            push_chip(glyphs, &chip, &style, element.start_index);
            continue;
        }
        let mut at = element.start_index;
        for letter in inline.content.chars() {
            let mut glyph = Glyph::letter(letter, &style);
            at += glyph.units;
            glyph.after = Some(at);
            match letter {
                '\n' => end = Some(at - 1),
                // A line break inside a paragraph.
                '\u{b}' => push_chip(glyphs, "<br>", &Arc::default(), at - 1),
                // Placeholder of an element without text.
                '\u{e907}' => {}
                _ => glyphs.push(glyph),
            }
        }
    }
    end
}

fn push_chip(glyphs: &mut Vec<Glyph>, text: &str, style: &Arc<Style>, at: u32) {
    for (number, letter) in text.chars().enumerate() {
        glyphs.push(Glyph {
            letter,
            style: style.clone(),
            role: Role::Chip,
            units: u32::from(number == 0),
            after: Some(at + 1),
        });
    }
}

impl Element {
    /// The element's text, and for a chip its label.
    fn words(&self) -> Option<(&Inline, Option<String>)> {
        if let Some(run) = &self.text_run {
            return Some((run, None));
        }
        if let Some(person) = &self.person {
            let words = &person.person_properties;
            let name = if words.name.is_empty() {
                &words.email
            } else {
                &words.name
            };
            return Some((person, Some(one_line(name))));
        }
        if let Some(link) = &self.rich_link {
            return Some((link, Some(one_line(&link.rich_link_properties.title))));
        }
        let date = self.date_element.as_ref()?;
        Some((
            date,
            Some(one_line(&date.date_element_properties.display_text)),
        ))
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Inline {
    fn style(&self) -> Style {
        let TextStyle {
            bold,
            italic,
            strikethrough,
            link,
            weighted_font_family,
        } = &self.text_style;
        let chip = Some(&self.rich_link_properties.uri).filter(|uri| !uri.is_empty());
        Style {
            bold: *bold,
            italic: *italic,
            struck: *strikethrough,
            code: is_code(&weighted_font_family.font_family),
            link: chip.or(link.url.as_ref()).cloned(),
        }
    }
}

/// Whether a font counts as code.
fn is_code(font: &str) -> bool {
    ["Mono", "Courier", "Consolas", "Inconsolata", "Source Code"]
        .iter()
        .any(|name| font.contains(name))
}
