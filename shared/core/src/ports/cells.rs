//! Spreadsheet cells: values as typed, and ranges in A1 notation.

use serde::{Deserialize, Serialize};
use std::fmt;

use super::{AccountError, Result};

/// Rows of cells, from the top.
pub type Rows = Vec<Vec<Cell>>;

/// A cell's value. In JSON: null, boolean, number or string.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Cell {
    #[default]
    Empty,
    Bool(bool),
    Number(f64),
    /// A text, even if it starts like a formula.
    Text(String),
}

/// Maximum digits of a whole number. Spreadsheets lose more digits, so longer ones are texts.
const DIGITS: usize = 15;

impl Cell {
    /// Parses typed input: an empty cell, TRUE or FALSE, a decimal number, else text. A leading
    /// apostrophe makes something that isn't plain text into a text, and is dropped.
    pub fn typed(entry: &str) -> Self {
        match entry.strip_prefix('\'') {
            Some(text) if means_more(text) => Self::Text(text.into()),
            _ => Self::plain(entry),
        }
    }

    fn plain(entry: &str) -> Self {
        if entry.is_empty() {
            return Self::Empty;
        }
        for (word, value) in [("TRUE", true), ("FALSE", false)] {
            if entry.eq_ignore_ascii_case(word) {
                return Self::Bool(value);
            }
        }
        match entry.parse() {
            Ok(number) if is_decimal(entry) => Self::Number(number),
            _ => Self::Text(entry.into()),
        }
    }

    pub fn is_empty(&self) -> bool {
        match self {
            Self::Empty => true,
            Self::Text(text) => text.is_empty(),
            Self::Bool(_) | Self::Number(_) => false,
        }
    }
}

/// The value as typed input: [`Cell::typed`] restores it, and spreadsheets don't treat it as a formula.
impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => Ok(()),
            Self::Bool(true) => f.write_str("TRUE"),
            Self::Bool(false) => f.write_str("FALSE"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Text(text) if means_more(text) => write!(f, "'{text}"),
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// Whether a spreadsheet would interpret the input as more than text, ignoring leading apostrophes.
fn means_more(entry: &str) -> bool {
    let bare = entry.trim_start_matches('\'');
    bare.starts_with(['=', '+', '-', '@', '\t', '\r'])
        || !matches!(Cell::plain(bare), Cell::Text(_) | Cell::Empty)
}

/// Whether it is a plain decimal: `-12.50`, `0.5`, `7`; neither `007` nor `1e5`.
fn is_decimal(entry: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let entry = entry.strip_prefix('-').unwrap_or(entry);
    let (whole, part) = match entry.split_once('.') {
        Some((whole, part)) => (whole, Some(part)),
        None => (entry, None),
    };
    let lead = whole == "0" || !whole.starts_with('0');
    digits(whole) && lead && part.is_none_or(digits) && (part.is_some() || whole.len() <= DIGITS)
}

/// A range of cells in a tab.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CellRange {
    /// The tab's name; empty for the first tab.
    pub tab: String,
    /// First row, from 1.
    pub top: u32,
    /// First column, from 1 for A.
    pub left: u32,
    /// Number of rows, at least 1.
    pub rows: u32,
    /// Number of columns, at least 1.
    pub columns: u32,
}

/// The highest row number of any sheet.
const LAST_ROW: u32 = 10_000_000;
/// The highest column number: ZZZ.
const LAST_COLUMN: u32 = 18_278;

impl CellRange {
    pub const MOST: usize = 20_000;

    /// Parses `B2`, `B2:D5`, `Budget!B2:D5`, `'My tab'!A1`, `$B$2`. Corners may be in any order.
    pub fn parse(a1: &str) -> Option<Self> {
        let (tab, cells) = match a1.trim().rsplit_once('!') {
            Some((tab, cells)) => (tab.trim(), cells),
            None => ("", a1.trim()),
        };
        let quoted = tab.strip_prefix('\'');
        let quoted = quoted.and_then(|tab| tab.strip_suffix('\''));
        let tab = quoted.map_or_else(|| tab.to_owned(), |tab| tab.replace("''", "'"));
        let (first, last) = cells.split_once(':').unwrap_or((cells, cells));
        let ((left, top), (right, bottom)) = (corner(first)?, corner(last)?);
        Some(Self {
            tab,
            top: top.min(bottom),
            left: left.min(right),
            rows: top.abs_diff(bottom) + 1,
            columns: left.abs_diff(right) + 1,
        })
    }

    pub fn cells(&self) -> usize {
        (self.rows as usize).saturating_mul(self.columns as usize)
    }

    /// Checks that the range can be read or written in one call. Fails with `Refused` if it is outside every
    /// sheet or larger than [`Self::MOST`] cells.
    pub fn check(&self) -> Result<()> {
        let ends = |first: u32, many: u32, last: u32| {
            first >= 1 && many >= 1 && first.checked_add(many - 1).is_some_and(|end| end <= last)
        };
        if !ends(self.top, self.rows, LAST_ROW) || !ends(self.left, self.columns, LAST_COLUMN) {
            return Err(AccountError::refused("No sheet has these cells."));
        }
        Self::check_size(self.cells())
    }

    pub(super) fn check_size(cells: usize) -> Result<()> {
        match cells {
            0..=Self::MOST => Ok(()),
            _ => Err(AccountError::refused(format!(
                "These are too many cells at once; {} go at most.",
                Self::MOST
            ))),
        }
    }

    /// The name of a cell in the range, such as `B2`, given its offset from the first cell.
    pub fn name_of(&self, row: u32, column: u32) -> String {
        let top = self.top.saturating_add(row);
        format!("{}{top}", column_name(self.left.saturating_add(column)))
    }
}

impl fmt::Display for CellRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut bytes = self.tab.bytes();
        let plain = bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_');
        match (self.tab.is_empty(), plain) {
            (true, _) => {}
            (false, true) => write!(f, "{}!", self.tab)?,
            (false, false) => write!(f, "'{}'!", self.tab.replace('\'', "''"))?,
        }
        f.write_str(&self.name_of(0, 0))?;
        match (self.rows, self.columns) {
            (1, 1) => Ok(()),
            (rows, columns) => {
                let last = self.name_of(rows.saturating_sub(1), columns.saturating_sub(1));
                write!(f, ":{last}")
            }
        }
    }
}

/// Parses a cell name such as `$B$2` into column and row.
fn corner(cell: &str) -> Option<(u32, u32)> {
    let cell = cell.trim();
    let cell = cell.strip_prefix('$').unwrap_or(cell);
    let letters = cell.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (letters, row) = cell.split_at_checked(letters)?;
    let row = row.strip_prefix('$').unwrap_or(row);
    if !(1..=3).contains(&letters.len()) || !row.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let value = |letter: u8| u32::from(letter.to_ascii_uppercase() - b'A') + 1;
    let letters = letters.bytes();
    let column = letters.fold(0, |sum, letter| sum * 26 + value(letter));
    let row: Option<u32> = row.parse().ok();
    let row = row.filter(|row| (1..=LAST_ROW).contains(row))?;
    Some((column, row))
}

/// The letters of a column: `A`, …, `Z`, `AA`, …
fn column_name(mut column: u32) -> String {
    let mut letters = Vec::new();
    while column > 0 {
        column -= 1;
        let letter = b'A' + u8::try_from(column % 26).unwrap_or_default();
        letters.push(char::from(letter));
        column /= 26;
    }
    letters.iter().rev().collect()
}

#[cfg(test)]
#[path = "cells_tests.rs"]
mod tests;
