use super::*;
use crate::sheets::Tab;

fn book() -> Spreadsheet {
    let mut tab = Tab::new(7, "Trees", (3, 2));
    tab.put(1, 1, "Oak");
    Spreadsheet::of(vec![tab])
}

/// What a batch of these requests makes of the book.
fn made(requests: &[Value]) -> Result<(Spreadsheet, Vec<Value>), ApiError> {
    book().after(Batch::read(json!({"requests": requests}))?.requests)
}

fn append(rows: &Value) -> Value {
    json!({"appendCells": {"sheetId": 7, "rows": rows, "fields": "userEnteredValue"}})
}

fn row(texts: &[&str]) -> Value {
    let cell = |text: &&str| json!({"userEnteredValue": {"stringValue": text}});
    json!({"values": texts.iter().map(cell).collect::<Vec<_>>()})
}

fn update(bottom: u32, rows: &Value) -> Value {
    let range = json!({
        "sheetId": 7, "startRowIndex": 1, "endRowIndex": bottom,
        "startColumnIndex": 0, "endColumnIndex": 2,
    });
    json!({"updateCells": {"range": range, "rows": rows, "fields": "userEnteredValue"}})
}

fn metadata(id: u32, value: &str) -> Value {
    json!({"createDeveloperMetadata": {"developerMetadata": {
        "metadataId": id, "metadataKey": "k", "metadataValue": value,
        "location": {"spreadsheet": true}, "visibility": "PROJECT",
    }}})
}

fn grow(dimension: &str, length: u32) -> Value {
    json!({"appendDimension": {"sheetId": 7, "dimension": dimension, "length": length}})
}

#[test]
fn what_google_refuses_is_refused() {
    let ash = || json!([row(&["Ash"])]);
    let half = "x".repeat(15_000);
    let mut no_fields = append(&ash());
    no_fields["appendCells"]["fields"] = json!("*");
    let mut elsewhere = append(&ash());
    elsewhere["appendCells"]["sheetId"] = json!(8);
    let cases = [
        (vec![], "at least one request"),
        (
            vec![json!({"sortRange": {}})],
            "unknown variant `sortRange`",
        ),
        (
            vec![json!({"appendCells": {"sheetId": 7, "rows": []}})],
            "missing field",
        ),
        (vec![no_fields], "unknown variant `*`"),
        (vec![append(&json!([{"value": []}]))], "unknown field"),
        (vec![elsewhere], "No grid with id: 8"),
        (
            vec![append(&json!([row(&["a", "b", "c"])]))],
            "exceeds grid limits",
        ),
        (vec![update(4, &ash())], "exceeds grid limits"),
        (vec![update(2, &json!([{}, {}]))], "don't fit"),
        (
            vec![append(&json!([row(&[&"x".repeat(50_001)])]))],
            "maximum of 50000",
        ),
        (
            vec![metadata(1, "a"), metadata(1, "b")],
            "requests[1]: Developer metadata with id 1 already",
        ),
        (
            vec![metadata(1, &half), metadata(2, &half)],
            "Too much developer metadata",
        ),
        (vec![metadata(0, "a")], "Invalid developer metadata"),
        (
            vec![grow("ROWS", 5_000_000), append(&ash())],
            "above the limit of 10000000 cells",
        ),
        (vec![grow("DIAGONALS", 1)], "unknown variant"),
    ];
    for (requests, words) in cases {
        let refused = made(&requests).map(drop).unwrap_err();
        let told = format!("{refused:?}");
        assert!(
            told.contains("code: 400") && told.contains(words),
            "{words}: {told}"
        );
    }
}
