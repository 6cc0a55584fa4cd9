//! Ranges in A1 notation (<https://developers.google.com/workspace/sheets/api/guides/concepts#cell>) with a quoted tab:
//! `'My tab'!A1`, `'Tab'!B2:D5`.

use std::ops::Range;

use super::{Spreadsheet, Tab};
use crate::error::ApiError;

/// A part of a grid, from 0. The ends are exclusive, as in the API's `GridRange`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Area {
    pub top: u32,
    pub bottom: u32,
    pub left: u32,
    pub right: u32,
}

impl Area {
    pub fn rows(&self) -> Range<u32> {
        self.top..self.bottom
    }

    pub fn columns(&self) -> Range<u32> {
        self.left..self.right
    }

    pub fn a1(&self, tab: &str) -> String {
        let tab = tab.replace('\'', "''");
        let last = format!("{}{}", letters(self.right), self.bottom);
        format!("'{tab}'!{}{}:{last}", letters(self.left + 1), self.top + 1)
    }
}

impl Spreadsheet {
    /// The tab and cells of a range, which must be within the grid.
    pub(super) fn area(&self, range: &str) -> Result<(&Tab, Area), ApiError> {
        let unknown = || ApiError::invalid(format!("Unable to parse range: {range}"));
        let (name, cells) = range.rsplit_once('!').ok_or_else(unknown)?;
        let quoted = name.strip_prefix('\'').and_then(|n| n.strip_suffix('\''));
        let name = quoted.filter(|name| !name.replace("''", "").contains('\''));
        let name = name.ok_or_else(unknown)?.replace("''", "'");
        let tab = self.tabs.iter().find(|tab| tab.title == name);
        let tab = tab.ok_or_else(unknown)?;
        let (first, last) = cells.split_once(':').unwrap_or((cells, cells));
        let (left, top) = corner(first).ok_or_else(unknown)?;
        let (right, bottom) = corner(last).ok_or_else(unknown)?;
        let area = Area {
            top: top - 1,
            bottom,
            left: left - 1,
            right,
        };
        if area.rows().is_empty() || area.columns().is_empty() {
            return Err(unknown());
        }
        tab.check(&area)?;
        Ok((tab, area))
    }
}

/// Column and row of `B2`, from 1.
fn corner(cell: &str) -> Option<(u32, u32)> {
    let end = cell.bytes().take_while(u8::is_ascii_uppercase).count();
    let (letters, row) = cell.split_at(end);
    if !(1..=3).contains(&end) {
        return None;
    }
    let column = letters.bytes();
    let column = column.fold(0, |sum, letter| sum * 26 + u32::from(letter - b'A') + 1);
    Some((column, row.parse().ok().filter(|row| *row > 0)?))
}

fn letters(column: u32) -> String {
    let Some(rest) = column.checked_sub(1) else {
        return String::new();
    };
    let last = char::from_digit(10 + rest % 26, 36).unwrap_or_default();
    format!("{}{}", letters(rest / 26), last.to_ascii_uppercase())
}
