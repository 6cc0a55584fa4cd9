//! A CSV file (RFC 4180) as rows with positions. A change rewrites only its own lines, so no CSV writer is
//! used.

use super::decoded;
use crate::Result;
use alfred_core::ports::{AccountError, Cell, Rows};

const SHEET_DAMAGED: &str =
    "A quotation in this sheet doesn't end, so I don't write to it; please repair it first.";

pub(super) struct Csv<'a> {
    mark: &'a str,
    delimiter: char,
    newline: &'static str,
    rows: Vec<Row<'a>>,
    /// A quotation doesn't end.
    torn: bool,
}

struct Row<'a> {
    /// The raw line without its end.
    line: &'a str,
    /// `\n`, `\r\n`, `\r`, or nothing in the last one.
    end: &'a str,
    fields: Vec<String>,
}

impl<'a> Csv<'a> {
    pub fn read(bytes: &'a [u8]) -> Result<Self> {
        let (mark, text) = decoded(bytes)?;
        let mut csv = Self {
            mark,
            delimiter: delimiter(text),
            newline: if text.contains("\r\n") { "\r\n" } else { "\n" },
            rows: Vec::new(),
            torn: false,
        };
        let mut left = text;
        while !left.is_empty() {
            left = csv.row(left);
        }
        Ok(csv)
    }

    /// Parses a row; returns the remaining text.
    fn row(&mut self, text: &'a str) -> &'a str {
        let (mut fields, mut at) = (Vec::new(), 0);
        loop {
            let (field, length, whole) = field(&text[at..], self.delimiter);
            self.torn |= !whole;
            fields.push(field);
            at += length;
            if !text[at..].starts_with(self.delimiter) {
                break;
            }
            at += self.delimiter.len_utf8();
        }
        let (line, rest) = text.split_at(at);
        let ends = ["\r\n", "\n", "\r"];
        let end = ends.into_iter().find(|end| rest.starts_with(end));
        let (end, rest) = rest.split_at(end.map_or(0, str::len));
        self.rows.push(Row { line, end, fields });
        rest
    }

    /// Rows up to the last non-empty one.
    pub fn height(&self) -> usize {
        let is_filled = |row: &Row<'_>| row.fields.iter().any(|field| !field.is_empty());
        let last = self.rows.iter().rposition(is_filled);
        last.map_or(0, |last| last + 1)
    }

    /// Columns up to the last non-empty one.
    pub fn width(&self) -> usize {
        let last = |row: &Row<'_>| row.fields.iter().rposition(|field| !field.is_empty());
        let ends = self.rows.iter().filter_map(last);
        ends.max().map_or(0, |last| last + 1)
    }

    /// Row and column count from 0.
    pub fn cell(&self, row: usize, column: usize) -> Cell {
        let field = self.rows.get(row).and_then(|row| row.fields.get(column));
        field.map_or(Cell::Empty, |field| Cell::typed(field))
    }

    /// The file with these values from this row and column on.
    pub fn with(&self, top: usize, left: usize, values: &Rows) -> Result<Vec<u8>> {
        if self.torn {
            return Err(AccountError::refused(SHEET_DAMAGED));
        }
        let mut file = self.mark.to_owned();
        let bottom = top + values.len();
        for number in 0..self.rows.len().max(bottom) {
            let row = self.rows.get(number);
            let changed = number.checked_sub(top).and_then(|at| values.get(at));
            match changed {
                Some(values) => file.push_str(&self.line(row, left, values)),
                None => file.push_str(row.map_or("", |row| row.line)),
            }
            let is_last = number + 1 >= self.rows.len().max(bottom);
            file.push_str(match row.map(|row| row.end) {
                Some(end) if is_last || !end.is_empty() => end,
                _ => self.newline,
            });
        }
        Ok(file.into_bytes())
    }

    /// A row's line with new values from this column on. Other fields stay verbatim.
    fn line(&self, row: Option<&Row<'_>>, left: usize, values: &[Cell]) -> String {
        let mut fields = row.map_or_else(Vec::new, |row| row.fields.clone());
        let right = left + values.len();
        fields.resize(fields.len().max(right), String::new());
        for (field, value) in fields[left..right].iter_mut().zip(values) {
            *field = value.to_string();
        }
        let fields: Vec<String> = fields.iter().map(|field| self.quoted(field)).collect();
        fields.join(&self.delimiter.to_string())
    }

    fn quoted(&self, field: &str) -> String {
        if field.contains(['"', '\n', '\r', self.delimiter]) {
            format!("\"{}\"", field.replace('"', "\"\""))
        } else {
            field.to_owned()
        }
    }
}

pub(super) fn header(names: &[String]) -> Result<Vec<u8>> {
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let names = names.iter().map(|name| Cell::Text(name.clone())).collect();
    Csv::read(b"")?.with(0, 0, &vec![names])
}

/// The most frequent delimiter of the first line, outside quotations.
fn delimiter(text: &str) -> char {
    let first = text.lines().next().unwrap_or_default();
    let outside: String = first.split('"').step_by(2).collect();
    let count = |delimiter: char| outside.matches(delimiter).count();
    let most = ['\t', ';', ','].into_iter().max_by_key(|it| count(*it));
    most.filter(|it| count(*it) > 0).unwrap_or(',')
}

/// The field at the start of a text, its length in bytes including quotes, and whether its quotation ends.
fn field(text: &str, delimiter: char) -> (String, usize, bool) {
    let Some(mut left) = text.strip_prefix('"') else {
        let plain = unquoted(text, delimiter);
        return (plain.to_owned(), plain.len(), true);
    };
    let mut field = String::new();
    while let Some((inside, rest)) = left.split_once('"') {
        field.push_str(inside);
        let Some(more) = rest.strip_prefix('"') else {
            // Text after a closing quote belongs to the field.
            let behind = unquoted(rest, delimiter);
            field.push_str(behind);
            return (field, text.len() - rest.len() + behind.len(), true);
        };
        field.push('"');
        left = more;
    }
    field.push_str(left);
    (field, text.len(), false)
}

/// The text before the next delimiter or line end.
fn unquoted(text: &str, delimiter: char) -> &str {
    let end = text.find([delimiter, '\r', '\n']);
    end.map_or(text, |end| &text[..end])
}

#[cfg(test)]
#[path = "csv_tests.rs"]
mod tests;
