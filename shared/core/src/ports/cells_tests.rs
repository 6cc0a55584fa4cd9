use super::*;
use proptest::prelude::*;

fn text(text: &str) -> Cell {
    Cell::Text(text.into())
}

#[test]
fn what_is_typed_is_a_value_and_never_a_formula() {
    let cases = [
        ("", Cell::Empty),
        ("12", Cell::Number(12.0)),
        ("-12.50", Cell::Number(-12.5)),
        ("0.5", Cell::Number(0.5)),
        ("true", Cell::Bool(true)),
        ("FALSE", Cell::Bool(false)),
        ("0.30000000000000004", Cell::Number(0.1 + 0.2)),
        ("007", text("007")),
        ("1e5", text("1e5")),
        ("inf", text("inf")),
        ("1234567890123456", text("1234567890123456")),
        ("=SUM(A1)", text("=SUM(A1)")),
        ("'=SUM(A1)", text("=SUM(A1)")),
        ("'12", text("12")),
        ("''12", text("'12")),
        ("'twas", text("'twas")),
    ];
    for (entry, expected) in cases {
        assert_eq!(Cell::typed(entry), expected, "{entry:?}");
    }
    let cases = [
        (text("=1+1"), "'=1+1"),
        (text("@SUM"), "'@SUM"),
        (text("-5"), "'-5"),
        (text("12"), "'12"),
        (text("'12"), "''12"),
        (text("'twas"), "'twas"),
        (Cell::Number(-5.0), "-5"),
    ];
    for (cell, expected) in cases {
        assert_eq!(cell.to_string(), expected);
    }
}

#[test]
fn ranges_are_read_and_written_as_people_do() {
    let cases = [
        ("B2", Some("B2")),
        (" d5:b2 ", Some("B2:D5")),
        ("$A$1:$C$3", Some("A1:C3")),
        ("Budget!B2:D5", Some("Budget!B2:D5")),
        ("'My tab'!AA10", Some("'My tab'!AA10")),
        ("'It''s'!ZZZ1", Some("'It''s'!ZZZ1")),
        ("A0", None),
        ("A", None),
        ("1", None),
        ("A1:", None),
        ("AAAA1", None),
        ("A-1", None),
        ("É1", None),
        ("", None),
    ];
    for (a1, expected) in cases {
        let range = CellRange::parse(a1).map(|range| range.to_string());
        assert_eq!(range.as_deref(), expected, "{a1:?}");
    }
}

proptest! {
    #[test]
    fn a_cell_is_typed_as_it_is_shown(cell in prop_oneof![
        any::<bool>().prop_map(Cell::Bool),
        (-999_999_999_i32..999_999_999).prop_map(|n| Cell::Number(f64::from(n) / 8.0)),
        "['=+@0-9a-zA-Z .\t-]{1,8}".prop_map(Cell::Text),
    ]) {
        prop_assert_eq!(Cell::typed(&cell.to_string()), cell);
    }

    #[test]
    fn any_text_is_a_range_or_none(a1 in "\\PC{0,12}") {
        if let Some(range) = CellRange::parse(&a1) {
            prop_assert_eq!(CellRange::parse(&range.to_string()), Some(range));
        }
    }
}
