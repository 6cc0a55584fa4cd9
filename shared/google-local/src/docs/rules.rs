//! Google's rules of structure (<https://developers.google.com/workspace/docs/api/concepts/rules-behavior>).

use std::ops::Range;

use super::apply::invalid;
use super::body::{Mark, Tab, Unit};
use super::shown::table_length;
use crate::error::ApiError;

/// What is left of a text that is inserted.
pub(super) fn stripped(text: &str) -> String {
    let kept =
        |c: &char| !matches!(c, '\0'..='\u{8}' | '\u{c}'..='\u{1f}' | '\u{e000}'..='\u{f8ff}');
    text.chars().filter(kept).collect()
}

/// Whether an index is inside of what people see as one letter; of its rules the common ones.
pub(super) fn continues(units: &[Unit], at: usize) -> bool {
    let code = |at: usize| match units.get(at).map(|unit| unit.mark) {
        Some(Mark::Code(code)) => code,
        _ => 0,
    };
    let joiner = 0x200d;
    let extends = matches!(code(at), 0xdc00..=0xdfff | 0x200d | 0xfe0f | 0x300..=0x36f);
    extends || code(at - 1) == joiner
}

pub(super) fn check_deletion(tab: &Tab, range: &Range<usize>) -> Result<(), ApiError> {
    let units = &tab.units;
    if range.end >= units.len() {
        return invalid(
            "The range cannot include the newline character at the end of the segment.",
        );
    }
    let half = |at: usize| matches!(units[at].mark, Mark::Code(0xdc00..=0xdfff));
    if half(range.start) || half(range.end) {
        return invalid("The range cannot split a surrogate pair.");
    }
    let mut at = range.start;
    while at < range.end {
        match units[at].mark {
            Mark::Code(_) | Mark::Object => at += 1,
            Mark::TableStart => at += table_length(&units[at..]),
            _ => return invalid("Invalid deletion range: it takes a part of a table."),
        }
    }
    if at != range.end {
        return invalid("Invalid deletion range: it takes a part of a table.");
    }
    let last = units[range.end - 1].is_newline();
    match last && !units[range.end].is_content() {
        true => invalid("Invalid deletion range: a table or cell needs the newline."),
        false => Ok(()),
    }
}
