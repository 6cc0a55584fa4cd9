//! Days with a name.

use jiff::civil::{Date, date};

use super::lex::{Word, at};

/// Days that fall on one date each year: how they are written (folded), month, day, name.
const FIXED: [(&str, i8, i8, &str); 22] = [
    ("new years eve", 12, 31, "New Year's Eve"),
    ("new years day", 1, 1, "New Year's Day"),
    ("new years", 1, 1, "New Year's Day"),
    ("new year", 1, 1, "New Year's Day"),
    ("epiphany", 1, 6, "Epiphany"),
    ("valentines day", 2, 14, "Valentine's Day"),
    ("valentines", 2, 14, "Valentine's Day"),
    ("st patricks day", 3, 17, "St Patrick's Day"),
    ("saint patricks day", 3, 17, "St Patrick's Day"),
    ("april fools day", 4, 1, "April Fools' Day"),
    ("april fools", 4, 1, "April Fools' Day"),
    ("may day", 5, 1, "May Day"),
    ("bastille day", 7, 14, "Bastille Day"),
    ("halloween", 10, 31, "Halloween"),
    ("all saints day", 11, 1, "All Saints' Day"),
    ("christmas eve", 12, 24, "Christmas Eve"),
    ("christmas day", 12, 25, "Christmas Day"),
    ("christmas", 12, 25, "Christmas Day"),
    ("xmas", 12, 25, "Christmas Day"),
    ("boxing day", 12, 26, "Boxing Day"),
    ("fourth of july", 7, 4, "the Fourth of July"),
    ("cinco de mayo", 5, 5, "Cinco de Mayo"),
];

/// Days whose date depends on the year, the country or the moon.
const MOVABLE: [&str; 33] = [
    "ascension day",
    "ash wednesday",
    "black friday",
    "carnival",
    "chinese new year",
    "columbus day",
    "corpus christi",
    "cyber monday",
    "diwali",
    "easter monday",
    "easter sunday",
    "easter",
    "eid",
    "fathers day",
    "good friday",
    "hanukkah",
    "holi",
    "labor day",
    "labour day",
    "lunar new year",
    "mardi gras",
    "martin luther king day",
    "memorial day",
    "mothers day",
    "palm sunday",
    "passover",
    "pentecost",
    "presidents day",
    "ramadan",
    "rosh hashanah",
    "thanksgiving day",
    "thanksgiving",
    "yom kippur",
];

/// The next such day from today on: its date, its name and its words.
pub(super) fn fixed(
    words: &[Word],
    start: usize,
    today: Date,
) -> Option<(Date, &'static str, usize)> {
    let found = FIXED.iter().find_map(|(written, month, day, name)| {
        Some((length_at(words, start, written)?, *month, *day, *name))
    })?;
    let (len, month, day, name) = found;
    let this_year = date(today.year(), month, day);
    let next = if this_year < today {
        Date::new(today.year().checked_add(1)?, month, day).ok()?
    } else {
        this_year
    };
    Some((next, name, len))
}

/// A day with a name but without a fixed date, as written.
pub(super) fn movable(words: &[Word]) -> Option<String> {
    (0..words.len()).find_map(|start| {
        let len = MOVABLE
            .iter()
            .find_map(|written| length_at(words, start, written))?;
        let texts: Vec<&str> = words[start..start + len]
            .iter()
            .map(|word| word.text.as_str())
            .collect();
        Some(texts.join(" "))
    })
}

fn length_at(words: &[Word], start: usize, written: &str) -> Option<usize> {
    let pattern: Vec<&str> = written.split(' ').collect();
    at(words, start, &pattern).then_some(pattern.len())
}
