use super::body::Mark;
use super::*;

fn at(index: usize, text: &str) -> Value {
    json!({"insertText": {"text": text, "location": {"index": index}}})
}

fn delete(start: usize, end: usize) -> Value {
    json!({"deleteContentRange": {"range": {"startIndex": start, "endIndex": end}}})
}

/// All letters, whether they are suggested or not.
fn text(document: &Document) -> String {
    let codes = document.tabs[0]
        .units
        .iter()
        .filter_map(|unit| match unit.mark {
            Mark::Code(code) => Some(code),
            _ => None,
        });
    String::from_utf16_lossy(&codes.collect::<Vec<u16>>())
}

/// `Hi 👩‍👧`, a table of two cells, `end`: 1–8 and its newline, 10 the table, 13 and 16 its cells, 19 the end.
fn given() -> Document {
    let mut document = Document::of_lines("Hi 👩‍👧\nend");
    document.add_table(&[&["a", "b"]]);
    document
}

#[test]
fn what_would_break_the_document_is_refused_and_nothing_is_done() {
    let styled = |fields: &str| {
        json!({"updateTextStyle": {
            "range": {"startIndex": 1, "endIndex": 2}, "textStyle": {"bold": true}, "fields": fields,
        }})
    };
    let named = |name: &str, end: usize| json!({"createNamedRange": {"name": name, "range": {"startIndex": 1, "endIndex": end}}});
    let refused = [
        at(0, "x"),
        at(10, "x"),
        at(11, "x"),
        at(12, "x"),
        at(23, "x"),
        at(1, "\u{0}"),
        at(1, &"x".repeat(1_020_000)),
        delete(0, 2),
        delete(3, 3),
        delete(4, 5),
        delete(9, 10),
        delete(10, 12),
        delete(14, 15),
        delete(13, 16),
        delete(19, 23),
        delete(20, 24),
        styled("bold,underline"),
        styled(""),
        named("", 2),
        named("n", 24),
        named(&"n".repeat(257), 2),
        json!({"insertText": {"text": "x"}}),
        json!({"insertText": {"text": "x", "location": {"index": 1, "tabId": "none"}}}),
        json!({"insertText": {"text": "x", "location": {"index": 1}, "more": 1}}),
        json!({"insertPageBreak": {"location": {"index": 1}}}),
    ];
    for request in refused {
        let mut document = given();
        let before = document.shown();
        let batch = json!([named("first", 2), request]);
        assert!(document.change(&batch).is_err(), "{request}");
        assert_eq!(
            (document.shown(), document.revision),
            (before, given().revision)
        );
    }
}

#[test]
fn changes_go_where_google_has_them_go() {
    let whole = "Hi 👩‍👧\na\nb\nend\n";
    let done = [
        (at(1, "x"), whole.replace("Hi", "xHi")),
        (at(9, "x"), whole.replace("👧", "👧x")),
        // Not in what people see as one letter.
        (at(6, "x"), whole.replace("👧", "👧x")),
        (at(13, "x"), whole.replace('a', "xa")),
        (at(1, "\u{e000}x\r"), whole.replace("Hi", "xHi")),
        (delete(1, 9), whole.replace("Hi 👩‍👧", "")),
        (delete(13, 14), whole.replacen('a', "", 1)),
        (delete(9, 19), "Hi 👩‍👧end\n".to_owned()),
        (
            json!({"insertText": {"text": "x", "endOfSegmentLocation": {}}}),
            whole.replace("end", "endx"),
        ),
    ];
    for (request, expected) in done {
        let mut document = given();
        document.change(&json!([request])).unwrap();
        assert_eq!(text(&document), expected, "{request}");
    }
}

#[test]
fn named_ranges_move_with_the_text_and_end_with_it() {
    let mut document = Document::of_lines("one two");
    let named =
        json!([{"createNamedRange": {"name": "n", "range": {"startIndex": 5, "endIndex": 8}}}]);
    document.change(&named).unwrap();
    let steps = [
        (at(1, "xx"), Some(7..10)),
        (at(8, "y"), Some(7..11)),
        (at(7, "z"), Some(8..12)),
        (delete(1, 9), Some(1..4)),
        (delete(3, 4), Some(1..3)),
        (delete(1, 3), None),
    ];
    for (request, expected) in steps {
        document.change(&json!([request])).unwrap();
        let ranges = document.named_ranges();
        assert_eq!(
            ranges.first().map(|(_, range)| range.clone()),
            expected,
            "{request}"
        );
    }
}

#[test]
fn suggestions_wait_and_a_kept_document_is_the_same() {
    let mut document = given();
    document
        .suggest(&json!([delete(1, 3), at(1, "Oh")]))
        .unwrap();
    assert!(text(&document).starts_with("OhHi"));
    let kept = serde_json::to_value(&document).unwrap();
    let read: Document = serde_json::from_value(kept).unwrap();
    assert_eq!(read.shown(), document.shown());
    for (accepted, start) in [(true, "Oh 👩"), (false, "Hi 👩")] {
        let mut document = read.clone();
        document.settle(accepted);
        assert!(text(&document).starts_with(start));
    }
}
