//! The sample can be read to the last letter, whatever the day.

use crate::support;

use alfred_core::ports::{
    Availability, Calendar, Cell, CellRange, Documents, Mail, MailQuery, MailStatus, Sheets, Span,
};
use alfred_testkit::temp_dir;
use alfred_workspace::{Sample, Workspace};
use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use support::{ana, opened};
use tempfile::TempDir;

fn laid(handle: &str, today: Date) -> (TempDir, Workspace) {
    let above = temp_dir();
    let folder = above.path().join("workspace");
    assert!(Sample::lay(&folder, today).unwrap());
    let workspace = opened(&folder.join(handle), None);
    (above, workspace)
}

#[tokio::test]
async fn every_mail_reads_well() {
    let mut read = 0;
    for (handle, _) in Sample::PEOPLE {
        let (_folder, workspace) = laid(handle, "2026-11-21".parse().unwrap());
        let query = MailQuery {
            status: vec![MailStatus::Unread, MailStatus::Archived],
            limit: 500,
            ..MailQuery::default()
        };
        let page = workspace.list(&ana(), &query).await.unwrap();
        assert_eq!(page.unreadable, []);
        for mail in page.mails {
            let whole = Mail::read(&workspace, &ana(), &mail.id).await.unwrap();
            let whole = whole.unwrap();
            for text in [&mail.subject, &mail.from.name, &whole.text] {
                let broken = ["\u{FFFD}", "{{", "=?", "=C3", "&eacute;", "<td"];
                assert!(!broken.iter().any(|b| text.contains(b)), "{text}");
            }
            assert!(whole.text.trim().len() > 10 && !mail.from.address.is_empty());
            assert!(whole.message_id.is_some() && !whole.truncated);
            read += 1;
        }
    }
    assert!(read >= 25, "{read}");
}

#[tokio::test]
async fn any_day_has_a_week_with_meetings() {
    let days = "2026-03-29 2026-10-25 2024-02-29 2027-01-01 2026-11-23";
    for today in days.split(' ') {
        let today: Date = today.parse().unwrap();
        let (_folder, workspace) = laid("ana", today);
        let at = |days: i64| -> Timestamp {
            let day = today.checked_add(days.days()).unwrap();
            day.to_zoned(TimeZone::UTC).unwrap().timestamp()
        };
        let span = Span {
            start: at(0),
            end: at(14),
        };
        let page = workspace.events(&ana(), span).await.unwrap();
        assert_eq!(page.unreadable, []);
        let count = |title: &str| page.events.iter().filter(|e| e.title == title).count();
        assert!(count("Team meeting") >= 1, "{today}");
        assert!(count("Stand-up") >= 3, "{today}");
        assert_eq!(count("Call with Casa Azul"), 0);
        let lisbon = TimeZone::get("Europe/Lisbon").unwrap();
        for team in page.events.iter().filter(|e| e.title == "Team meeting") {
            let start = team.time.span(&lisbon).start.to_zoned(lisbon.clone());
            assert_eq!((start.hour(), start.weekday()), (10, Weekday::Monday));
            assert!(team.own && team.series.is_some());
        }
        let others = ["ben@example.com".to_owned(), "eve@example.com".to_owned()];
        let seen = workspace.availability(&ana(), &others, span).await.unwrap();
        let [Availability::Busy(busy), Availability::Hidden] = seen.as_slice() else {
            panic!("{seen:?}")
        };
        assert!(busy.len() >= 4, "{busy:?}");
    }
}

#[tokio::test]
async fn documents_and_sheets_read_well() {
    let (_above, folder) = laid("ana", "2026-11-21".parse().unwrap());
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
