use super::*;
use proptest::prelude::*;

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
