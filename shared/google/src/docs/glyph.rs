//! Letters of the text with their index in the document.

use std::sync::Arc;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Style {
    pub bold: bool,
    pub italic: bool,
    pub struck: bool,
    pub code: bool,
    pub link: Option<String>,
}

impl Style {
    pub fn code() -> Self {
        Self {
            code: true,
            ..Self::default()
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Letter,
    /// Part of the label of one element.
    Chip,
    /// Exists only in the text, such as the bars of a table.
    Syntax,
}

#[derive(Clone, Debug)]
pub(super) struct Glyph {
    pub letter: char,
    pub style: Arc<Style>,
    pub role: Role,
    /// Number of indexes that it takes.
    pub units: u32,
    /// Insertion index after the glyph. `None` if nothing can be inserted there.
    pub after: Option<u32>,
}

impl Glyph {
    pub fn letter(letter: char, style: &Arc<Style>) -> Self {
        Self {
            letter,
            style: style.clone(),
            role: Role::Letter,
            units: u32::from(letter.len_utf16() == 2) + 1,
            after: None,
        }
    }

    pub fn syntax(letter: char, after: Option<u32>) -> Self {
        Self {
            letter,
            style: Arc::default(),
            role: Role::Syntax,
            units: 0,
            after,
        }
    }

    /// Whether both look the same. Table syntax differs from text, except for whitespace.
    pub fn same(&self, other: &Self) -> bool {
        let of_text = |glyph: &Self| glyph.role != Role::Syntax || glyph.letter.is_whitespace();
        self.letter == other.letter && self.style == other.style && of_text(self) == of_text(other)
    }
}

/// Characters that Google accepts in inserted text.
pub(super) fn insertable(letter: char) -> bool {
    !matches!(letter, '\0'..='\u{8}' | '\u{c}'..='\u{1f}' | '\u{e000}'..='\u{f8ff}')
}

/// Gives whitespace the style that both neighbours share: Markdown marks can't be next to spaces.
pub(super) fn settle(glyphs: &mut [Glyph]) {
    let is_gap = |glyph: &Glyph| glyph.letter.is_whitespace() && glyph.role == Role::Letter;
    let mut at = 0;
    while at < glyphs.len() {
        let length = glyphs[at..]
            .iter()
            .take_while(|glyph| is_gap(glyph))
            .count();
        if length == 0 {
            at += 1;
            continue;
        }
        let before = at.checked_sub(1).map(|at| glyphs[at].style.clone());
        let after = glyphs.get(at + length).map(|glyph| glyph.style.clone());
        let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
        let style = Arc::new(Style {
            bold: before.bold && after.bold,
            italic: before.italic && after.italic,
            struck: before.struck && after.struck,
            code: before.code && after.code,
            link: before
                .link
                .clone()
                .filter(|link| after.link.as_ref() == Some(link)),
        });
        for glyph in &mut glyphs[at..at + length] {
            glyph.style = style.clone();
        }
        at += length;
    }
}
