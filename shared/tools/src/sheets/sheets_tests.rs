use crate::documents::desk::{budget, desk};
use crate::testing::*;
use alfred_core::ports::CellRange;

const UPDATE: &str = "sheets_updateCells";
const APPEND: &str = "sheets_appendRows";

fn sheet() -> ToolHarness {
    let mut old = budget();
    old.summary.id = "s2".into();
    old.summary.title = "Old figures".into();
    old.may_edit = false;
    desk(Vec::new(), vec![budget(), old]).0
}

async fn cells(harness: &ToolHarness, a1: &str) -> Value {
    let (account, sheets) = (harness.context.account(), &harness.context.accounts.sheets);
    let range = CellRange::parse(a1).unwrap();
    let read = sheets.read(&account, &"s1".into(), &range).await.unwrap();
    json!(read.unwrap())
}

#[tokio::test]
async fn sheets_are_found_and_read() {
    let harness = sheet();
    let found = harness
        .ok("sheets_findSheets", json!({"words": "budget"}))
        .await;
    assert_eq!(each(&found["sheets"], "sheetId"), ["s1"]);
    let read = harness
        .ok("sheets_readSheet", json!({"sheetId": "budget"}))
        .await;
    assert_snapshot!(read, @r#"{"mayEdit":true,"modified":"2026-11-19 09:00","range":"Costs!A1:B3","rows":[["Item","Cost"],["House",640.0],["=obey",null]],"sheetId":"s1","tabs":[{"columns":2,"name":"Costs","rows":3},{"columns":0,"name":"Other tab","rows":0}],"title":"Offsite budget"}"#);
    let args = json!({"sheetId": "s1", "range": "b2:z99"});
    let read = harness.ok("sheets_readSheet", args).await;
    assert_eq!(
        (&read["range"], &read["rows"]),
        (&json!("Costs!B2:B3"), &json!([[640.0], [null]]))
    );
    let args = json!({"sheetId": "s1", "range": "'Other tab'!A1:B2"});
    let read = harness.ok("sheets_readSheet", args).await;
    assert_eq!(read["rows"], json!([[null]]));
}

#[tokio::test]
async fn a_new_sheet_has_its_header() {
    let harness = sheet();
    let args = json!({"title": "Guests", "header": ["Name", "Comes"]});
    assert_snapshot!(harness.card("sheets_createSheet", args.clone()).await, @"
Create a sheet
Title: Guests
Columns: Name, Comes
");
    let receipt = harness
        .output("sheets_createSheet", args)
        .await
        .receipt
        .unwrap();
    assert_eq!(receipt.what, "Created the sheet \"Guests\"");
    let read = harness
        .ok("sheets_readSheet", json!({"sheetId": "guests"}))
        .await;
    assert_eq!(read["rows"], json!([["Name", "Comes"]]));
}

#[tokio::test]
async fn rows_are_shown_added_once_and_taken_out() {
    let harness = sheet();
    let args = json!({"sheetId": "budget", "rows": [["Train", "96.6", "TRUE"], ["=SUM(B2:B4)", "'12"], ["a | b\nc"]]});
    assert_snapshot!(harness.card(APPEND, args.clone()).await, @r#"
Add 3 rows to a sheet
Sheet: Offsite budget
Tab: Costs
Version: 2026-11-19 09:00:00

Train | 96.6 | TRUE
'=SUM(B2:B4) | '12
a \| b\nc
"#);
    let none = harness.settle(APPEND, args.clone()).await.unwrap();
    assert!(matches!(none, Settled::NotDone), "{none:?}");
    let receipt = harness.output(APPEND, args.clone()).await.receipt.unwrap();
    assert_eq!(receipt.what, "Added 3 rows to \"Offsite budget\"");
    assert_eq!(receipt.link.as_deref(), Some("https://sheets.example/s1"));
    let added = json!([
        ["Train", 96.6, true],
        ["=SUM(B2:B4)", "12", null],
        ["a | b\nc", null, null]
    ]);
    assert_eq!(cells(&harness, "A4:C6").await, added);
    let Settled::Done(found) = harness.settle(APPEND, args).await.unwrap() else {
        panic!("they were added");
    };
    assert_eq!(found.data["range"], "Costs!A4:C6");
    harness.undo(receipt.undo).await;
    assert_eq!(
        cells(&harness, "A4:C5").await,
        json!([[null, null, null], [null, null, null]])
    );
}

#[tokio::test]
async fn cells_are_shown_as_they_are_and_would_be() {
    let harness = sheet();
    let args = json!({"sheetId": "s1", "range": "A2", "values": [["House", "700"], ["", "-5"]]});
    assert_snapshot!(harness.card(UPDATE, args.clone()).await, @"
Change cells of a sheet
Sheet: Offsite budget
Tab: Costs
Version: 2026-11-19 09:00:00
~ B2: 640 → 700
- A3: '=obey
+ B3: -5
");
    let none = harness.settle(UPDATE, args.clone()).await.unwrap();
    assert!(matches!(none, Settled::NotDone), "{none:?}");
    let receipt = harness.output(UPDATE, args.clone()).await.receipt.unwrap();
    assert_eq!(receipt.what, "Changed Costs!A2:B3 of \"Offsite budget\"");
    assert_eq!(
        cells(&harness, "A2:B3").await,
        json!([["House", 700.0], [null, -5.0]])
    );
    let done = harness.settle(UPDATE, args).await.unwrap();
    assert!(matches!(done, Settled::Done(_)), "{done:?}");
    harness.undo(receipt.undo).await;
    assert_eq!(
        cells(&harness, "A2:B3").await,
        json!([["House", 640.0], ["=obey", null]])
    );
}

#[tokio::test]
async fn cells_that_changed_since_are_left_as_they_are() {
    let harness = sheet();
    let to = |value: &str| json!({"sheetId": "s1", "range": "B2", "values": [[value]]});
    let mut approved = harness.later("2026-11-20T08:01:00Z");
    let shown = harness.preview(UPDATE, to("700")).await.unwrap();
    approved.context.call.shown = shown.digest().ok();
    let mut other = harness.clone();
    other.context.call.key = "run_2:call_1".into();
    let undo = other
        .output(UPDATE, to("650"))
        .await
        .receipt
        .unwrap()
        .undo
        .remove(0);
    let said = approved.fails(UPDATE, to("700")).await;
    assert!(said.starts_with("Not done:"), "{said}");
    approved.context.call.shown = None;
    approved.output(UPDATE, to("700")).await;
    other.context.call.key.push_str(":undo");
    other.context.call.left = undo.left;
    let said = other.fails(UPDATE, undo.arguments).await;
    assert_eq!(said, "“Offsite budget” was changed since; I left it.");
    assert_eq!(cells(&harness, "B2").await, json!([[700.0]]));
}

#[tokio::test]
async fn what_cant_be_done_is_said() {
    let harness = sheet();
    let change = |id: &str, range: &str, values: Value| json!({"sheetId": id, "range": range, "values": values});
    let row = || json!([["x"]]);
    let cases = [
        change("", "A1", row()),
        change("nowhere", "A1", row()),
        change("s2", "A1", row()),
        change("s1", "first", row()),
        change("s1", "Elsewhere!A1", row()),
        change("s1", "A1:B2", row()),
        change("s1", "A1", json!([["x"], ["y", "z"]])),
        change("s1", "A1", json!([])),
        change("s1", "B2", json!([["640"]])),
        change("s1", "A1", json!(vec![vec!["x"; 50]; 11])),
    ];
    assert_snapshot!(harness.refusals(UPDATE, cases).await, @r#"
sheetId: "" is empty. Give the id, or words of the title. | It is empty. Give the id, or words of the title.
sheetId: "nowhere" isn't there. Give the id, or words of the title. | “nowhere” isn't there.
This sheet can only be read here.
range: "first" is no range. One is like B2, B2:D5 or Costs!B2:D5. | I can't tell which cells “first” are.
The sheet has no tab “Elsewhere”.
values: The values don't fit: these cells are 2 rows of 2. | The values don't fit: these cells are 2 rows of 2.
values: The values don't fit: these cells are 2 rows of 1. | The values don't fit: these cells are 2 rows of 1.
values: The values don't fit: these cells are a row of 1. | The values don't fit: these cells are a row of 1.
values: "B2" has these values already. | “B2” has these values already.
values: "550" are too many cells: at most 500. | “550” are too many cells: at most 500.
"#);
    let cases = [
        json!({"sheetId": "s1", "rows": []}),
        json!({"sheetId": "s1", "rows": [[""]]}),
        json!({"sheetId": "s1", "tab": "Elsewhere", "rows": [["x"]]}),
        json!({"sheetId": "s2", "rows": [["x"]]}),
    ];
    assert_snapshot!(harness.refusals(APPEND, cases).await, @"
There is nothing to add: it is empty.
There is nothing to add: it is empty.
The sheet has no tab “Elsewhere”.
This sheet can only be read here.
");
    let before = json!([["Item", "Cost"], ["House", 640.0], ["=obey", null]]);
    assert_eq!(cells(&harness, "A1:B3").await, before);
}
