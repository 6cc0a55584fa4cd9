//! What every side of `Sheets` must do.

use alfred_core::id::SheetId;
use alfred_core::ports::{
    Account, AccountError, AccountService, Cell, CellRange, Rows, Sheet, SheetChange, Sheets,
};
use std::sync::Arc;

use super::{not_connected, refused, unique};

/// Makes a test of each function of this suite; the argument makes a [`SheetsUnderTest`].
#[macro_export]
macro_rules! sheets_conformance {
    ($fixture:expr) => {
        $crate::conformance_tests!(
            sheets,
            $fixture,
            [
                a_sheet_is_found_with_its_tab,
                cells_are_read_with_their_kinds,
                what_isnt_there_is_nothing_or_refused,
                what_is_created_is_found_with_its_header,
                creating_again_under_a_key_creates_nothing,
                rows_are_appended_once_for_a_key,
                appending_at_once_under_a_key_appends_once,
                cells_are_changed_where_they_are_as_expected,
                a_text_is_never_a_formula,
                values_that_dont_fit_are_refused,
                whoever_has_connected_nothing_is_told_so,
            ]
        );
    };
}

/// Sheets to put to the test, fresh for each.
pub trait SheetsUnderTest: Send + Sync {
    /// The port.
    fn sheets(&self) -> Arc<dyn Sheets>;
    /// Who has a sheet "Spring budget" with one tab that holds [`given`], and no other.
    fn account(&self) -> Account;
    /// Somebody who has connected nothing.
    fn stranger(&self) -> Account;
}

/// What the sheet holds.
pub fn given() -> Rows {
    vec![
        vec![text("Item"), text("Cost"), text("Paid")],
        vec![
            text("Oak, \"first\""),
            Cell::Number(1200.5),
            Cell::Bool(true),
        ],
        vec![text("Größe\n90 cm"), Cell::Number(-3.0), Cell::Bool(false)],
        vec![text("007"), Cell::Empty, text("no")],
    ]
}

fn text(text: &str) -> Cell {
    Cell::Text(text.into())
}

fn range(a1: &str) -> CellRange {
    CellRange::parse(a1).unwrap()
}

async fn budget(fixture: &impl SheetsUnderTest) -> Sheet {
    let (port, account) = (fixture.sheets(), fixture.account());
    let found = port.find(&account, &["spring".into()], 10).await.unwrap();
    let sheet = port.sheet(&account, &found[0].id).await;
    sheet.unwrap().unwrap()
}

async fn cells(fixture: &impl SheetsUnderTest, id: &SheetId, a1: &str) -> Rows {
    let (port, account) = (fixture.sheets(), fixture.account());
    let read = port.read(&account, id, &range(a1)).await;
    read.unwrap().unwrap()
}

fn append(tab: &str, rows: Rows) -> SheetChange {
    let tab = tab.to_owned();
    SheetChange::Append { tab, rows }
}

fn update(a1: &str, expected: Rows, values: Rows) -> SheetChange {
    SheetChange::Update {
        range: range(a1),
        expected,
        values,
    }
}

/// By words of its title, with how much is in it.
pub async fn a_sheet_is_found_with_its_tab(fixture: &impl SheetsUnderTest) {
    let (port, account) = (fixture.sheets(), fixture.account());
    let sheet = budget(fixture).await;
    assert_eq!(sheet.summary.title, "Spring budget");
    let [tab] = sheet.tabs.as_slice() else {
        panic!("{:?}", sheet.tabs)
    };
    assert_eq!((tab.rows, tab.columns), (4, 3));
    assert!(sheet.may_edit && !tab.name.is_empty());
    let all = port.find(&account, &[], 10).await.unwrap();
    assert_eq!(all, [sheet.summary]);
    let none = port.find(&account, &["autumn".into()], 10).await.unwrap();
    assert_eq!(none, []);
}

/// Also those beyond what the sheet holds, which are empty.
pub async fn cells_are_read_with_their_kinds(fixture: &impl SheetsUnderTest) {
    let sheet = budget(fixture).await;
    let id = &sheet.summary.id;
    assert_eq!(cells(fixture, id, "A1:C4").await, given());
    let mut named = range("B2:D2");
    named.tab = sheet.tabs[0].name.clone();
    let read = fixture.sheets().read(&fixture.account(), id, &named).await;
    let expected = vec![vec![Cell::Number(1200.5), Cell::Bool(true), Cell::Empty]];
    assert_eq!(read.unwrap().unwrap(), expected);
    let beyond = cells(fixture, id, "Y90:Z91").await;
    assert_eq!(beyond, vec![vec![Cell::Empty; 2]; 2]);
}

/// However it is named.
pub async fn what_isnt_there_is_nothing_or_refused(fixture: &impl SheetsUnderTest) {
    let (port, account) = (fixture.sheets(), fixture.account());
    for id in ["", "..", "../secret.csv", "/etc/passwd", "nowhere"].map(SheetId::from) {
        assert_eq!(port.sheet(&account, &id).await.unwrap(), None, "{id}");
        let read = port.read(&account, &id, &range("A1")).await.unwrap();
        assert_eq!(read, None);
        let change = append("", vec![vec![text("x")]]);
        refused(port.apply(&account, &id, &change, &unique()).await);
        assert_eq!(port.find_applied(&account, &id, "k").await.unwrap(), None);
    }
    let id = budget(fixture).await.summary.id;
    for a1 in ["Elsewhere!A1", "A1:ZZ1000"] {
        refused(port.read(&account, &id, &range(a1)).await);
    }
    let change = append("Elsewhere", vec![vec![text("x")]]);
    refused(port.apply(&account, &id, &change, &unique()).await);
}

/// By its key and its title.
pub async fn what_is_created_is_found_with_its_header(fixture: &impl SheetsUnderTest) {
    let (port, account, key) = (fixture.sheets(), fixture.account(), unique());
    assert_eq!(port.find_created(&account, &key).await.unwrap(), None);
    let header = ["Name".to_owned(), "12".to_owned()];
    let made = port.create(&account, "Guests", &header, &key).await;
    let made = made.unwrap();
    assert_eq!(made.summary.title, "Guests");
    let first = cells(fixture, &made.summary.id, "A1:C1").await;
    assert_eq!(first, [[text("Name"), text("12"), Cell::Empty]]);
    let found = port.find_created(&account, &key).await.unwrap();
    assert_eq!(found, Some(made));
    refused(port.create(&account, " ", &[], &unique()).await);
    let bare = port.create(&account, "Bare", &[], &unique()).await.unwrap();
    let rows = append("", vec![vec![text("x")]]);
    let id = &bare.summary.id;
    port.apply(&account, id, &rows, &unique()).await.unwrap();
    assert_eq!(cells(fixture, id, "A1").await, [[text("x")]]);
}

/// Under another key it makes another one of the same name.
pub async fn creating_again_under_a_key_creates_nothing(fixture: &impl SheetsUnderTest) {
    let (port, account, key) = (fixture.sheets(), fixture.account(), unique());
    let header = ["Name".to_owned()];
    let create = |key| port.create(&account, "Guests", &header, key);
    let (a, b) = tokio::join!(create(&key), create(&key));
    let made = a.unwrap();
    assert_eq!(b.unwrap(), made);
    assert_eq!(create(&key).await.unwrap(), made);
    let other = create(&unique()).await.unwrap();
    assert_ne!(other.summary.id, made.summary.id);
}

/// Below all that is there; where they went is told.
pub async fn rows_are_appended_once_for_a_key(fixture: &impl SheetsUnderTest) {
    let (port, account, key) = (fixture.sheets(), fixture.account(), unique());
    let id = budget(fixture).await.summary.id;
    assert_eq!(port.find_applied(&account, &id, &key).await.unwrap(), None);
    let rows = vec![
        vec![text("Ash; \"new\",\nthin"), Cell::Number(80.25)],
        vec![text("Elm"), Cell::Empty, Cell::Bool(true)],
    ];
    let change = append("", rows.clone());
    let first = port.apply(&account, &id, &change, &key).await.unwrap();
    let at = &first.range;
    assert_eq!((at.top, at.left, at.rows, at.columns), (5, 1, 2, 3));
    assert_eq!(first.sheet.tabs[0].rows, 6);
    let other = append("", vec![vec![text("Fir")]]);
    port.apply(&account, &id, &other, &unique()).await.unwrap();
    let again = port.apply(&account, &id, &change, &key).await.unwrap();
    assert_eq!(again.range, first.range);
    let found = port.find_applied(&account, &id, &key).await.unwrap();
    assert_eq!(found.unwrap().range, first.range);
    let mut expected = given();
    expected.extend([
        vec![rows[0][0].clone(), rows[0][1].clone(), Cell::Empty],
        rows[1].clone(),
        vec![text("Fir"), Cell::Empty, Cell::Empty],
        vec![Cell::Empty; 3],
    ]);
    assert_eq!(cells(fixture, &id, "A1:C8").await, expected);
}

/// All of them are told of it.
pub async fn appending_at_once_under_a_key_appends_once(fixture: &impl SheetsUnderTest) {
    let (port, account, key) = (fixture.sheets(), fixture.account(), unique());
    let id = budget(fixture).await.summary.id;
    let change = append("", vec![vec![text("Ash")]]);
    let apply = || port.apply(&account, &id, &change, &key);
    let (a, b, c, d) = tokio::join!(apply(), apply(), apply(), apply());
    for applied in [a, b, c, d] {
        assert_eq!(applied.unwrap().range.top, 5);
    }
    assert_eq!(budget(fixture).await.tabs[0].rows, 5);
}

/// Once for a key, also behind what was there.
pub async fn cells_are_changed_where_they_are_as_expected(fixture: &impl SheetsUnderTest) {
    let (port, account, key) = (fixture.sheets(), fixture.account(), unique());
    let id = budget(fixture).await.summary.id;
    let old = vec![vec![Cell::Number(-3.0)], vec![Cell::Empty]];
    let new = vec![vec![Cell::Number(4.0)], vec![text("five, or so")]];
    let change = update("B3:B4", old.clone(), new.clone());
    let done = port.apply(&account, &id, &change, &key).await.unwrap();
    assert_eq!((done.range.top, done.range.left), (3, 2));
    assert_eq!(cells(fixture, &id, "B3:B4").await, new);
    port.apply(&account, &id, &change, &key).await.unwrap();
    let stale = unique();
    refused(port.apply(&account, &id, &change, &stale).await);
    let found = port.find_applied(&account, &id, &stale).await.unwrap();
    assert_eq!(found, None);
    let empty = vec![vec![Cell::Empty; 2]];
    let far = update("D6:E6", empty, vec![vec![text("far"), Cell::Bool(true)]]);
    port.apply(&account, &id, &far, &unique()).await.unwrap();
    let mut expected = given();
    expected[2][1] = new[0][0].clone();
    expected[3][1] = new[1][0].clone();
    assert_eq!(cells(fixture, &id, "A1:C4").await, expected);
    let row = cells(fixture, &id, "A6:E6").await;
    let blank = || Cell::Empty;
    assert_eq!(
        row,
        [[blank(), blank(), blank(), text("far"), Cell::Bool(true)]]
    );
    let gone = vec![vec![Cell::Empty; 3]];
    let clear = update("A2:C2", vec![given()[1].clone()], gone.clone());
    port.apply(&account, &id, &clear, &unique()).await.unwrap();
    assert_eq!(cells(fixture, &id, "A2:C2").await, gone);
    assert_eq!(cells(fixture, &id, "A1").await, [[text("Item")]]);
}

/// Whatever it begins with, it is read as it was written.
pub async fn a_text_is_never_a_formula(fixture: &impl SheetsUnderTest) {
    let (port, account) = (fixture.sheets(), fixture.account());
    let id = budget(fixture).await.summary.id;
    let texts = [
        "=1+1", "+1", "-1", "@SUM(A1)", "'=1", "12", "'12", "TRUE", "'twas", " x ", "\t=1", "a\"b",
    ];
    let rows: Rows = texts.iter().map(|one| vec![text(one)]).collect();
    let change = append("", rows.clone());
    port.apply(&account, &id, &change, &unique()).await.unwrap();
    assert_eq!(cells(fixture, &id, "A5:A16").await, rows);
}

/// And nothing is done.
pub async fn values_that_dont_fit_are_refused(fixture: &impl SheetsUnderTest) {
    let (port, account) = (fixture.sheets(), fixture.account());
    let id = budget(fixture).await.summary.id;
    let one = || vec![vec![text("x")]];
    let changes = [
        append("", vec![]),
        append("", vec![vec![], vec![Cell::Empty]]),
        update("A1:B1", one(), one()),
        update("A1", vec![vec![text("Item")]], vec![]),
        update("A1", vec![], one()),
    ];
    for change in changes {
        let key = unique();
        refused(port.apply(&account, &id, &change, &key).await);
        let found = port.find_applied(&account, &id, &key).await.unwrap();
        assert_eq!(found, None, "{change:?}");
    }
    assert_eq!(cells(fixture, &id, "A1:C4").await, given());
}

/// By every call; never with somebody else's sheets.
pub async fn whoever_has_connected_nothing_is_told_so(fixture: &impl SheetsUnderTest) {
    let (port, nobody) = (fixture.sheets(), fixture.stranger());
    let id = budget(fixture).await.summary.id;
    let change = append("", vec![vec![text("x")]]);
    let told: [Option<AccountError>; 7] = [
        port.find(&nobody, &[], 10).await.err(),
        port.sheet(&nobody, &id).await.err(),
        port.read(&nobody, &id, &range("A1")).await.err(),
        port.create(&nobody, "No", &[], "k").await.err(),
        port.find_created(&nobody, "k").await.err(),
        port.apply(&nobody, &id, &change, "k").await.err(),
        port.find_applied(&nobody, &id, "k").await.err(),
    ];
    for error in told {
        not_connected(error, AccountService::Sheets);
    }
    assert_eq!(cells(fixture, &id, "A1:C4").await, given());
}
