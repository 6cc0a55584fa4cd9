use super::*;
use proptest::prelude::*;

fn rows(csv: &Csv<'_>) -> Vec<Vec<String>> {
    csv.rows.iter().map(|row| row.fields.clone()).collect()
}

fn text(text: &str) -> Cell {
    Cell::Text(text.into())
}

#[test]
fn files_of_any_kind_are_read() {
    let cases: [(&str, &[&[&str]]); 10] = [
        ("", &[]),
        ("a,b\n1,2\n", &[&["a", "b"], &["1", "2"]]),
        ("a;b\r\n1,5;2\r\n", &[&["a", "b"], &["1,5", "2"]]),
        ("a\tb", &[&["a", "b"]]),
        ("\u{FEFF}a,b", &[&["a", "b"]]),
        (
            "\"a,\"\"b\"\"\",c\n\"x\ny\",",
            &[&["a,\"b\"", "c"], &["x\ny", ""]],
        ),
        ("a\n\nb\n", &[&["a"], &[""], &["b"]]),
        ("a\rb\r", &[&["a"], &["b"]]),
        ("\"a\"b,c\r\n", &[&["ab", "c"]]),
        ("a,\"b", &[&["a", "b"]]),
    ];
    for (file, expected) in cases {
        let csv = Csv::read(file.as_bytes()).unwrap();
        assert_eq!(rows(&csv), expected, "{file:?}");
        assert_eq!(csv.torn, file == "a,\"b");
    }
    assert!(Csv::read(b"gr\xF6\xDFe").is_err());
}

#[test]
fn a_change_leaves_every_other_byte() {
    let file = "\u{FEFF}name;\"price\"\r\n\"oak\";1,20\r\n\r\nash;  2 \n";
    let csv = Csv::read(file.as_bytes()).unwrap();
    let with = |top, left, values: &Rows| String::from_utf8(csv.with(top, left, values).unwrap());
    let cases = [
        (
            (1, 1, vec![vec![text("a;b")]]),
            "\u{FEFF}name;\"price\"\r\noak;\"a;b\"\r\n\r\nash;  2 \n",
        ),
        (
            (4, 0, vec![vec![text("elm"), Cell::Number(1.5)]]),
            "\u{FEFF}name;\"price\"\r\n\"oak\";1,20\r\n\r\nash;  2 \nelm;1.5\r\n",
        ),
        (
            (2, 2, vec![vec![text("=x")]]),
            "\u{FEFF}name;\"price\"\r\n\"oak\";1,20\r\n;;'=x\r\nash;  2 \n",
        ),
    ];
    for ((top, left, values), expected) in cases {
        assert_eq!(with(top, left, &values).unwrap(), expected);
    }
    let blank = Csv::read(b"a\r\n\r\n").unwrap();
    let two = blank.with(blank.height(), 0, &vec![vec![text("b")]]);
    assert_eq!(two.unwrap(), b"a\r\nb\r\n");
    let open = Csv::read(b"a,\"b").unwrap();
    assert!(open.with(1, 0, &vec![vec![text("c")]]).is_err());
    let bare = Csv::read(b"a").unwrap();
    let two = bare.with(1, 0, &vec![vec![text("b")]]).unwrap();
    assert_eq!(two, b"a\nb\n");
}

proptest! {
    #[test]
    fn any_file_is_read_and_written_back(file in "[a,;\"\r\n\t' ]{0,40}") {
        let csv = Csv::read(file.as_bytes()).unwrap();
        let lines: String = csv.rows.iter().flat_map(|row| [row.line, row.end]).collect();
        prop_assert_eq!(lines, file);
    }

    #[test]
    fn what_is_written_is_read(
        file in "[a,;\"\r\n ]{0,20}",
        entries in prop::collection::vec("[a=,;\"'\n1 ]{1,6}", 1..4),
        left in 0_usize..3,
    ) {
        let csv = Csv::read(file.as_bytes()).unwrap();
        prop_assume!(!csv.torn);
        let values: Vec<Cell> = entries.into_iter().map(Cell::Text).collect();
        let written = csv.with(csv.height(), left, &vec![values.clone()]).unwrap();
        let again = Csv::read(&written).unwrap();
        // A new first line may change the detected delimiter.
        prop_assume!(again.delimiter == csv.delimiter);
        for (at, value) in values.iter().enumerate() {
            prop_assert_eq!(&again.cell(csv.height(), left + at), value);
        }
        for row in 0..csv.height() {
            for column in 0..csv.width() {
                prop_assert_eq!(again.cell(row, column), csv.cell(row, column));
            }
        }
    }
}
