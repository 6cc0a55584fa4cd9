//! Letters of the text, each with its place in the document.

use std::sync::Arc;

/// How letters look.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Style {
    pub bold: bool,
    pub italic: bool,
    pub struck: bool,
    pub code: bool,
    pub link: Option<String>,
}

impl Style {
    /// Of code alone.
    pub fn code() -> Self {
        Self {
            code: true,
            ..Self::default()
        }
    }
}

/// What a glyph stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Letter,
    /// One of several that stand for one element.
    Chip,
    /// It is in the text alone, such as the lines of a table.
    Syntax,
}

/// A letter of the text, and its place in the document.
#[derive(Clone, Debug)]
pub(super) struct Glyph {
    pub letter: char,
    pub style: Arc<Style>,
    pub role: Role,
    /// Indexes that it takes.
    pub units: u32,
    /// Where something goes that is put behind it; none where nothing can.
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

    /// Whether people see the same. A bar of a table is none of a text; of gaps nobody can tell.
    pub fn same(&self, other: &Self) -> bool {
        let of_text = |glyph: &Self| glyph.role != Role::Syntax || glyph.letter.is_whitespace();
        self.letter == other.letter && self.style == other.style && of_text(self) == of_text(other)
    }
}

/// What Google takes of a text.
pub(super) fn insertable(letter: char) -> bool {
    !matches!(letter, '\0'..='\u{8}' | '\u{c}'..='\u{1f}' | '\u{e000}'..='\u{f8ff}')
}

/// Spaces look as what is on both sides of them: nobody sees more, and marks can't stand beside spaces.
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
