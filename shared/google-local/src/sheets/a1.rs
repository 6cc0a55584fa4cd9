//! Ranges in A1 notation (<https://developers.google.com/workspace/sheets/api/guides/concepts#cell>), of those the
//! ones that name a tab and cells: `'My tab'!A1`, `Tab!B2:D5`.

use std::ops::Range;

use super::{Spreadsheet, Tab};
use crate::error::ApiError;

/// A part of a grid: from 0, without its last row and column, as the API's `GridRange`.
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
    /// The tab and the cells that a range names; all within its grid.
    pub(super) fn area(&self, range: &str) -> Result<(&Tab, Area), ApiError> {
        let unknown = || ApiError::invalid(format!("Unable to parse range: {range}"));
        let (name, cells) = range.rsplit_once('!').ok_or_else(unknown)?;
        let quoted = name.strip_prefix('\'').and_then(|n| n.strip_suffix('\''));
        let name = match quoted {
            Some(name) if name.replace("''", "").contains('\'') => return Err(unknown()),
            Some(name) => name.replace("''", "'"),
            None if name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') => name.into(),
            None => return Err(unknown()),
        };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read() {
        let titles = ["Sheet1", "Ana's 🌳 plan"];
        let tabs = titles.map(|title| Tab::new(0, title, (1_000, 1_000)));
        let book = Spreadsheet::of(tabs.to_vec());
        let cases = [
            ("Sheet1!A1", Some((0, [0, 1, 0, 1]))),
            ("'Sheet1'!B2:AB10", Some((0, [1, 10, 1, 28]))),
            ("'Ana''s 🌳 plan'!C5:D7", Some((1, [4, 7, 2, 4]))),
            ("Ana''s 🌳 plan!A1", None),
            ("'Ana's 🌳 plan'!A1", None),
            ("Other!A1", None),
            ("A1", None),
            ("Sheet1!A0", None),
            ("Sheet1!B2:A1", None),
            ("Sheet1!A999:A1001", None),
            ("Sheet1!A1:B", None),
        ];
        for (range, expected) in cases {
            let area = book.area(range).ok();
            let found = area.map(|(tab, area)| {
                let at = titles.iter().position(|title| *title == tab.title);
                let Area {
                    top,
                    bottom,
                    left,
                    right,
                } = area;
                assert_eq!(book.area(&area.a1(&tab.title)).unwrap().1, area);
                (at.unwrap(), [top, bottom, left, right])
            });
            assert_eq!(found, expected, "{range}");
        }
    }
}
