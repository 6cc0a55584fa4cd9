//! Documents and sheets of a folder: the suites that every side passes, other programs' files, and crashes.

use crate::support;

use alfred_core::id::{DocumentId, SheetId};
use alfred_core::ports::{
    AccountError, Cell, CellRange, DocumentChange, Documents, Edit, SheetChange, Sheets,
};
use alfred_testkit::conformance::{self, AccountSide};
use alfred_testkit::temp_dir;
use alfred_workspace::{Sample, Workspace};
use std::fs;
use std::sync::Arc;
use std::time::SystemTime;
use support::{Folder, ana, opened};

const BUDGET: &str = "Item,Cost,Paid\r\n\"Oak, \"\"first\"\"\",1200.5,TRUE\r\n\"Größe\n90 cm\",-3,FALSE\r\n007,,no\r\n";

fn given() -> AccountSide<Workspace> {
    let folder = Folder::new();
    for document in conformance::documents::given() {
        let name = format!("documents/{}.md", document.summary.title);
        folder.put(&name, &document.text);
        let file = fs::File::options().append(true).open(folder.path(&name));
        let modified = SystemTime::from(document.summary.modified);
        file.unwrap().set_modified(modified).unwrap();
    }
    folder.put("documents/Spring budget.csv", BUDGET);
    AccountSide::new(Arc::new(folder.workspace.clone()), ana(), folder)
}

#[tokio::test(flavor = "multi_thread")]
async fn markdown_passes_the_suite() {
    conformance::documents(async || given()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn csv_passes_the_suite() {
    conformance::sheets(async || given()).await;
}

fn documents(folder: &Folder) -> Arc<dyn Documents> {
    Arc::new(folder.workspace.clone())
}

fn sheets(folder: &Folder) -> Arc<dyn Sheets> {
    Arc::new(folder.workspace.clone())
}

/// Adds a line to a document as it is.
async fn appended(
    folder: &Folder,
    id: &str,
    line: &str,
    key: &str,
) -> Result<String, AccountError> {
    let (port, id) = (documents(folder), DocumentId::from(id));
    let now = port.read(&ana(), &id).await?.unwrap();
    let change = DocumentChange {
        edit: Edit::Append(line.into()),
        revision: now.revision,
    };
    Ok(port.change(&ana(), &id, &change, key).await?.text)
}

fn row(text: &str) -> SheetChange {
    SheetChange::Append {
        tab: String::new(),
        rows: vec![vec![Cell::Text(text.into())]],
    }
}

fn unknown<T: std::fmt::Debug>(result: Result<T, AccountError>) {
    let is_unknown = matches!(result, Err(AccountError::Unknown { .. }));
    assert!(is_unknown, "{result:?}");
}

fn refused<T: std::fmt::Debug>(result: Result<T, AccountError>, why: &str) {
    match result {
        Err(AccountError::Refused { reason }) => assert!(reason.contains(why), "{reason}"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn files_are_named_by_their_place_and_none_outside_is_reached() {
    let folder = Folder::new();
    folder.put("documents/plan.md", "one");
    folder.put("documents/plans/plan.TXT", "two");
    folder.put("documents/.hidden.md", "no");
    folder.put("documents/.alfred/x.md", "no");
    folder.put("documents/picture.png", "no");
    folder.put("secret.md", "no");
    std::os::unix::fs::symlink(folder.path("secret.md"), folder.path("documents/link.md")).unwrap();
    std::os::unix::fs::symlink(folder.path(""), folder.path("documents/up")).unwrap();
    let port = documents(&folder);
    let found = port.find(&ana(), &[], 100).await.unwrap();
    let mut ids: Vec<_> = found.iter().map(|one| one.id.as_str()).collect();
    ids.sort_unstable();
    assert_eq!(ids, ["plan.md", "plans/plan.TXT"]);
    let outside = "link.md up/secret.md plans/../plan.md .hidden.md ../secret.md";
    for id in outside.split(' ') {
        assert_eq!(port.read(&ana(), &id.into()).await.unwrap(), None, "{id}");
    }
    for (title, expected) in [
        ("../../x", "-..-x.md"),
        ("plan", "plan 2.md"),
        ("link", "link 2.md"),
    ] {
        let made = port.create(&ana(), title, "x", title).await.unwrap();
        assert_eq!(made.summary.id.as_str(), expected);
    }
    assert_eq!(folder.text("secret.md"), "no");
    assert_eq!(folder.text("documents/plan.md"), "one");
}

#[tokio::test]
async fn how_a_file_begins_and_ends_its_lines_stays() {
    let folder = Folder::new();
    folder.put("documents/win.txt", "\u{FEFF}one\r\ntwo\r\n");
    folder.put("documents/mixed.txt", "one\r\ntwo\n");
    let text = appended(&folder, "win.txt", "three\n", "k1").await.unwrap();
    assert_eq!(text, "one\ntwo\nthree\n");
    assert_eq!(
        folder.text("documents/win.txt"),
        "\u{FEFF}one\r\ntwo\r\nthree\r\n"
    );
    appended(&folder, "mixed.txt", "three\n", "k2")
        .await
        .unwrap();
    assert_eq!(folder.text("documents/mixed.txt"), "one\r\ntwo\nthree\n");
}

#[tokio::test]
async fn what_cant_be_read_or_written_is_said() {
    let folder = Folder::new();
    folder.put("documents/latin.txt", b"gr\xF6\xDFe");
    folder.put("documents/torn.csv", "a,\"b");
    folder.put("documents/Offer.docx", "PK");
    folder.put("documents/Costs.xlsx", "PK");
    folder.put("documents/large.txt", "x".repeat(11 * 1_024 * 1_024));
    folder.put("documents/long.txt", "é".repeat(600_000));
    let (port, table) = (documents(&folder), sheets(&folder));
    for (id, why) in [
        ("latin.txt", "UTF-8"),
        ("large.txt", "too large"),
        ("Offer.docx", "I can't read Word files. Please save it as"),
    ] {
        refused(port.read(&ana(), &id.into()).await, why);
    }
    let found = port.find(&ana(), &["offer".into()], 10).await.unwrap();
    assert_eq!(found[0].id.as_str(), "Offer.docx");
    // Saved as the refusal says, it has one title.
    folder.put("documents/Offer.md", "Tables");
    let found = port.find(&ana(), &["offer".into()], 10).await.unwrap();
    assert_eq!((found.len(), found[0].id.as_str()), (1, "Offer.md"));
    let found = table.find(&ana(), &["costs".into()], 10).await.unwrap();
    let book = &found[0].id;
    let why = "I can't read Excel files. Please save each of its sheets as a .csv file.";
    refused(table.sheet(&ana(), book).await, why);
    refused(table.apply(&ana(), book, &row("x"), "k").await, why);
    let torn = SheetId::from("torn.csv");
    let torn = table.apply(&ana(), &torn, &row("x"), "k").await;
    refused(torn, "quotation");
    folder.put("documents/prices.csv", "name,price\n");
    let far = SheetChange::Update {
        range: CellRange::parse("A5000").unwrap(),
        expected: vec![vec![Cell::Empty]],
        values: vec![vec![Cell::Bool(true)]],
    };
    let far = table.apply(&ana(), &"prices.csv".into(), &far, "k").await;
    refused(far, "outside");
    let long = port.read(&ana(), &"long.txt".into()).await;
    let long = long.unwrap().unwrap();
    assert!(long.truncated && long.text.len() == 1_000_000);
    appended(&folder, "long.txt", "end", "k").await.unwrap();
    assert!(folder.text("documents/long.txt").ends_with("é\nend"));
}

/// The record of a call as it is before its file is written.
fn as_begun(folder: &Folder) {
    let mut records = 0;
    for entry in fs::read_dir(folder.path("documents/.alfred")).unwrap() {
        let path = entry.unwrap().path();
        let record = fs::read_to_string(&path).unwrap();
        assert!(record.contains("\"done\":true"), "{record}");
        fs::write(&path, record.replace("\"done\":true", "\"done\":false")).unwrap();
        records += 1;
    }
    assert_eq!(records, 1);
}

#[tokio::test]
async fn a_crash_between_any_two_writes_doubles_and_loses_nothing() {
    let (id, key) = (DocumentId::from("plan.md"), "k");
    // What the file is when the process ends behind the record, and what a look says.
    for (left, found) in [
        ("one\n", Some(false)),
        ("one\ntwo\n", Some(true)),
        ("mine\n", None),
    ] {
        let mut folder = Folder::new();
        folder.put("documents/plan.md", "one\n");
        appended(&folder, "plan.md", "two\n", key).await.unwrap();
        as_begun(&folder);
        folder.put("documents/plan.md", left);
        folder.reopen();
        let look = documents(&folder).find_changed(&ana(), &id, key).await;
        let again = appended(&folder, "plan.md", "two\n", key).await;
        if let Some(there) = found {
            assert_eq!(look.unwrap().is_some(), there, "{left}");
            assert_eq!(again.unwrap(), "one\ntwo\n");
        } else {
            unknown(look);
            unknown(again);
        }
        let expected = if found.is_some() { "one\ntwo\n" } else { left };
        assert_eq!(folder.text("documents/plan.md"), expected);
    }
}

#[tokio::test]
async fn a_crash_behind_a_creation_leaves_one_file() {
    for is_there in [true, false] {
        let mut folder = Folder::new();
        let port = documents(&folder);
        port.create(&ana(), "Plan", "one", "k").await.unwrap();
        as_begun(&folder);
        if !is_there {
            fs::remove_file(folder.path("documents/Plan.md")).unwrap();
        }
        folder.reopen();
        let port = documents(&folder);
        let found = port.find_created(&ana(), "k").await.unwrap();
        assert_eq!(found.is_some(), is_there);
        let made = port.create(&ana(), "Plan", "one", "k").await.unwrap();
        assert_eq!(made.summary.id.as_str(), "Plan.md");
        let all = port.find(&ana(), &[], 10).await.unwrap();
        assert_eq!(all.len(), 1);
        fs::remove_file(folder.path("documents/Plan.md")).unwrap();
        let gone = port.create(&ana(), "Plan", "one", "k").await;
        unknown(gone);
    }
}

#[tokio::test]
async fn the_sample_reads_well() {
    let above = temp_dir();
    let laid = above.path().join("workspace");
    Sample::lay(&laid, "2026-11-21".parse().unwrap()).unwrap();
    let folder = opened(&laid.join("ana"));
    let found = Documents::find(&folder, &ana(), &[], 10).await.unwrap();
    let notes = Documents::read(&folder, &ana(), &found[0].id).await;
    let text = notes.unwrap().unwrap().text;
    assert!(text.contains("for Wednesday 9 December, one"), "{text}");
    assert!(!text.contains('\r'));
    let found = Sheets::find(&folder, &ana(), &[], 10).await.unwrap();
    let train = CellRange::parse("A3:C3").unwrap();
    let row = Sheets::read(&folder, &ana(), &found[0].id, &train).await;
    let name = Cell::Text("Train tickets".into());
    let expected = [[name, Cell::Number(96.6), Cell::Bool(false)]];
    assert_eq!(row.unwrap().unwrap(), expected);
}
