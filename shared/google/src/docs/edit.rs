//! Turns a text edit into the smallest change of the document. Unchanged lines and words keep their style,
//! comments and everything that Markdown doesn't show.

use alfred_core::ports::{AccountError, Edit};
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use super::blocks::{Block, is_fence};
use super::body::{Body, Kind, Line};
use super::glyph::{Glyph, Role, Style, insertable};
use super::markdown::read;

const PASSAGE_NOT_PLAIN: &str = "That passage holds more than text, such as the lines of a table; please change it in the document itself.";

pub(super) struct Change<'a> {
    pub old: &'a [Line],
    /// Block types of the new lines.
    pub blocks: Vec<Block>,
    /// Glyphs of the old lines, with newlines in between.
    pub before: Vec<Glyph>,
    pub after: Vec<Glyph>,
    /// Unchanged glyphs at the start and at the end.
    pub head: usize,
    pub tail: usize,
}

fn not_here() -> AccountError {
    AccountError::refused(PASSAGE_NOT_PLAIN)
}

/// The lines that an edit touches, and their new text.
fn touched<'t>(
    body: &'t Body,
    text: &str,
    edited: &'t str,
    passage: &Range<usize>,
) -> (RangeInclusive<usize>, Vec<&'t str>) {
    let line_of = |at: usize| text[..at].matches('\n').count();
    let (mut first, mut last) = (line_of(passage.start), line_of(passage.end));
    let start = text[..passage.start].rfind('\n').map_or(0, |at| at + 1);
    let rest = text[passage.end..].find('\n');
    let rest = rest.map_or(0, |at| text.len() - passage.end - at);
    let mut lines: Vec<&str> = edited[start..edited.len() - rest].split('\n').collect();
    let same = |line: usize, new: &str| body.lines[line].text == new;
    while first < last && lines.len() > 1 && same(last, lines[lines.len() - 1]) {
        last -= 1;
        lines.pop();
    }
    while first < last && lines.len() > 1 && same(first, lines[0]) {
        first += 1;
        lines.remove(0);
    }
    let mut old = body.lines[first..=last].iter();
    let fixed = old.any(|line| line.kind != Kind::Paragraph);
    if fixed && first > 0 && (first < last || lines.len() > 1) {
        // Text before a table belongs to the end of the line before it.
        first -= 1;
        lines.insert(0, &body.lines[first].text);
    }
    (first..=last, lines)
}

impl<'a> Change<'a> {
    /// `Refused` as [`Edit::applied_to`], or if the edit touches something that isn't text.
    pub fn new(body: &'a Body, edit: &Edit) -> Result<Self, AccountError> {
        let text = body.text();
        let edited = edit.applied_to(&text)?;
        let passage = match edit {
            Edit::Append(_) => text.len()..text.len(),
            Edit::Replace { old, .. } => {
                let at = text.find(old.as_str()).unwrap_or_default();
                at..at + old.len()
            }
        };
        let (touched, lines) = touched(body, &text, &edited, &passage);
        let (first, last) = touched.into_inner();
        let mut change = Self {
            old: &body.lines[first..=last],
            blocks: Vec::new(),
            before: Vec::new(),
            after: Vec::new(),
            head: 0,
            tail: 0,
        };
        for at in first..=last {
            change.before.extend(body.lines[at].glyphs.iter().cloned());
            if at < last {
                change.before.push(body.newline(at));
            }
        }
        change.read(body, first, &lines);
        change.compare();
        Ok(change)
    }

    fn read(&mut self, body: &Body, first: usize, lines: &[&str]) {
        let mut lists = body.lists_before(first);
        let known: Vec<Block> = self.old.iter().map(|line| line.block).collect();
        for (number, line) in lines.iter().enumerate() {
            if number > 0 {
                self.after.push(Glyph::letter('\n', &Arc::default()));
            }
            let kept = self.old.iter().filter(|old| old.kind != Kind::Paragraph);
            let kept = kept.into_iter().find(|old| old.text == *line);
            let is_row = lines.len() == 1 && self.old.len() == 1 && self.old[0].kind == Kind::Row;
            let fence = is_fence(line);
            let (block, glyphs) = if let Some(kept) = kept {
                (Block::Plain, kept.glyphs.clone())
            } else if is_row {
                (Block::Plain, row(line))
            } else if lists.fenced && !fence {
                let code = Arc::new(Style::code());
                let letters = line.chars().filter(|c| insertable(*c));
                (
                    Block::Plain,
                    letters.map(|c| Glyph::letter(c, &code)).collect(),
                )
            } else {
                let (block, inside) = lists.read(line, &known);
                lists.fenced ^= fence && block == Block::Plain;
                (block, read(inside))
            };
            self.blocks.push(block);
            self.after.extend(glyphs);
        }
    }

    /// Computes the unchanged head and tail.
    fn compare(&mut self) {
        let (before, after) = (&self.before, &self.after);
        let same = |(a, b): &(&Glyph, &Glyph)| a.same(b);
        self.head = before.iter().zip(after).take_while(same).count();
        let most = before.len().min(after.len()) - self.head;
        let most = most.min(self.tail_of_same_blocks());
        let tail = before.iter().rev().zip(after.iter().rev()).take(most);
        self.tail = tail.take_while(same).count();
        let fits = |old: usize, new: usize| {
            is_edge(before, old) || (is_gap(before, old) && is_gap(after, new))
        };
        while self.head > 0 && !fits(self.head, self.head) {
            self.head -= 1;
        }
        while self.tail > 0 && !fits(before.len() - self.tail, after.len() - self.tail) {
            self.tail -= 1;
        }
        self.slide();
    }

    /// Length of the trailing lines whose block type stays, including the text of the first one that changes.
    fn tail_of_same_blocks(&self) -> usize {
        let mut length = 0;
        let old = self.old.iter().rev();
        for (old, new) in old.zip(self.blocks.iter().rev()) {
            length += old.glyphs.len();
            if !old.block.same(*new) {
                break;
            }
            length += 1;
        }
        length
    }

    /// Shifts the change to the newline before it, if the newline after it can't be changed.
    fn slide(&mut self) {
        let (out, new) = (self.removed(), self.inserted());
        let moved = match (out.last(), new.last()) {
            (Some(last), None) | (None, Some(last)) => last.letter,
            _ => return,
        };
        let before = self.head.checked_sub(1).map(|at| &self.before[at]);
        let stuck = out.last().is_some_and(|last| last.role == Role::Syntax)
            || before.is_some_and(|glyph| glyph.after.is_none());
        if stuck && moved == '\n' && before.is_some_and(|glyph| glyph.letter == '\n') {
            self.head -= 1;
            self.tail += 1;
        }
    }

    pub fn removed(&self) -> &[Glyph] {
        &self.before[self.head..self.before.len() - self.tail]
    }

    pub fn inserted(&self) -> &[Glyph] {
        &self.after[self.head..self.after.len() - self.tail]
    }

    /// The index at which text is inserted. `Refused` if there is none, or if table syntax would change.
    pub fn index(&self) -> Result<u32, AccountError> {
        let touched = self.removed().iter().chain(self.inserted());
        if touched.into_iter().any(|glyph| glyph.role == Role::Syntax) {
            return Err(not_here());
        }
        let place = match self.head.checked_sub(1) {
            Some(before) => self.before[before].after,
            None => Some(&self.old[0])
                .filter(|line| line.kind == Kind::Paragraph)
                .map(|line| line.start),
        };
        match (place, self.inserted().is_empty()) {
            (Some(place), _) => Ok(place),
            (None, true) => Ok(0),
            (None, false) => Err(not_here()),
        }
    }

    /// The index ranges to delete, last first.
    pub fn removed_indexes(&self) -> Vec<Range<u32>> {
        let mut ranges: Vec<Range<u32>> = Vec::new();
        for glyph in self.removed().iter().filter(|glyph| glyph.units > 0) {
            let end = glyph.after.unwrap_or_default();
            let start = end - glyph.units;
            match ranges.last_mut() {
                Some(last) if last.end == start => last.end = end,
                _ => ranges.push(start..end),
            }
        }
        ranges.reverse();
        ranges
    }

    /// The range of changed lines, old and new.
    pub fn lines(&self) -> (Range<usize>, Range<usize>) {
        let count = |glyphs: &[Glyph]| glyphs.iter().filter(|glyph| glyph.letter == '\n').count();
        let first = count(&self.before[..self.head]);
        let (old, new) = (count(self.removed()), count(self.inserted()));
        (first..first + old, first..first + new)
    }
}

/// Whether one side of this position isn't a letter, so no letter is split.
fn is_edge(glyphs: &[Glyph], at: usize) -> bool {
    let sides = [at.checked_sub(1), Some(at)].into_iter().flatten();
    let mut sides = sides.filter_map(|at| glyphs.get(at));
    sides.any(|glyph| glyph.role != Role::Letter) && !is_in_chip(glyphs, at)
}

fn is_in_chip(glyphs: &[Glyph], at: usize) -> bool {
    let glyph = glyphs.get(at);
    glyph.is_some_and(|glyph| glyph.role == Role::Chip && glyph.units == 0)
}

/// Whether text can be cut here. Never inside a word, where several characters may form one letter.
fn is_gap(glyphs: &[Glyph], at: usize) -> bool {
    let before = at.checked_sub(1).map(|at| &glyphs[at]);
    match (before, glyphs.get(at)) {
        (None, _) | (_, None) => true,
        (Some(before), Some(next)) => {
            !is_in_chip(glyphs, at) && (before.letter == '\n' || next.letter.is_whitespace())
        }
    }
}

/// Parses a table row.
fn row(line: &str) -> Vec<Glyph> {
    let mut glyphs = Vec::new();
    let syntax = |glyphs: &mut Vec<Glyph>, text: &str| {
        glyphs.extend(text.chars().map(|letter| Glyph::syntax(letter, None)));
    };
    let inside = line
        .strip_prefix("| ")
        .and_then(|rest| rest.strip_suffix(" |"));
    let Some(inside) = inside else {
        syntax(&mut glyphs, line);
        return glyphs;
    };
    syntax(&mut glyphs, "| ");
    for (number, cell) in inside.split(" | ").enumerate() {
        if number > 0 {
            syntax(&mut glyphs, " | ");
        }
        // An unescaped bar would start another cell.
        let bare = cell.replace("\\|", "");
        match bare.contains('|') {
            true => syntax(&mut glyphs, cell),
            false => glyphs.extend(read(&cell.replace("\\|", "|"))),
        }
    }
    syntax(&mut glyphs, " |");
    glyphs
}

#[cfg(test)]
#[path = "edit_tests.rs"]
mod tests;
